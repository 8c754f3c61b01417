"""What a history remembers of the record it was made in, for the way back.

It is kept in the marker of one of the history's events, `react_migrate` / `stored`, which adapters ignore.
The commonest record, a field `trajectory` in V1's own shape, needs none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from react_migrate.stored.difference import Difference
from react_migrate.stored.settings import TRAJECTORY
from react_migrate.stored.shapes.run import Layout
from react_shims.wire import EVENT_KEY

_STORED = "stored"


@dataclass(frozen=True)
class Memory:
    """Where and how the trajectory was stored.

    field: its name; None for a record that was the trajectory itself.
    kind, layout: its shape, see `shapes`.
    text: the style of JSON text that it was stored as (see `textstyle`), None if it was not stored as text.
    exact_text: that text, where it is in no known style.
    keys: the record's keys in order, where the trajectory's keys were mixed with others.
    difference: what the shape cannot say.
    """

    field: str | None = TRAJECTORY
    kind: str = "flat"
    layout: Layout | None = None
    text: str | None = None
    exact_text: str | None = None
    keys: list[str] | None = None
    difference: Difference | None = None


_DEFAULTS = asdict(Memory())


def history_with(events: list[dict[str, Any]], memory: Memory) -> dict[str, Any]:
    """The history of the events, with what the memory has to remember. The last event is changed."""
    stored = {name: value for name, value in vars(memory).items() if value != _DEFAULTS[name]}
    if not stored:
        return {"messages": events}
    if not events:  # an event that holds nothing else would be shown to the model, as an empty answer
        return {"messages": events, EVENT_KEY: {_STORED: stored}}
    events[-1][EVENT_KEY] = {**events[-1].get(EVENT_KEY, {}), _STORED: stored}
    return {"messages": events}


def memory_of(history: Any, events: Sequence[Mapping[str, Any]]) -> Memory:
    """What a history remembers. Entries of the wrong type count as absent: stored data may be damaged."""
    holders: list[Mapping[str, Any]] = [*reversed(events), history if isinstance(history, dict) else {}]
    for holder in holders:
        marker = holder.get(EVENT_KEY)
        stored = marker.get(_STORED) if isinstance(marker, dict) else None
        if isinstance(stored, dict):
            return Memory(**{name: stored[name] for name in _DEFAULTS if _fits(name, stored)})
    return Memory()


def _fits(name: str, stored: Mapping[str, Any]) -> bool:
    if name not in stored:
        return False
    value = stored[name]
    if name in ("layout", "difference"):
        return isinstance(value, dict)
    if name == "keys":
        return isinstance(value, list) and all(isinstance(key, str) for key in value)
    return isinstance(value, str) or (value is None and name == "field")
