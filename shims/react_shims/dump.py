"""One history event as JSON-ready data, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_shims.values import Note, Path, restored, to_json
from react_shims.wire.events import field_of, thought_of
from react_shims.wire.marker import EVENT_KEY


def dumped_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event as JSON-ready data, with its notes (see `values.py`) in its marker."""
    dumped: dict[str, Any] = {}
    notes: list[Note] = []
    for name, value in event.items():
        if name == EVENT_KEY and isinstance(value, Mapping):
            dumped[name] = _each_to_json(value, (name,), notes)
        elif name == "next_thought" and value is not None:
            dumped[name] = thought_of(event)
        elif isinstance(field_of(value, "tool_calls"), list):
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


def _dumped_calls(container: Any, path: Path, notes: list[Note]) -> dict[str, Any]:
    """An event's tool calls with their ids, which `ToolCalls.model_dump` leaves out."""
    calls = _dumped_each(
        field_of(container, "tool_calls"), ("id", "name", "args"), (*path, "tool_calls"), notes
    )
    results = field_of(container, "tool_call_results")
    if results is None:
        return {"tool_calls": calls}
    path = (*path, "tool_call_results", "tool_call_results")
    results = results if isinstance(results, list) else field_of(results, "tool_call_results")
    dumped = _dumped_each(results, ("call_id", "name", "value", "is_error"), path, notes)
    return {"tool_calls": calls, "tool_call_results": {"tool_call_results": dumped}}


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
