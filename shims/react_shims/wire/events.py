"""Reading one history event, whether it holds DSPy's objects or the dicts they were dumped to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from react_shims.wire.marker import EVENT_KEY, NO_MARKER, marker_of

SUBMIT = "submit"  # V2's final tool: its arguments are the outputs


class Call(NamedTuple):
    """One tool call of an event, paired with its result."""

    id: str | None
    name: str
    args: Any  # a dict, unless the stored data was broken
    has_result: bool
    value: Any  # None without a result
    is_error: bool

    @property
    def is_submitted(self) -> bool:
        """Whether this is a `submit` that DSPy accepted."""
        return self.name == SUBMIT and self.has_result and not self.is_error


def field_of(thing: Any, name: str, default: Any = None) -> Any:
    """`thing[name]` of a mapping, `thing.name` of an object."""
    # A dict is told first, and cheaply: whole files of stored runs come through here.
    if type(thing) is dict or isinstance(thing, Mapping):
        return thing.get(name, default)
    return getattr(thing, name, default)


def messages_of(history: Any) -> list[Any] | None:
    """The events of a `dspy.History`, of its dump `{"messages": [...]}` or of a list; None for other things.

    The list itself is returned, not a copy. Events are mappings: chat libraries have histories of objects.
    """
    messages = history if isinstance(history, list) else field_of(history, "messages")
    if isinstance(messages, list) and all(isinstance(event, (dict, Mapping)) for event in messages):
        return messages
    return None


def calls_of(event: Mapping[str, Any]) -> list[Call]:
    """The tool calls of an event in the order they ran; empty when it has none.

    Accepts what DSPy's adapters accept: a `dspy.ToolCalls`, or a dict with a "tool_calls" list. (A bare list
    is what OpenAI's chat messages carry; DSPy does not replay it.) Results are paired by position when there
    are as many as calls, as DSPy writes them, else by id.
    """
    container = event.get("tool_calls")
    calls = field_of(container, "tool_calls")
    if not isinstance(calls, list):
        return []
    results = _results_of(container)
    by_position = len(results) == len(calls)
    by_id = {} if by_position else {str(field_of(result, "call_id")): result for result in results}
    paired = []
    for position, call in enumerate(calls):
        call_id, name, args = _identity_of(call)
        if not isinstance(name, str):
            return []  # not a list of tool calls after all
        result = (
            results[position] if by_position else by_id.get(call_id) if isinstance(call_id, str) else None
        )
        paired.append(
            Call(
                call_id,
                name,
                args,
                result is not None,
                field_of(result, "value"),
                bool(field_of(result, "is_error", False)),
            )
        )
    return paired


def _results_of(container: Any) -> list[Any]:
    results = field_of(container, "tool_call_results")
    if not isinstance(results, list):
        results = field_of(results, "tool_call_results")
    return results if isinstance(results, list) else []


def _identity_of(call: Any) -> tuple[str | None, Any, Any]:
    """Id, name and arguments, in DSPy's own spelling or in a provider's (`dspy.ToolCalls` accepts both)."""
    if not isinstance(call, (dict, Mapping)):
        return field_of(call, "id"), field_of(call, "name"), field_of(call, "args")
    source = call["function"] if isinstance(call.get("function"), dict) else call
    args = source.get("args", source.get("arguments"))
    if isinstance(args, str):
        with suppress(ValueError, RecursionError):  # broken JSON stays visible as the text it is
            args = json.loads(args)
    return call.get("id") or call.get("call_id"), source.get("name"), {} if args is None else args


def is_agent_event(event: Mapping[str, Any]) -> bool:
    """Whether the event is an agent's turn, and not, say, a `{question, answer}` pair of a chat."""
    return bool(calls_of(event)) or marker_of(event) != NO_MARKER


def thought_of(event: Mapping[str, Any]) -> str:
    """`next_thought` as text: it is a `dspy.Reasoning`, a str, or (dumped by hand) `{"content": ...}`."""
    thought = event.get("next_thought")
    if isinstance(thought, str):
        return thought
    content = field_of(thought, "content")
    if isinstance(content, str):
        return content
    return "" if thought is None else str(thought)


def final_submit(event: Mapping[str, Any]) -> Call | None:
    """The `submit` that ended a run with this event. The last one wins, as in DSPy."""
    if marker_of(event).own_submit:
        return None
    return next((call for call in reversed(calls_of(event)) if call.is_submitted), None)


def submitted_outputs(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """The outputs of the event's own successful submit; DSPy writes them into the event as well."""
    submit = final_submit(event)
    if submit is None:
        return {}
    for outputs in (
        submit.value,
        submit.args,
    ):  # the value is the outputs' dict, unless something stringified it
        if isinstance(outputs, Mapping):
            return outputs
    return {}


def inputs_in(event: Mapping[str, Any]) -> dict[str, Any]:
    """The signature's inputs that the event carries: the keys that are neither the agent's nor outputs."""
    outputs = submitted_outputs(event)
    return {
        name: value
        for name, value in event.items()
        if name not in ("next_thought", "tool_calls", EVENT_KEY) and name not in outputs
    }


def same(one: Any, other: Any) -> bool:
    """Equality that a user's type cannot break: an array's `==` has no truth value."""
    if one is other:
        return True
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False


def plain(value: Any) -> Any:
    """A result as JSON has it where a reloaded history holds a stand-in for an object (see `standin.py`)."""
    return value.shown if getattr(type(value), "is_stand_in", False) else value
