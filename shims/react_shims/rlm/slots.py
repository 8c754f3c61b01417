"""Being in the way between an RLM and its predictors, while it runs.

An RLM has two predictors, `generate_action` and `extract`. A `PredictorSlot` is the attribute of one: stored
as ever in the RLM's `__dict__`, and read, by the code of a run, as what the run puts in its place. Outside of
a run it is the plain predictor; named predictors, saved state, optimisers, copies and pickles see nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar


class RunOfPredictors(Protocol):
    """One call of an RLM."""

    agent: Any

    def in_place_of(self, name: str, predictor: Any) -> Any:
        """What the RLM is to call for the predictor under that name."""


_current: ContextVar[RunOfPredictors | None] = ContextVar("react_shims_current_rlm_run", default=None)

Run = TypeVar("Run", bound=RunOfPredictors)


@contextmanager
def running(run: Run) -> Iterator[Run]:
    """While this is entered, the code of this context is the run's."""
    outer = _current.get()
    _current.set(run)
    try:
        yield run
    finally:
        _current.set(outer)


class PredictorSlot:
    """The attribute of a predictor."""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    def __get__(self, agent: Any, owner: type[Any]) -> Any:
        try:
            predictor = vars(agent)[self._name]
        except (KeyError, TypeError):
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}") from None
        run = _current.get()
        if run is None or run.agent is not agent:
            return predictor
        return run.in_place_of(self._name, predictor)

    def __set__(self, agent: Any, predictor: Any) -> None:
        vars(agent)[self._name] = predictor._predictor if isinstance(predictor, StandIn) else predictor

    def __delete__(self, agent: Any) -> None:
        del vars(agent)[self._name]


class StandIn:
    """What stands in the place of a predictor. What is read from it or set on it is the predictor's."""

    __slots__ = ("_predictor", "_run")

    def __init__(self, predictor: Any, run: Any) -> None:
        object.__setattr__(self, "_predictor", predictor)
        object.__setattr__(self, "_run", run)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictor, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._predictor, name, value)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # for isinstance(rlm.generate_action, dspy.Predict) in a user's own forward
        return type(self._predictor)
