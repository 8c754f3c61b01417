"""NaN and infinities in a history: null, with notes that bring them back (see `react_shims.values`).

A history is to be strict JSON, whatever the file was in which its trajectory was stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from react_shims.values import restored
from react_shims.wire import EVENT_KEY

_VALUES = "values"


def noted(history: Mapping[str, Any]) -> dict[str, Any]:
    """A history of plain data without NaN and infinities, which its events note."""
    return {**history, "messages": [_noted_event(event) for event in history["messages"]]}


def restored_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event with the floats that it notes. Stand-ins for objects, which it may note too, stay text."""
    marker = event.get(EVENT_KEY)
    if not isinstance(marker, Mapping) or _VALUES not in marker:
        return dict(event)
    stored = {name: value for name, value in marker.items() if name != _VALUES}
    notes = marker[_VALUES] if isinstance(marker[_VALUES], list) else []
    floats = [note for note in notes if isinstance(note, dict) and note.keys() == {"at", "float"}]
    with_floats, _ = restored({**event, EVENT_KEY: stored}, floats)
    return with_floats


def _noted_event(event: Mapping[str, Any]) -> dict[str, Any]:
    notes: list[dict[str, Any]] = []
    finite: dict[str, Any] = _finite(event, (), notes)
    if notes:
        finite[EVENT_KEY] = {**finite.get(EVENT_KEY, {}), _VALUES: notes}
    return finite


def _finite(value: Any, path: tuple[str | int, ...], notes: list[dict[str, Any]]) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        notes.append({"at": list(path), "float": str(value)})
        return None
    if isinstance(value, dict):
        return {key: _finite(item, (*path, key), notes) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item, (*path, at), notes) for at, item in enumerate(value)]
    return value
