"""An RLM's whole run: from its trajectory, a list of entries, to the events of a history, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from react_shims.wire.events import same
from react_shims.wire.marker import EVENT_KEY
from react_shims.wire.repl import (
    ENTRY_FIELDS,
    ITERATION,
    REPL_ENTRY,
    REPL_KEYS,
    VARIABLES_INFO,
    ReplMarker,
    entry_of,
    extract_marker,
    is_extract_event,
    is_repl_event,
    repl_marker_of,
    tagged_entry,
    text_of,
    with_repl_marker,
)

EXTRACTED = "Extract forced final output"  # the `final_reasoning` of DSPy 3.2 to 3.4 after the fallback
FINAL = "FINAL: {"  # what the output begins with where the code called SUBMIT, with a dict of the outputs

_RESERVED = REPL_KEYS | {EVENT_KEY}
_ITERATION = re.compile(r"([1-9][0-9]{0,8})/[0-9]{1,9}\Z")


def to_repl_events(
    trajectory: Sequence[Mapping[str, Any]],
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    *,
    final_reasoning: Any = None,
    variables_info: Any = None,
    max_iters: int | None = None,
) -> list[dict[str, Any]]:
    """The history events of an RLM's run, with entries as tagged dicts. `repl_trajectory_in` is the way back.

    Every entry becomes one event. Outputs stand in the last one; in an event of their own after the extract
    fallback, which `final_reasoning` (as DSPy's prediction has it) tells. If that is unknown, a run whose
    last entry called SUBMIT is taken for one that ended so, any other run with outputs for one that did not.

    `iteration` is written where the limit is known: it is given, or the fallback tells that it was reached.
    `variables_info` is written if it is given. What an event cannot express stays in it under the key
    `react_migrate` (see `ReplMarker`). Values are shared, not copied; nothing given is changed.

    Raises:
        ValueError: an input or output has a name that an event needs itself, or is both.
        TypeError: an entry is no dict with str keys and some code.
    """
    inputs, outputs = dict(inputs or {}), dict(outputs or {})
    _check_names(inputs, outputs)
    is_extracted = bool(outputs) and not _ended_by_submit(trajectory, final_reasoning)
    limit = max_iters or (len(trajectory) if is_extracted else 0)
    known = {} if variables_info is None else {VARIABLES_INFO: variables_info}
    events: list[dict[str, Any]] = []
    for position, entry in enumerate(trajectory):
        event, marker = _event_of(entry, position)
        iteration = {ITERATION: f"{position + 1}/{limit}"} if limit > position else {}
        events.append(with_repl_marker({**known, **iteration, **event}, marker))
    if is_extracted:
        events.append({REPL_ENTRY: extract_marker()})
    if not events and inputs:
        events.append(with_repl_marker({}, ReplMarker(empty=True)))
    if events:
        events[0] = _marked_as_start({**inputs, **events[0]})
        marker = events[-1].pop(EVENT_KEY, None)
        events[-1] = {**events[-1], **outputs, **({} if marker is None else {EVENT_KEY: marker})}
    return events


def repl_trajectory_in(run: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The trajectory of one run's events: an entry per iteration, as the run had it."""
    trajectory = []
    for event in run:
        entry = entry_of(event)
        if entry is None:
            continue
        marker = repl_marker_of(event)
        entry.update(marker.values)
        trajectory.append({key: entry[key] for key in marker.keys or entry if key in entry})
    return trajectory


def starts_repl_run(events: Sequence[Mapping[str, Any]], position: int) -> bool:
    """Whether the RLM's event at `position` is the first of its run.

    DSPy counts the iterations of a run, and the conversion marks where one starts. Without either, in events
    written by hand, a run starts behind an event that has outputs and whose code called SUBMIT.
    """
    if position == 0 or not is_repl_event(events[position - 1]):
        return True
    event, before = events[position], events[position - 1]
    if repl_marker_of(event).start or is_extract_event(before):
        return True
    if is_extract_event(event):
        return False
    number, earlier = _iteration(event), _iteration(before)
    if number is not None:
        return number == 1 or (earlier is not None and number <= earlier)
    if repl_marker_of(before).start or not (repl_fields_in(event) and repl_fields_in(before)):
        return False
    entry = entry_of(before)
    return entry is not None and entry["output"].startswith(FINAL)


def repl_fields_in(event: Mapping[str, Any]) -> dict[str, Any]:
    """The signature's inputs and outputs that an RLM's event carries; one cannot be told from the other."""
    return {name: value for name, value in event.items() if name not in _RESERVED}


def is_repl_trajectory(x: Any) -> bool:
    """Whether `x` is what an RLM calls its trajectory: a list of entries, dicts with code and its output."""
    return isinstance(x, list) and all(
        isinstance(entry, Mapping)
        and isinstance(entry.get("code"), str)
        and "output" in entry
        and not is_repl_event(entry)  # inputs and outputs may be called so
        for entry in x
    )


def _event_of(entry: Any, position: int) -> tuple[dict[str, Any], ReplMarker]:
    if not isinstance(entry, Mapping) or "code" not in entry:
        found = f"a {type(entry).__name__}" if not isinstance(entry, Mapping) else "a dict without 'code'"
        raise TypeError(
            f"entry {position} of the RLM's trajectory is {found}; expected a dict with 'reasoning', 'code' "
            "and 'output'"
        )
    if not all(isinstance(key, str) for key in entry):
        raise TypeError(f"entry {position} of the RLM's trajectory has a key that is no str")
    shown = tagged_entry(*(text_of(entry.get(name)) for name in ENTRY_FIELDS))
    others = {
        name: value
        for name, value in entry.items()
        if name not in ENTRY_FIELDS or not same(value, shown[name])  # a `dspy.Reasoning` equals its text
    }
    keys = () if tuple(entry) == ENTRY_FIELDS else tuple(entry)
    return {REPL_ENTRY: shown}, ReplMarker(values=others, keys=keys)


def _marked_as_start(event: dict[str, Any]) -> dict[str, Any]:
    return with_repl_marker(event, repl_marker_of(event)._replace(start=True))


def _ended_by_submit(trajectory: Sequence[Mapping[str, Any]], final_reasoning: Any) -> bool:
    if not trajectory:
        return False
    if isinstance(final_reasoning, str):
        return final_reasoning != EXTRACTED
    output = trajectory[-1].get("output") if isinstance(trajectory[-1], Mapping) else None
    return isinstance(output, str) and output.startswith(FINAL)


def _iteration(event: Mapping[str, Any]) -> int | None:
    iteration = event.get(ITERATION)
    match = _ITERATION.match(iteration) if isinstance(iteration, str) else None
    return int(match[1]) if match else None


def _check_names(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    for kind, names in (("input", inputs), ("output", outputs)):
        for name in sorted(_RESERVED.intersection(names)):
            raise ValueError(
                f"an {kind} named {name!r} cannot be stored: a history event of an RLM uses that key itself"
            )
    both = ", ".join(sorted(map(repr, inputs.keys() & outputs.keys())))
    if both:
        raise ValueError(f"{both} cannot be both an input and an output of one run")
