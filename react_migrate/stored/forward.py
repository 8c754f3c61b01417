"""A record's trajectory becomes a history in its place; every other field stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from react_migrate.stored import nonfinite, textstyle
from react_migrate.stored.difference import difference
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.events import events_of
from react_migrate.stored.fields import FieldPath, replaced, value_at
from react_migrate.stored.find import FoundTrajectory, fields_named, find_history, find_trajectory, shown_name
from react_migrate.stored.guess import Guess, guess
from react_migrate.stored.guess_repl import guess_repl
from react_migrate.stored.jsontext import Parsed
from react_migrate.stored.memory import Memory, history_with
from react_migrate.stored.report import UNCHANGED, Converted, Report
from react_migrate.stored.settings import REPL_TRAJECTORY, Settings
from react_migrate.stored.shapes import Names, StoredReplRun, StoredRun
from react_shims.wire import content_digest, group_steps

_QUESTION, _ANSWER = "question", "answer"  # of chat messages, whose contents have no names


class _Slot(NamedTuple):
    """A record in which the field at `path` is to become the history, and the trajectory to put there."""

    record: dict[str, Any]
    path: FieldPath
    trajectory: Any
    keys: list[str] | None = None  # of a record that was the trajectory itself: see `Memory`


class _Fields(NamedTuple):
    """Values of inputs and outputs, and what to report of them."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]
    guessed: tuple[str, ...]
    missing: tuple[str, ...]


def to_history(parsed: Parsed, settings: Settings, digest: str | None = None) -> Converted:
    """The converted record. `digest` distinguishes the run's ids; by default the trajectory's content does.

    A record that has a history of tool calls, or of an RLM, already is given back unchanged.

    Raises:
        RejectedError: it cannot be converted.
    """
    found = _found(parsed, settings)
    if found is None:
        return Converted(parsed.value, Report(UNCHANGED), parsed.non_finite)
    slot = _slot(parsed.value, found, settings)
    reading = found.shape.read(slot.trajectory, _names(settings))
    fields = _fields(slot, reading.runs, settings)
    digest = digest or content_digest(slot.trajectory)
    beside = value_at(slot.record, slot.path[:-1])
    events = _events(reading.runs, fields, digest, beside)
    kind = found.shape.kind
    lacking = None
    if not found.shape.is_exact:
        lacking = difference(slot.trajectory, found.shape.write(events, reading.layout))
    style = None if found.text is None else textstyle.style_of(found.text, found.value)
    memory = Memory(
        field=found.path[-1] if found.path else None,
        kind=kind,
        layout=reading.layout or None,
        text=None if found.text is None else style or textstyle.DEFAULT,
        exact_text=found.text if style is None else None,
        keys=slot.keys,
        difference=lacking,
    )
    history: Any = history_with(events, memory)
    if parsed.non_finite or found.non_finite:
        history = nonfinite.noted(history)
    if memory.text is not None:
        history = textstyle.in_style(history, memory.text)
    record = replaced(slot.record, slot.path, settings.history_field, history)
    return Converted(record, _report(kind, reading.runs, fields), parsed.non_finite)


def _found(parsed: Parsed, settings: Settings) -> FoundTrajectory | None:
    """The record's trajectory; None if it has a history already, and at most what is derived from it."""
    try:
        found = find_trajectory(parsed.value, settings)
    except RejectedError:
        if settings.trajectory is None and find_history(parsed.value, settings) is not None:
            return None
        raise
    is_derived = settings.trajectory is None and found.path[-1:] == (REPL_TRAJECTORY,)
    return None if is_derived and find_history(parsed.value, settings) is not None else found


def _slot(record: Any, found: FoundTrajectory, settings: Settings) -> _Slot:
    name = settings.history_field
    if found.path:
        holder = value_at(record, found.path[:-1])
        if name in holder and name != found.path[-1]:
            raise RejectedError(
                f"has a field {shown_name(name)} already; choose another one with --history-field"
            )
        return _Slot(record, found.path, found.value)
    if not isinstance(record, dict):
        return _Slot({name: None}, (name,), found.value)
    _, others = group_steps(record)
    if name in others:
        raise RejectedError(
            f"has a field {shown_name(name)} already; choose another one with --history-field"
        )
    steps = {key: value for key, value in record.items() if key not in others}
    keys = list(record)
    first = keys.index(next(iter(steps)))
    before = {key: record[key] for key in keys[:first]}
    after = {key: others[key] for key in keys[first:] if key in others}
    in_one_piece = keys == [*before, *steps, *after]
    return _Slot({**before, name: None, **after}, (name,), steps, None if in_one_piece else keys)


def _names(settings: Settings) -> Names:
    return Names(
        settings.inputs[0] if settings.inputs else _QUESTION,
        settings.outputs[0] if settings.outputs else _ANSWER,
    )


def _fields(slot: _Slot, runs: Sequence[StoredRun | StoredReplRun], settings: Settings) -> _Fields:
    guessed: list[str] = []
    is_asked = settings.inputs is not None and settings.outputs is not None
    likely = Guess({}, {}) if is_asked else _guess(slot, runs)
    found: list[dict[str, FieldPath]] = []
    missing: list[str] = []
    for role, asked, paths in (
        ("inputs", settings.inputs, likely.inputs),
        ("outputs", settings.outputs, likely.outputs),
    ):
        if asked is None:
            found.append(dict(paths))
            guessed.append(role)
        else:
            found.append(fields_named(slot.record, asked))
            missing += [name for name in asked if not fields_named(slot.record, [name])]
    values = [{name: value_at(slot.record, path) for name, path in paths.items()} for paths in found]
    inputs, outputs = ({name: value for name, value in each.items() if value is not None} for each in values)
    return _Fields(inputs, outputs, tuple(guessed), tuple(missing))


def _guess(slot: _Slot, runs: Sequence[StoredRun | StoredReplRun]) -> Guess:
    run = runs[0] if runs else None
    if isinstance(run, StoredReplRun):
        return guess_repl(slot.record, slot.path, run.entries)
    return guess(slot.record, slot.path)


def _events(
    runs: Sequence[StoredRun | StoredReplRun], fields: _Fields, digest: str, beside: Mapping[str, Any]
) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for number, run in enumerate(runs):
        inputs: Mapping[str, Any] | None = run.inputs
        outputs: Mapping[str, Any] | None = run.outputs
        if inputs is None and number == 0:
            inputs = fields.inputs
        if outputs is None and number == len(runs) - 1:
            outputs = fields.outputs or None
        # Two runs of one conversation must not share ids, even if they are the same run twice.
        events += events_of(run, inputs, outputs, f"{digest[:12]}{number:04x}" if number else digest, beside)
    return events


def _report(kind: str, runs: Sequence[StoredRun | StoredReplRun], fields: _Fields) -> Report:
    inputs: Mapping[str, Any] = next((run.inputs for run in runs if run.inputs is not None), fields.inputs)
    outputs: Mapping[str, Any] = next(
        (run.outputs for run in runs if run.outputs is not None), fields.outputs
    )
    return Report(kind, tuple(inputs), tuple(outputs), fields.guessed, fields.missing)
