"""Events as they stand in a live `dspy.History`: with DSPy's own objects in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from react_shims.dump import are_calls
from react_shims.wire.events import field_of
from react_shims.wire.marker import EVENT_KEY
from react_shims.wire.repl import is_repl_event

if TYPE_CHECKING:
    import dspy  # type: ignore[import-not-found,unused-ignore]


def live_history(events: Sequence[Mapping[str, Any]]) -> dspy.History:
    """A `dspy.History` of events in which tool calls and an RLM's entries are live objects.

    Raises:
        ValueError: an event has tool calls that DSPy cannot read.
        ImportError: DSPy is missing, or older than 3.3.
    """
    dspy = _dspy_with_tool_results()
    from react_shims.rlm.entries import with_live_entry

    messages = [
        with_live_entry(event)
        if is_repl_event(event)
        else {name: _live_calls(dspy, position, name, value) for name, value in event.items()}
        for position, event in enumerate(events)
    ]
    return dspy.History(messages=messages)


def _live_calls(dspy: Any, position: int, name: str, value: Any) -> Any:
    """`value` as a `dspy.ToolCalls` if it is a dump of one; as it is otherwise."""
    calls = field_of(value, "tool_calls")
    if name == EVENT_KEY or not isinstance(calls, list):
        return value
    if name != "tool_calls" and not are_calls(name, value):
        return value
    results = field_of(value, "tool_call_results")
    try:
        live = dspy.ToolCalls.model_validate({"tool_calls": calls})
        results = None if results is None else dspy.ToolCallResults.model_validate(results)
    except ValueError as error:  # pydantic's ValidationError is one
        if name != "tool_calls":
            return value  # an input that only looks like it
        raise ValueError(
            f"event {position} of the history has tool calls that DSPy cannot read: {one_line(error)}"
        ) from error
    return live.model_copy(update={"tool_call_results": results})


def one_line(error: Exception) -> str:
    """An error's text, which may quote the stored data: short, and without anything a terminal obeys."""
    text = " ".join(str(error).split())
    return "".join(letter if letter.isprintable() else "?" for letter in text[:200])


def _dspy_with_tool_results() -> Any:
    try:
        import dspy
    except ModuleNotFoundError as error:
        if error.name != "dspy":
            raise  # DSPy is there and misses something itself
        raise ImportError(
            "a dspy.History needs DSPy, which is not installed here: pip install 'dspy>=3.3'. "
            "(react_shims.wire converts plain data without it.)",
            name="dspy",
        ) from error
    if not hasattr(dspy, "ToolCallResults"):
        raise ImportError(
            f"DSPy {dspy.__version__} has no histories of tool calls: pip install 'dspy>=3.3'. "
            "(trajectory_of, steps_of and react_shims.wire work on this DSPy too.)",
            name="dspy",
        )
    return dspy
