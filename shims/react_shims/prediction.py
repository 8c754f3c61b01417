"""Predictions of the shim's agents: DSPy's, and they still answer `.trajectory`.

The trajectory is made from the history when it is asked for. It is no field of the prediction: `keys()`,
`toDict()`, iteration and equality do not know it. An output field or an assigned value of that name wins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from react_shims.deprecation import warn_if_due
from react_shims.recorded import RUN_BOUNDS
from react_shims.run import dspy
from react_shims.trajectory import DerivedTrajectory, trajectory_of

FIELD = "trajectory"


def _read(prediction: Any) -> Any:
    return _stored_or(prediction, _derived)


def _read_quietly(prediction: Any) -> Any:
    return _stored_or(prediction, trajectory_of)


def _stored_or(prediction: Any, derive: Callable[[Any], Any]) -> Any:
    if FIELD in prediction.keys():  # noqa: SIM118 (`in` also finds what is derived)
        return dspy.Example.__getitem__(prediction, FIELD)
    return derive(prediction)


def _derived(prediction: Any) -> Any:
    return prediction._derived_trajectory()


def _write(prediction: Any, value: Any) -> None:
    prediction[FIELD] = value


def _delete(prediction: Any) -> None:
    del prediction[FIELD]


class ReActPrediction(dspy.Prediction):  # type: ignore[misc]
    """A prediction of `react_shims.ReAct`."""

    trajectory = DerivedTrajectory(_read, _write, _delete)

    def _derived_trajectory(self) -> Any:
        trajectory = trajectory_of(self)
        warn_if_due("prediction.trajectory")
        return trajectory

    def __getitem__(self, key: str) -> Any:
        if key == FIELD and not super().__contains__(FIELD):
            try:
                return _derived(self)
            except AttributeError:
                raise KeyError(key) from None
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        if key == FIELD and not super().__contains__(FIELD):
            try:
                return self[FIELD]
            except KeyError:
                return default
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key):
            return True
        return key == FIELD and trajectory_of(self, None) is not None

    def copy(self, **kwargs: Any) -> Any:
        copied = super().copy(**kwargs)
        if RUN_BOUNDS in vars(self) and "history" not in kwargs:
            vars(copied)[RUN_BOUNDS] = vars(self)[RUN_BOUNDS]
        return copied


def with_trajectory(prediction: Any) -> Any:
    """The same prediction, of the class above. Other classes than DSPy's own are left as they are."""
    if type(prediction) is dspy.Prediction:
        prediction.__class__ = ReActPrediction
    return prediction


_installing = threading.Lock()


def install_trajectory() -> None:
    """Let all predictions of V2 in this process answer `.trajectory`, those of plain DSPy classes too.

    For code that reads it and cannot be changed, such as a third party's. What is stored under that name,
    assigned or an output field, is answered as before; predictions without a history of tool calls have no
    such attribute, as before. Does not warn: who installs this knows. Calling it twice is calling it once.
    """
    with _installing:
        if FIELD not in vars(dspy.Prediction):
            dspy.Prediction.trajectory = DerivedTrajectory(_read_quietly, _write, _delete)


def uninstall_trajectory() -> None:
    """Undo `install_trajectory`; without it, do nothing."""
    with _installing:
        if isinstance(vars(dspy.Prediction).get(FIELD), DerivedTrajectory):
            del dspy.Prediction.trajectory
