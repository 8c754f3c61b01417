"""How a run of V2 ends when its forced submit fails, the same on every DSPy that has V2.

DSPy 3.3 returns a prediction with the history and the reason and no outputs; from 3.4 on it raises. With
`on_failure="extract"` one more call makes typed outputs of what the run found, as V1's extractor did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic_core import to_jsonable_python  # type: ignore[import-not-found,unused-ignore]

from react_shims.run import Attempts, Inputs, dspy
from react_shims.truncation import ATTEMPTS, FlatTruncation, drop_oldest_step, free_name
from react_shims.wire.events import inputs_in, submitted_outputs

OnFailure: TypeAlias = Literal["raise", "return", "extract"]
CHOICES = ("raise", "return", "extract")

SUCCESS = frozenset({"submit", "forced_submit"})
EXTRACTED = "extracted"


def failed(result: Any) -> bool:
    """Whether V2 returned a prediction without outputs. (A class in between may return anything else.)"""
    reason = result.get("termination_reason") if isinstance(result, dspy.Prediction) else None
    return isinstance(reason, str) and reason not in SUCCESS


def error_for(reason: str, last_event: Mapping[str, Any] | None) -> ValueError:
    """The error of DSPy 3.4 for a forced submit that did not fail by an error of the predictor's.

    `last_event`: the forced submit's, when the model made one and the tool refused it.
    """
    message = f"ReAct failed to produce final outputs after {reason}: "
    if last_event is None:
        return ValueError(f"{message}no submit call.")
    results = last_event["tool_calls"].tool_call_results.tool_call_results
    errors = "\n".join(str(result.value) for result in results if result.is_error)
    return ValueError(f"{message}submit failed.\n{errors}")


def with_history(error: Exception, history: Any, reason: str) -> Exception:
    """The error, carrying what a returned prediction would: `error.history`, `error.termination_reason`."""
    error.history = history  # type: ignore[attr-defined]
    error.termination_reason = reason  # type: ignore[attr-defined]
    return error


class Extraction:
    """One call that extracts the outputs from a run, and how it is shortened on overflow."""

    is_over = False

    def __init__(self, agent: Any, inputs: Inputs, history: Any, start: int, overflow: Any) -> None:
        self._history = history
        self._start = start
        is_of_this_run = isinstance(overflow, FlatTruncation) and not overflow.whole_conversation
        self._truncation = overflow if is_of_this_run else FlatTruncation(drop_oldest_step)
        self._inputs = inputs
        signature = agent.signature
        self._field = free_name("trajectory", signature.fields)
        signature = signature.append(self._field, dspy.InputField(), type_=str)
        self._earlier = earlier_answers(history.messages[:start], agent.signature)
        if self._earlier:
            signature = signature.prepend("history", dspy.InputField(), type_=dspy.History)
        self.predictor = dspy.ChainOfThought(signature)
        self.predictor.set_lm(agent.react.lm)

    def attempts(self, inputs: Inputs, predictor: Any) -> Attempts:
        """As `Overflow.attempts`: with the run's whole trajectory first, then with shorter ones."""
        trajectory = self._truncation.trajectory_of(self._history.messages, self._start)
        error: Exception | None = None
        for _ in range(ATTEMPTS):
            sent = {**inputs, **(self._inputs or self._resumed_inputs()), self._field: formatted(trajectory)}
            if self._earlier:
                sent["history"] = dspy.History(messages=self._earlier)
            error = yield sent
            trajectory = self._truncation.shortened(trajectory)
        raise dspy.ContextWindowExceededError(
            message=f"The context window was exceeded even after truncating the trajectory {ATTEMPTS} times."
        ) from error

    def received(self, prediction: Any) -> Any:
        return prediction

    def failed(self, error: Exception) -> None:
        """Nothing to note: the error comes out of the agent."""

    def _resumed_inputs(self) -> Inputs:
        """The inputs of the run that this one resumed."""
        found = (inputs_in(event) for event in reversed(self._history.messages))
        return next((inputs for inputs in found if inputs), {})

    def finished(self, prediction: Any, output_names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The outputs, and the event to append: a submit that delivered them."""
        outputs = {name: prediction[name] for name in output_names}
        position = len(self._history.messages)
        call = dspy.ToolCalls.ToolCall(
            id=f"extracted_{position}", name="submit", args=to_jsonable_python(outputs, fallback=str)
        )
        calls = dspy.ToolCalls(tool_calls=[call])
        results = dspy.ToolCallResults.from_tool_calls_and_values(calls, [outputs])
        event = {"tool_calls": calls.model_copy(update={"tool_call_results": results}), **outputs}
        is_first = position == self._start
        return outputs, {**self._inputs, **event} if is_first else event


def earlier_answers(events: list[Any], signature: Any) -> list[dict[str, Any]]:
    """Earlier runs of a conversation as pairs of inputs and outputs, which any predictor replays."""
    pairs: list[dict[str, Any]] = []
    inputs: dict[str, Any] = {}
    for event in events:
        inputs.update({name: value for name, value in inputs_in(event).items() if name in signature.fields})
        outputs = submitted_outputs(event) or {n: event[n] for n in signature.output_fields if n in event}
        if outputs:
            pairs.append({**inputs, **outputs})
            inputs = {}
    return pairs


def formatted(trajectory: Mapping[str, Any]) -> str:
    """A trajectory as V1 showed it to its extractor: in the markers of the configured adapter."""
    if not trajectory:
        return ""
    adapter = dspy.settings.adapter or dspy.ChatAdapter()
    fields: dict[str, Any] = {str(key): (Any, dspy.InputField()) for key in trajectory}
    values = {str(key): value for key, value in trajectory.items()}
    text: str = adapter.format_user_message_content(
        dspy.Signature({**fields, free_name("x", fields): (str, dspy.OutputField())}), values
    )
    return text
