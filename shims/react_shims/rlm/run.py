"""One call of an RLM whose class has no history itself: its events, and what its predictors are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from react_shims.rlm.conversation import HistoryProcessor, own_history, processed
from react_shims.rlm.entries import new_entry, new_marker
from react_shims.rlm.installed import (
    ACTION,
    EXTRACT,
    HISTORY,
    REPL_HISTORY,
    default_adapter,
    dspy,
    history_field_in,
    repl_types,
)
from react_shims.rlm.parts import RunFields
from react_shims.rlm.prediction import RLMPrediction
from react_shims.rlm.replay import replaying
from react_shims.rlm.signatures import with_history
from react_shims.rlm.slots import StandIn
from react_shims.rlm.truncation import shortened
from react_shims.wire.events import field_of
from react_shims.wire.repl import ENTRY_FIELDS, ITERATION, REPL_ENTRY, VARIABLES_INFO, text_of


class ReplRun:
    """A run. DSPy's loop hands its `REPLHistory` to the predictors, where the run reads what happened."""

    def __init__(
        self, agent: Any, history: Any, processor: HistoryProcessor | None, inputs: Mapping[str, Any]
    ) -> None:
        self.agent = agent
        self.history = own_history(history)
        self._processor = processor
        self._fields = RunFields(agent.signature)
        self._inputs = {name: inputs[name] for name in agent.signature.input_fields if name in inputs}
        self._asked: dict[str, Any] = {}  # what the action predictor was called with last
        self._recorded = 0  # iterations that have their event
        self._extracted = False
        self._adapters: tuple[Any, Any] | None = None  # the configured one, and the one that replays

    # --- the predictors ---------------------------------------------------------------------------------

    def in_place_of(self, name: str, predictor: Any) -> Any:
        return {ACTION: Action, EXTRACT: Extract}[name](predictor, self)

    def sent(self, inputs: dict[str, Any], predictor: Any) -> dict[str, Any]:
        """What the action predictor is called with: the history instead of `repl_history`."""
        self._record(inputs[REPL_HISTORY])
        if self._processor is not None:
            self.history = processed(self.history, self._processor)
        self._asked = {name: inputs[name] for name in (VARIABLES_INFO, ITERATION) if name in inputs}
        declared = inputs.get("signature") or getattr(predictor, "signature", None)
        others = {name: value for name, value in inputs.items() if name != REPL_HISTORY}
        if declared is None:  # a module of the user's own
            return {**others, HISTORY: self._snapshot()}
        signature = with_history(declared)
        if signature is not declared:
            others["signature"] = signature
        return {**others, history_field_in(signature) or HISTORY: self._snapshot()}

    def received(self, prediction: Any) -> Any:
        """The action as DSPy's loop can record it: with the reasoning as text."""
        reasoning = field_of(prediction, "reasoning")
        if isinstance(reasoning, str) or not isinstance(prediction, dspy.Prediction):
            return prediction
        return prediction.copy(reasoning=text_of(reasoning))

    def extracts(self) -> None:
        """The extract predictor is called."""
        self._extracted = True

    def replaying(self) -> Any:
        """A context in which the configured adapter shows the history's events."""
        configured = dspy.settings.adapter
        if self._adapters is None or self._adapters[0] is not configured:
            self._adapters = (configured, replaying(configured or default_adapter(), self._fields))
        return dspy.context(adapter=self._adapters[1])

    def _snapshot(self) -> Any:
        """The history as it is now, as far as the model is shown it. A trace keeps it, and the run goes on.

        Inputs, and what the code printed, can be of any size. Demos that are made from a trace are shown in
        full, whatever is in them.
        """
        return self.history.model_copy(update={"messages": list(map(self._shown, self.history.messages))})

    def _shown(self, event: Mapping[str, Any]) -> dict[str, Any]:
        shown = self._fields.without_inputs(event)
        entry = shown.get(REPL_ENTRY)
        if isinstance(entry, repl_types.REPLEntry):
            output = shortened(entry.output, self.agent.max_output_chars)
            if output is not entry.output:
                shown[REPL_ENTRY] = new_entry(entry.reasoning, entry.code, output)
        return shown

    # --- the events -------------------------------------------------------------------------------------

    def _record(self, entries: Iterable[Any]) -> None:
        """Add events for the iterations that came since the last time."""
        for entry in list(entries)[self._recorded :]:
            reasoning, code, output = (field_of(entry, name) for name in ENTRY_FIELDS)
            self._add({**self._asked, REPL_ENTRY: new_entry(reasoning, code, output)})
            self._recorded += 1

    def _add(self, event: dict[str, Any]) -> None:
        self.history.messages.append({**self._inputs, **event})
        self._inputs = {}  # only a run's first event has them

    def finished(self, prediction: Any) -> Any:
        """DSPy's prediction as that of an RLM with a history.

        One without DSPy's fields, from a method that a subclass overrides, is only given the history.
        """
        fields = dict(prediction.items())
        trajectory = fields.pop("trajectory", None)
        if trajectory is None:
            prediction[HISTORY] = self.history
            return prediction
        self._record(trajectory)
        outputs = {name: fields[name] for name in self.agent.signature.output_fields}
        if self._extracted:
            self._add({REPL_ENTRY: new_marker(), **outputs})
        else:
            self.history.messages[-1].update(outputs)
        return RLMPrediction(**fields, history=self.history, repl_trajectory=trajectory)


class Action(StandIn):
    """`rlm.generate_action` during a run."""

    def __call__(self, **inputs: Any) -> Any:
        if REPL_HISTORY not in inputs:  # somebody's own call of the predictor
            return self._predictor(**inputs)
        sent = self._run.sent(inputs, self._predictor)
        with self._run.replaying():
            return self._run.received(self._predictor(**sent))

    async def acall(self, **inputs: Any) -> Any:
        if REPL_HISTORY not in inputs:
            return await self._predictor.acall(**inputs)
        sent = self._run.sent(inputs, self._predictor)
        with self._run.replaying():
            return self._run.received(await self._predictor.acall(**sent))


class Extract(StandIn):
    """`rlm.extract` during a run. It gets the run's own `repl_history`, and nothing of what came before.

    Given the history too, a model answered in the schema of an action in 3 of 9 cases
    (stanfordnlp/dspy#10387).
    """

    def __call__(self, **inputs: Any) -> Any:
        self._run.extracts()
        return self._predictor(**inputs)

    async def acall(self, **inputs: Any) -> Any:
        self._run.extracts()
        return await self._predictor.acall(**inputs)
