"""Where in a record its trajectory is, or its history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from react_migrate.report.escape import printable
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.fields import FieldPath, path_of, value_at
from react_migrate.stored.jsontext import parse
from react_migrate.stored.settings import REPL_TRAJECTORY, TRAJECTORY, Settings
from react_migrate.stored.shapes import KINDS, Shape, recognised
from react_migrate.stored.shapes.flat import has_tool_names
from react_shims.wire import has_step_keys, is_run_event, messages_of

_DEEPEST = 4  # objects within objects
_LONGEST_NAME = 40
_USUAL_NAMES = (TRAJECTORY, REPL_TRAJECTORY)


class FoundTrajectory(NamedTuple):
    """path: () if the record itself is the trajectory. value: as parsed. text: what it was parsed from."""

    path: FieldPath
    shape: Shape
    value: Any
    text: str | None = None
    non_finite: bool = False


class FoundHistory(NamedTuple):
    """path: () if the record itself is the history. text: what it was parsed from, or None."""

    path: FieldPath
    history: Any
    events: list[Mapping[str, Any]]
    text: str | None = None
    non_finite: bool = False


def find_trajectory(record: Any, settings: Settings) -> FoundTrajectory:
    """The record's trajectory. Raises `RejectedError` if there is none, or no telling which it is."""
    if settings.trajectory is not None:
        path = path_of(record, settings.trajectory)
        if path is None:
            raise RejectedError(f"has no field {shown_name(settings.trajectory)}")
        found = _trajectory_at(record, path, settings)
        if found is None:
            raise RejectedError(
                f"has no trajectory in {shown_name(settings.trajectory)}: {_what(record, path)}"
            )
        return found
    if (itself := _trajectory_at(record, (), settings)) is not None:
        return itself
    named = (_trajectory_at(record, (name,), settings) for name in _USUAL_NAMES if _has(record, name))
    found = next((each for each in named if each is not None), None)
    candidates = [found] if found else list(_search(record, settings))
    if len(candidates) > 1:
        names = ", ".join(shown_name(".".join(found.path)) for found in candidates)
        raise RejectedError(f"has more than one trajectory, in {names}: name one with --trajectory")
    if not candidates:
        raise RejectedError("has no trajectory that could be recognised" + _hint(record))
    return candidates[0]


def find_history(record: Any, settings: Settings) -> FoundHistory | None:
    """The record's history of runs: in the field that the settings name, or the first that has one."""
    path = path_of(record, settings.history_field)
    if path is not None and (named := _history_at(record, path, empty=True)) is not None:
        return named
    return next(
        (
            found
            for path in [(), *_paths(record)]
            if (found := _history_at(record, path, empty=path == ())) is not None
        ),
        None,
    )


def shown_name(name: str) -> str:
    """A field's name for a message: on one line, short, and without anything a terminal obeys."""
    return printable(repr(name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "..."))


def _search(record: Any, settings: Settings) -> Iterator[FoundTrajectory]:
    """Trajectories in the record's fields; those in nested objects only if there is none beside them."""
    refusal: RejectedError | None = None
    by_depth: dict[int, list[FoundTrajectory]] = {}
    for path in _paths(record):
        try:
            found = _trajectory_at(record, path, settings)
        except RejectedError as error:
            refusal = refusal or error
            continue
        if found is not None:
            by_depth.setdefault(len(path), []).append(found)
    if not by_depth and refusal is not None:
        raise refusal
    for depth in sorted(by_depth)[:1]:
        yield from by_depth[depth]


def _paths(record: Any, prefix: FieldPath = ()) -> Iterator[FieldPath]:
    if not isinstance(record, Mapping):
        return
    for key, value in record.items():
        yield (*prefix, key)
        if len(prefix) < _DEEPEST and not has_step_keys({key: value}):
            yield from _paths(value, (*prefix, key))


def _trajectory_at(record: Any, path: FieldPath, settings: Settings) -> FoundTrajectory | None:
    value, text, non_finite = _opened(value_at(record, path))
    shape = KINDS[settings.kind] if settings.kind else recognised(value)
    if settings.kind and not (KINDS[settings.kind].matches(value) or _is_named(path, settings)):
        return None
    if shape is None and _is_named(path, settings):
        if isinstance(value, dict) and _may_be_run(value):
            shape = KINDS["flat"]
        elif value == [] and "final_reasoning" in value_at(
            record, path[:-1]
        ):  # of an RLM, without iterations
            shape = KINDS["repl"]
    return None if shape is None else FoundTrajectory(path, shape, value, text, non_finite)


def _is_named(path: FieldPath, settings: Settings) -> bool:
    return bool(path) and (settings.trajectory is not None or (len(path) == 1 and path[0] in _USUAL_NAMES))


def _has(record: Any, name: str) -> bool:
    return isinstance(record, Mapping) and name in record


def _may_be_run(value: dict[str, Any]) -> bool:
    """Whether a field that is called a trajectory holds one without a tool's name: empty, or cut short."""
    return not value or (has_step_keys(value) and not has_tool_names(value))


def _history_at(record: Any, path: FieldPath, *, empty: bool) -> FoundHistory | None:
    value, text, non_finite = _opened(value_at(record, path))
    if not path and isinstance(value, list):
        return None  # a list of records, not of events
    events = messages_of(value)
    if events is None or not isinstance(value, (dict, list)):
        return None
    if not any(map(is_run_event, events)) and not (empty and not events and isinstance(value, dict)):
        return None
    return FoundHistory(path, value, events, text, non_finite)


def _opened(value: Any) -> tuple[Any, str | None, bool]:
    """A value that is stored as JSON text, the text and whether it is no strict JSON; others as they are."""
    if isinstance(value, str) and value[:200].lstrip()[:1] in ("{", "["):
        try:
            parsed = parse(value)
        except RejectedError:
            return value, None, False
        if isinstance(parsed.value, (dict, list)):
            return parsed.value, value, parsed.non_finite
    return value, None, False


def _what(record: Any, path: FieldPath) -> str:
    value, text, _ = _opened(value_at(record, path))
    if value is None:
        return "it is null"
    if isinstance(value, str):
        return _text_hint(value)
    names: dict[type, str] = {dict: "an object", list: "a list"}
    kind = names.get(type(value), f"a {type(value).__name__}")
    has_code = isinstance(value, list) and all(isinstance(item, dict) and "code" in item for item in value)
    hint = "; if it is an RLM's, say --kind repl" if has_code else ""
    return f"it is {kind}{' in JSON text' if text else ''} in none of the shapes {', '.join(KINDS)}{hint}"


def _hint(record: Any) -> str:
    if isinstance(record, Mapping) and TRAJECTORY in record:
        return f" in its field '{TRAJECTORY}': {_what(record, (TRAJECTORY,))}"
    return "; name its field with --trajectory if it has one"


def _text_hint(text: str) -> str:
    start = text.lstrip()[:12]
    if start.startswith(("{", "[")):
        return "it is text that is neither JSON nor a known form of it (Python's repr of a dict is none)"
    if start.startswith("Prediction("):
        return "it is the repr of a Prediction, which does not say what was in it: store `toDict()` as JSON"
    return "it is plain text"


def fields_named(record: Any, names: Sequence[str]) -> dict[str, FieldPath]:
    """The paths of those fields among `names` that the record has, by the name of the input or output."""
    found = {name: path_of(record, name) for name in names}
    return {path[-1]: path for path in found.values() if path is not None}
