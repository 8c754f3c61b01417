"""One history event as JSON-ready data, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_shims.values import Note, Path, restored, to_json
from react_shims.wire.events import field_of, thought_of
from react_shims.wire.marker import EVENT_KEY
from react_shims.wire.repl import REPL_ENTRY, entry_of, extract_marker, is_repl_event, tagged_entry


def dumped_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event as JSON-ready data, with its notes (see `values.py`) in its marker."""
    dumped: dict[str, Any] = {}
    notes: list[Note] = []
    is_repl = is_repl_event(event)
    for name, value in event.items():
        if name == EVENT_KEY and isinstance(value, Mapping):
            dumped[name] = _each_to_json(value, (name,), notes)
        elif is_repl and name == REPL_ENTRY:
            dumped[name] = _dumped_entry(event, value, notes)
        elif is_repl:  # whatever its inputs and outputs are called
            dumped[name] = to_json(value, (name,), notes)
        elif name == "next_thought" and value is not None:
            dumped[name] = thought_of(event)
        elif are_calls(name, value):
            dumped[name] = _dumped_calls(value, (name,), notes)
        else:
            dumped[name] = to_json(value, (name,), notes)
    if notes:
        marker = dumped[EVENT_KEY] if isinstance(dumped.get(EVENT_KEY), dict) else {}
        dumped[EVENT_KEY] = {**marker, "values": [*marker.get("values", ()), *notes]}
    return dumped


def loaded_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """A dumped event with the values that JSON could not carry; tool calls are still plain data."""
    marker = event.get(EVENT_KEY)
    if not isinstance(marker, Mapping) or "values" not in marker:
        return dict(event)
    stored = {name: value for name, value in marker.items() if name != "values"}
    with_values, informative = restored({**event, EVENT_KEY: stored}, marker["values"])
    if informative:
        with_values[EVENT_KEY] = {**with_values[EVENT_KEY], "values": informative}
    elif not stored:
        del with_values[EVENT_KEY]
    return with_values


def _dumped_entry(event: Mapping[str, Any], entry: Any, notes: list[Note]) -> dict[str, Any]:
    """An entry of an RLM, or the marker in its place, with its tag; other keys of a stored one stay."""
    fields = entry_of(event)
    dumped = extract_marker() if fields is None else tagged_entry(**fields)
    others = entry if isinstance(entry, Mapping) else {}
    return {**dumped, **{k: to_json(v, (REPL_ENTRY, k), notes) for k, v in others.items() if k not in dumped}}


def are_calls(name: str, value: Any) -> bool:
    """Whether the value at a name of an event is tool calls, live or dumped.

    Inputs and outputs may have a field of that name, and others beside it: a provider's messages have.
    """
    calls = field_of(value, "tool_calls")
    if not isinstance(calls, list) or not all(
        isinstance(call, Mapping) or hasattr(call, "args") for call in calls
    ):
        return False
    is_bare = not isinstance(value, Mapping) or value.keys() <= {"tool_calls", "tool_call_results"}
    return is_bare or name == "tool_calls"


def _dumped_calls(container: Any, path: Path, notes: list[Note]) -> dict[str, Any]:
    """An event's tool calls with their ids, which `ToolCalls.model_dump` leaves out."""
    calls = _dumped_each(
        field_of(container, "tool_calls"), ("id", "name", "args"), (*path, "tool_calls"), notes
    )
    others = container if isinstance(container, Mapping) else {}
    dumped = {"tool_calls": calls} | {
        key: to_json(value, (*path, key), notes)
        for key, value in others.items()
        if key not in ("tool_calls", "tool_call_results")
    }
    results = field_of(container, "tool_call_results")
    if results is None:
        return dumped
    path = (*path, "tool_call_results", "tool_call_results")
    results = results if isinstance(results, list) else field_of(results, "tool_call_results")
    dumped_results = _dumped_each(results, ("call_id", "name", "value", "is_error"), path, notes)
    return {**dumped, "tool_call_results": {"tool_call_results": dumped_results}}


def _dumped_each(items: Any, names: Sequence[str], path: Path, notes: list[Note]) -> list[dict[str, Any]]:
    return [
        {
            name: _each_to_json(value, (*path, position, name), notes)
            if name == "args"
            else to_json(value, (*path, position, name), notes, exact=name == "value")
            for name, value in (
                item.items() if isinstance(item, Mapping) else ((name, getattr(item, name)) for name in names)
            )
        }
        for position, item in enumerate(items)
    ]


def _each_to_json(value: Any, path: Path, notes: list[Note]) -> Any:
    """As `to_json`, but a dict or list stays one whatever is in it."""
    if isinstance(value, Mapping):
        return {str(key): _each_to_json(item, (*path, str(key)), notes) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_each_to_json(item, (*path, position), notes) for position, item in enumerate(value)]
    return to_json(value, path, notes)
