"""V2's loop for asynchronous calls on DSPy 3.3, which has it only for synchronous ones (3.4 has both).

Does what 3.4's `aforward` does, through DSPy's public objects, and ends as 3.3's `forward` ends: a run whose
forced submit fails returns a prediction with the history and the reason, and no outputs.
"""

from __future__ import annotations

import logging
from typing import Any

from react_shims.run import Inputs, dspy
from react_shims.transition import require_v2_class

logger = logging.getLogger(__name__)

require_v2_class()  # says what to install where DSPy is too old for what follows

FORCE_SUBMIT = {
    "tool_choice": {"type": "function", "function": {"name": "submit"}},
    "reasoning_effort": None,
}
"""V2's configuration of its last call. A test compares it with what the installed V2 sends."""

ENDS_THE_LOOP = (dspy.AdapterParseError, ValueError, dspy.ContextWindowExceededError)
"""Errors of the predictor after which V2 makes its last call, and after which that fails."""


def is_forced(inputs: Inputs) -> bool:
    """Whether the predictor is called for the forced submit."""
    return "tool_choice" in (inputs.get("config") or {})


def reason_of(error: Exception) -> str:
    """V2's `termination_reason` for a loop that ended with one of `ENDS_THE_LOOP`."""
    overflowed = isinstance(error, dspy.ContextWindowExceededError)
    return "context_window_exceeded" if overflowed else "parse_error"


async def aforward(agent: Any, **inputs: Any) -> Any:
    """One run of a V2 agent whose class has no `aforward`."""
    max_iters = inputs.pop("max_iters", agent.max_iters)
    history = inputs.pop("history", None)
    if history is None:
        history = dspy.History(messages=[])
    elif not isinstance(history, dspy.History):
        history = dspy.History.model_validate(history)
    pending = {name: inputs[name] for name in agent.signature.input_fields if name in inputs}
    reason = "max_iters"
    for turn in range(max_iters):
        try:
            prediction = await _ask(agent, history, pending)
            calls = _calls_of(prediction, turn)
        except ENDS_THE_LOOP as error:
            logger.warning("Ending the loop: %s", error)
            reason = reason_of(error)
            break
        if not calls.tool_calls:
            reason = "empty_tool_calls"
            break
        outputs = await _run_turn(agent, history, pending, prediction, calls)
        pending = {}
        if outputs is not None:
            return dspy.Prediction(**outputs, history=history, termination_reason="submit")
    return await _forced_submit(agent, history, pending, reason, max_iters)


async def _forced_submit(agent: Any, history: Any, pending: Inputs, reason: str, turn: int) -> Any:
    failed = dspy.Prediction(history=history, termination_reason=reason)
    try:
        prediction = await _ask(agent, history, pending, config=FORCE_SUBMIT)
        calls = _calls_of(prediction, turn)
    except ENDS_THE_LOOP as error:
        logger.warning("The forced submit failed: %s", error)
        return failed
    submits = [call for call in calls.tool_calls if call.name == "submit"]
    if not submits:
        return failed
    outputs = await _run_turn(agent, history, pending, prediction, dspy.ToolCalls(tool_calls=submits))
    if outputs is None:
        return failed
    return dspy.Prediction(**outputs, history=history, termination_reason="forced_submit")


async def _ask(agent: Any, history: Any, pending: Inputs, **options: Any) -> Any:
    return await agent.react.acall(history=history, tools=list(agent.tools.values()), **options, **pending)


def _calls_of(prediction: Any, turn: int) -> Any:
    """The tool calls, each with an id: the provider's, or V2's own `call_{turn}_{index}`."""
    given = getattr(prediction, "tool_calls", None)
    calls = dspy.ToolCalls(tool_calls=[]) if given is None else dspy.ToolCalls.model_validate(given)
    named = [
        call if call.id is not None else call.model_copy(update={"id": f"call_{turn}_{index}"})
        for index, call in enumerate(calls.tool_calls)
    ]
    return dspy.ToolCalls(tool_calls=named)


async def _run_turn(
    agent: Any, history: Any, pending: Inputs, prediction: Any, calls: Any
) -> dict[str, Any] | None:
    """Run the tools and append the event. Returns the outputs, if `submit` was called and accepted them."""
    values, errors = [], []
    outputs = None
    for call in calls.tool_calls:
        value, is_error = await _run_tool(agent, call)
        values.append(value)
        errors.append(is_error)
        if call.name == "submit" and isinstance(value, dict):
            outputs = value
    results = dspy.ToolCallResults.from_tool_calls_and_values(calls, values, errors)
    thought = getattr(prediction, "next_thought", None)
    event = {
        **pending,
        **({} if thought is None else {"next_thought": thought}),
        "tool_calls": calls.model_copy(update={"tool_call_results": results}),
        **(outputs or {}),
    }
    history.messages.append(event)
    return outputs


async def _run_tool(agent: Any, call: Any) -> tuple[Any, bool]:
    """What the tool returned, or the text that tells the model why it did not; and whether it did not."""
    if call.name not in agent.tools:
        return f"Unknown tool: {call.name}", True
    try:
        return await agent.tools[call.name].acall(**(call.args or {})), False
    except Exception as error:
        return f"Execution error in {call.name}: {_formatted(error)}", True


def _formatted(error: BaseException, frames: int = 5) -> str:
    """As 3.3 shows a tool's error to the model: on a new line, with the innermost frames."""
    import traceback

    lines = traceback.format_exception(type(error), error, error.__traceback__, limit=frames)
    return "\n" + "".join(lines).strip()
