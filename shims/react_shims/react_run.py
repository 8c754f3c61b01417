"""A run of `react_shims.ReAct`: DSPy's loop, with what the agent's options ask for around it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from react_shims.deprecation import warn_user
from react_shims.loop import ENDS_THE_LOOP, is_forced, reason_of
from react_shims.outcome import EXTRACTED, Extraction, error_for, failed, with_history
from react_shims.prediction import with_trajectory
from react_shims.processing import HistoryProcessing
from react_shims.run import Calls, Inputs, Run, dspy
from react_shims.truncation import FlatTruncation
from react_shims.turns import CallIds, Snapshots, ToolsForShow

CONTROLS = frozenset({"history", "max_iters", "history_processor"})
"""Keyword arguments of a call that are not the signature's inputs."""


class IgnoredInputWarning(UserWarning):
    """A keyword argument that the agent's signature does not have, and that V2 drops."""


class ReActRun(Run):
    """One call of one agent."""

    settles = ENDS_THE_LOOP

    def __init__(self, agent: Any, overflow: Any, *, takes_processor: bool) -> None:
        super().__init__(agent, overflow)
        self._takes_processor = takes_processor  # from the call; else DSPy's loop does
        self._inputs: Inputs = {}  # the signature's
        self._tools = ToolsForShow()
        self._reason = "max_iters"  # why the loop ended, if it has ended
        self._forced: Any = None  # the prediction of the forced submit, or its error
        self._end_of_loop = 0  # number of events when the submit was forced

    # --- the whole run --------------------------------------------------------------------------------------

    def given(self, inputs: Inputs) -> Inputs:
        """What DSPy's loop is to be called with."""
        names = self.agent.signature.input_fields
        unknown = [name for name in inputs if name not in names and name not in CONTROLS]
        if unknown:
            warn_user(
                f"{type(self.agent).__name__} ignores {', '.join(map(repr, unknown))}: its signature has the "
                f"inputs {', '.join(map(repr, names))}. ({', '.join(sorted(CONTROLS))} are for the call.)",
                IgnoredInputWarning,
            )
        given = dict(inputs)
        if self._takes_processor and "history_processor" in given and "history_processor" not in names:
            self._process_with(given.pop("history_processor"))
        history = given.get("history")
        if self.agent.copy_history and isinstance(history, dspy.History):
            given["history"] = history.model_copy(update={"messages": list(history.messages)})
        self._inputs = {name: given[name] for name in names if name in given}
        return given

    def _process_with(self, processor: Any) -> None:
        """Use another processor than the agent's, or none. A truncate_trajectory override goes first."""
        overridden = isinstance(self.overflow, FlatTruncation) and not self.overflow.whole_conversation
        if not overridden:
            self.overflow = None if processor is None else HistoryProcessing(processor)

    def remembered_by(self, result: Any) -> Any:
        return with_trajectory(super().remembered_by(result))

    # --- one turn -------------------------------------------------------------------------------------------

    def sent(self, inputs: Inputs) -> Inputs:
        inputs = super().sent(inputs)
        if "history" not in inputs:
            return inputs
        if is_forced(inputs):
            self._end_of_loop = len(self.history.messages)
            self._forced = dspy.Prediction()
        return {
            **inputs,
            "history": self._snapshots.of(inputs["history"]),
            "tools": self._tools.without_functions(inputs.get("tools")),
        }

    @cached_property
    def _snapshots(self) -> Snapshots:
        return Snapshots(self.history.messages[: self.start], self.agent.signature.output_fields)

    @cached_property
    def _ids(self) -> CallIds:
        return CallIds(self.history.messages[: self.start])

    def received(self, prediction: Any) -> Any:
        tool_calls = getattr(prediction, "tool_calls", None)
        if self._forced is not None:
            self._forced = prediction
        elif not getattr(tool_calls, "tool_calls", None):
            self._reason = "empty_tool_calls"
        if self.history is None:
            return prediction
        unique = self._ids.unique(tool_calls, len(self.history.messages))
        if unique is tool_calls or not isinstance(prediction, dspy.Prediction):
            return prediction
        return prediction.copy(tool_calls=unique)

    def failed(self, error: Exception) -> None:
        if self._forced is not None:
            self._forced = error
        elif isinstance(error, ENDS_THE_LOOP):
            self._reason = reason_of(error)

    # --- how it ended ---------------------------------------------------------------------------------------

    def settled(self, result: Any) -> Any:
        """The prediction that ends the run, or None when one is to be extracted. Raises what is to be raised.

        `result` is the loop's prediction, or its error.
        """
        is_error = isinstance(result, Exception)
        if not is_error and not failed(result):
            return result
        if self._forced is None or self.history is None:
            if is_error:
                raise result  # not by a forced submit that failed
            return result
        choice = self.agent.on_failure or ("raise" if is_error else "return")
        if choice == "extract":
            return None
        if choice == "return":
            if is_error:
                return dspy.Prediction(history=self.history, termination_reason=self._reason)
            return result
        raise with_history(self._error(result), self.history, self._reason)

    def _error(self, result: Any) -> Exception:
        """What to raise: the loop's own error, or what DSPy 3.4 raises for the same."""
        if isinstance(result, Exception):
            return result
        if isinstance(self._forced, Exception):
            return self._forced
        refused = self.history.messages[self._end_of_loop :]
        return error_for(self._reason, refused[-1] if refused else None)

    def last_resort(self) -> Calls:
        self._extraction = Extraction(self.agent, self._inputs, self.history, self.start, self.overflow)
        return Calls(self._extraction.predictor, self._extraction)

    def settled_by(self, answer: Any) -> Any:
        outputs, event = self._extraction.finished(answer, list(self.agent.signature.output_fields))
        self.history.messages.append(event)
        return dspy.Prediction(**outputs, history=self.history, termination_reason=EXTRACTED)
