"""What is still missing where the installed RLM has a history itself: DSPy 3.5 and later.

Dumps of a history as `history=`, a `history_processor` if the release has none, names that cannot work, and
the prediction's old `.trajectory`. The history, its events and how they are shown are DSPy's.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from react_shims.processing import HistoryProcessing
from react_shims.rlm.conversation import HistoryProcessor, own_history
from react_shims.rlm.installed import dspy, history_field_in
from react_shims.rlm.prediction import REPL_TRAJECTORY, RLMPrediction
from react_shims.rlm.signatures import refuse_reserved_names
from react_shims.rlm.slots import PredictorSlot, StandIn, running
from react_shims.trajectory import trajectory_of

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object


class Bridged(_Base):  # type: ignore[misc]
    """A mixin before DSPy's class."""

    generate_action = PredictorSlot()

    history_processor: HistoryProcessor | None = None
    _has_processor: bool  # whether DSPy's class takes one

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Bridged in cls.__bases__:
            dspys: Any = cls.__bases__[cls.__bases__.index(Bridged) + 1]
            cls._has_processor = "history_processor" in inspect.signature(dspys.__init__).parameters

    def __init__(self, *args: Any, history_processor: HistoryProcessor | None = None, **options: Any) -> None:
        if self._has_processor:
            options["history_processor"] = history_processor
        super().__init__(*args, **options)
        refuse_reserved_names(self.signature)
        self.history_processor = history_processor

    def forward(
        self,
        *args: Any,
        history: Any = None,
        history_processor: HistoryProcessor | None = None,
        **inputs: Any,
    ) -> Any:
        with running(self._run(history, history_processor, inputs)):
            return _completed(super().forward(*args, **inputs))

    async def aforward(
        self,
        *args: Any,
        history: Any = None,
        history_processor: HistoryProcessor | None = None,
        **inputs: Any,
    ) -> Any:
        with running(self._run(history, history_processor, inputs)):
            return _completed(await super().aforward(*args, **inputs))

    def _run(self, history: Any, processor: HistoryProcessor | None, inputs: dict[str, Any]) -> BridgedRun:
        """The run; `inputs` gets what DSPy's class is to be called with besides."""
        if history is not None:
            inputs["history"] = own_history(history)
        if self._has_processor:
            if processor is not None:
                inputs["history_processor"] = processor
            return BridgedRun(self, None)
        return BridgedRun(self, self.history_processor if processor is None else processor)


class BridgedRun:
    """A run of DSPy's, in which a processor decides what the action predictor is shown."""

    def __init__(self, agent: Any, processor: HistoryProcessor | None) -> None:
        self.agent = agent
        self.processing = HistoryProcessing(processor) if processor is not None else None

    def in_place_of(self, name: str, predictor: Any) -> Any:
        return predictor if self.processing is None else ProcessedAction(predictor, self)


class ProcessedAction(StandIn):
    """`rlm.generate_action` during a run with a processor."""

    def __call__(self, **inputs: Any) -> Any:
        return self._predictor(**self._processed(inputs))

    async def acall(self, **inputs: Any) -> Any:
        return await self._predictor.acall(**self._processed(inputs))

    def _processed(self, inputs: dict[str, Any]) -> dict[str, Any]:
        signature = inputs.get("signature") or self._predictor.signature
        name = history_field_in(signature)
        if name is None or not isinstance(inputs.get(name), dspy.History):
            return inputs
        attempts = self._run.processing.attempts({"history": inputs[name]}, self._predictor, 0)
        return {**inputs, name: next(attempts)["history"]}


def _completed(prediction: Any) -> Any:
    """The prediction with `repl_trajectory`, and with `.trajectory` where DSPy has dropped it.

    As it is if there is no telling: its events may be called otherwise in a release that is still to come.
    """
    if type(prediction) is not dspy.Prediction:
        return prediction
    if REPL_TRAJECTORY not in prediction:
        trajectory = trajectory_of(prediction, None)
        if trajectory is None:
            return prediction
        prediction[REPL_TRAJECTORY] = trajectory
    if "trajectory" not in prediction:
        prediction.__class__ = RLMPrediction
    return prediction
