"""A record's history becomes the trajectory that it was made of, in its place and in its shape.

A history that no conversion made (a V2 agent's own) becomes a trajectory in V1's shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_migrate.stored import textstyle
from react_migrate.stored.difference import mended
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.fields import replaced, value_at
from react_migrate.stored.find import FoundHistory, find_history, find_trajectory, shown_name
from react_migrate.stored.jsontext import Parsed
from react_migrate.stored.memory import Memory, memory_of
from react_migrate.stored.nonfinite import restored_event
from react_migrate.stored.report import UNCHANGED, Converted, Report
from react_migrate.stored.settings import TRAJECTORY, Settings
from react_migrate.stored.shapes import KINDS, Shape
from react_shims.recorded import run_of
from react_shims.wire import EVENT_KEY, calls_of, is_repl_event
from react_shims.wire.events import inputs_in
from react_shims.wire.repl_runs import repl_fields_in

OTHER_RUNS = "earlier runs of a conversation were left out, because a trajectory holds only one"


def to_trajectory(parsed: Parsed, settings: Settings) -> Converted:
    """The record with its trajectory. One that has a trajectory already is given back unchanged.

    Raises:
        RejectedError: it cannot be converted.
    """
    record = parsed.value
    found = find_history(record, settings)
    if found is None:
        if _has_trajectory(record, settings):
            return Converted(record, Report(UNCHANGED), parsed.non_finite)
        raise RejectedError(
            "has no history of tool calls, or of an RLM, that could be recognised; name its field with "
            "--history-field if it has one"
        )
    events = [restored_event(event) for event in found.events]
    memory = memory_of(found.history, events)
    run = _last_run(record, found, events)
    shape = _shape(settings.kind or memory.kind, run)
    value = shape.write(events if shape.spans_runs else run, memory.layout or {})
    if shape.kind == memory.kind:
        value = mended(value, memory.difference)
    is_whole = shape.spans_runs or not run or run[0] is events[0]
    if memory.text is not None or found.text is not None:
        value = _text(value, memory)
    report = Report(shape.kind, notes=() if is_whole else (OTHER_RUNS,))
    non_finite = parsed.non_finite or found.non_finite or any(map(_has_notes, found.events))
    return Converted(_placed(record, found, memory, value, run, settings), report, non_finite)


def _has_trajectory(record: Any, settings: Settings) -> bool:
    try:
        find_trajectory(record, settings)
    except RejectedError:
        return False
    return True


def _last_run(
    record: Any, found: FoundHistory, events: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    holder = value_at(record, found.path[:-1]) if found.path else {}
    run = run_of({**holder, "history": {"messages": events}})
    return run.events if run is not None else []


def _shape(kind: str, run: Sequence[Mapping[str, Any]]) -> Shape:
    """The shape of that kind; another one if the history has gone on since with another kind of agent."""
    shape = KINDS.get(kind, KINDS["flat"])
    is_repl = bool(run) and is_repl_event(run[0])
    if not run or shape.is_repl == is_repl:
        return shape
    return KINDS["repl" if is_repl else "flat"]


def _text(value: Any, memory: Memory) -> str:
    if memory.exact_text is not None:
        return memory.exact_text
    if isinstance(value, str):
        return value
    return textstyle.in_style(value, memory.text or textstyle.DEFAULT)


def _placed(
    record: Any,
    found: FoundHistory,
    memory: Memory,
    value: Any,
    run: Sequence[Mapping[str, Any]],
    settings: Settings,
) -> Any:
    if not found.path or (memory.field is None and len(record) == 1):
        return value
    if memory.field is None and isinstance(value, dict):
        return _spread(record, found.path[0], value, memory.keys)
    name = memory.field or TRAJECTORY
    if name == TRAJECTORY and settings.trajectory is not None:
        name = settings.trajectory.rpartition(".")[2]
    holder = value_at(record, found.path[:-1])
    if name in holder and name != found.path[-1]:
        raise RejectedError(f"has a field {shown_name(name)} already; choose another one with --trajectory")
    placed = replaced(record, found.path, name, value)
    if _was_converted(found.events):
        return placed
    # A V2 agent's own history: inputs that are nowhere else must not get lost.
    inputs = {
        key: value for event in run[:1] for key, value in _inputs_in(event).items() if key not in holder
    }
    return {**inputs, **placed} if len(found.path) == 1 else placed


def _spread(record: Any, history: str, steps: dict[str, Any], keys: list[str] | None) -> dict[str, Any]:
    """A record that was the trajectory itself, among other fields."""
    spread: dict[str, Any] = {}
    for key, value in record.items():
        spread.update(steps if key == history else {key: value})
    if keys is not None and spread.keys() == set(keys):
        return {key: spread[key] for key in keys}
    return spread


def _was_converted(events: Sequence[Mapping[str, Any]]) -> bool:
    return any(
        EVENT_KEY in event or any(str(call.id).startswith("traj_") for call in calls_of(event))
        for event in events
    )


def _inputs_in(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event's inputs; of an RLM's run of one iteration also the outputs, which the record has."""
    return repl_fields_in(event) if is_repl_event(event) else inputs_in(event)


def _has_notes(event: Mapping[str, Any]) -> bool:
    marker = event.get(EVENT_KEY)
    return isinstance(marker, Mapping) and "values" in marker
