"""Which values a dumped history holds for those that JSON cannot carry, and how they come back.

- str, int, bool, None, finite floats, lists and dicts of them with str keys: as they are. A str subclass (a
  str enum's member) becomes a str.
- NaN and infinities: null, with a note that brings them back as floats.
- Everything else: what DSPy makes of it for the model. Models, dataclasses, tuples, sets, enums' values,
  dicts with other keys become the JSON that the model sees. Dates, decimals, paths, bytes, images,
  exceptions, DSPy predictions, opaque objects, un-awaited coroutines become the *text* that it sees; a note
  names the type and brings back a stand-in that reads to the model as the original did.
- Arrays, tensors and frames (whatever has `tolist()`) also leave their data in a note: a long array's text is
  abridged.

Notes are kept in the event, under `react_migrate` / `values`; where a value stands in the event is its path.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from react_shims.wire.marker import EVENT_KEY

Path: TypeAlias = tuple["str | int", ...]
Note: TypeAlias = "dict[str, Any]"


class _NotJsonError(Exception):
    """A value that is not exactly what `json.loads` could have returned."""


def to_json(value: Any, path: Path, notes: list[Note], *, exact: bool = False) -> Any:
    """The JSON-ready form of a value at `path`; notes on what it does not say are added to `notes`.

    With `exact` a value that becomes a text gets a stand-in on reload. It is meant for tool results, which
    DSPy shows differently when they are a str; for inputs and outputs it makes no difference.
    """
    found: list[Note] = []
    try:
        result = _json_tree(value, path, found)
    except _NotJsonError:
        found = [{"at": [*path, *inner], **array} for inner, array in _arrays(value)]
        result = _rendered(value, path, found, exact=exact)
    except RecursionError:  # it is nested in itself
        found = []
        result = _rendered(value, path, found, exact=exact)
    notes.extend(found)
    return result


def restored(event: dict[str, Any], notes: Any) -> tuple[dict[str, Any], list[Note]]:
    """The event with the values that the notes bring back, and the notes that only tell something.

    The event itself is not changed. A note that does not fit (the event was edited since) is passed over.
    """
    informative: list[Note] = []
    for note in notes if isinstance(notes, list) else []:
        path = note.get("at") if isinstance(note, dict) else None
        if not isinstance(path, list) or path in ([], [EVENT_KEY]):
            continue
        if "data" in note:
            informative.append(note)
        else:
            event = _changed_at(event, path, partial(_restored_value, note))
    return event, informative


def _restored_value(note: Note, shown: Any) -> Any:
    if note.get("float") in ("nan", "inf", "-inf"):
        return float(note["float"])
    if "type" in note:
        from react_shims.standin import of_note

        return of_note(note, shown)
    return shown


def _json_tree(value: Any, path: Path, notes: list[Note]) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        if not math.isfinite(value):
            notes.append({"at": list(path), "float": str(value)})
            return None
        return value
    if kind is list:
        return [_json_tree(item, (*path, position), notes) for position, item in enumerate(value)]
    if kind is dict and all(type(key) is str for key in value):
        return {key: _json_tree(item, (*path, key), notes) for key, item in value.items()}
    raise _NotJsonError


def _rendered(value: Any, path: Path, notes: list[Note], *, exact: bool) -> Any:
    """What DSPy shows for a value that is not JSON."""
    if getattr(type(value), "is_stand_in", False):
        notes.append({"at": list(path), **value.note()})
        return value.shown
    if isinstance(value, str):
        return str.__str__(value)  # the text itself: str() of an enum's member is its name
    native = _finite(_serialize_for_json(value))
    if not exact:
        return native
    stand_in = _stand_in(value, native)
    if stand_in is None:
        return native
    notes.append({"at": list(path), **stand_in.note()})
    return stand_in.shown


def _stand_in(value: Any, native: Any) -> Any:
    """What reads as `value` does, where the JSON `native`, which DSPy makes of it on its own, would not."""
    from react_shims.standin import FailingStandIn, OpaqueStandIn, StandIn

    name = _type_name(value)
    shown, failed = _inside_others(value)
    if not failed:
        return StandIn(name, shown, native) if isinstance(native, str) or native != shown else None
    if not isinstance(native, str):
        return None  # only something in it is opaque, and `native` has the text of that
    _, failed = _inside_others(value, fallback=str)
    return (FailingStandIn if failed else OpaqueStandIn)(name, native, repr(value))


def _serialize_for_json(value: Any) -> Any:
    from dspy.adapters.utils import (  # type: ignore[import-not-found,unused-ignore]
        serialize_for_json,
    )

    return serialize_for_json(value)


def _inside_others(value: Any, **options: Any) -> tuple[Any, bool]:
    """What pydantic makes of a value that stands in another one, and whether it fails at it."""
    import pydantic  # type: ignore[import-not-found,unused-ignore]

    try:
        return _finite(pydantic.TypeAdapter(Any).dump_python(value, mode="json", **options)), False
    except Exception:  # pydantic's, or whatever a user's serializer raises: DSPy catches all of them, too
        return None, True


def _finite(tree: Any) -> Any:
    """Pydantic's JSON-ready tree with null for NaN and infinities, which it leaves in places."""
    if isinstance(tree, float) and not math.isfinite(tree):
        return None
    if isinstance(tree, dict):
        return {str(key): _finite(item) for key, item in tree.items()}
    return [_finite(item) for item in tree] if isinstance(tree, list) else tree


def _arrays(value: Any) -> Iterator[tuple[Path, Note]]:
    """The data of arrays in a value that is not JSON: where in it they are, and what they hold."""
    inner: Iterable[tuple[str | int, Any]]
    if isinstance(value, Mapping):
        inner = ((str(key), item) for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        inner = enumerate(value)
    elif isinstance(data := _listed(value), list):
        notes: list[Note] = []
        note: Note = {"type": _type_name(value), "data": to_json(data, ("data",), notes)}
        yield (), {**note, "values": notes} if notes else note
        return
    else:
        return
    for key, item in inner:
        for path, note in _arrays(item):
            yield (key, *path), note


def _listed(value: Any) -> Any:
    """`value.tolist()`, as arrays of numpy, torch, pandas and the standard library have it; else None."""
    to_list = getattr(value, "tolist", None)
    if isinstance(value, type) or not callable(to_list):
        return None
    try:
        return to_list()
    except Exception:  # somebody's method of the same name: the data is an extra, the text is there
        return None


def _type_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _changed_at(tree: Any, path: list[Any], change: Callable[[Any], Any]) -> Any:
    """The tree with one value changed, copied as far as needed; unchanged if the path leads nowhere."""
    if not path:
        return change(tree)
    key, rest = path[0], path[1:]
    if isinstance(tree, dict) and isinstance(key, str) and key in tree:
        return {**tree, key: _changed_at(tree[key], rest, change)}
    if isinstance(tree, list) and type(key) is int and 0 <= key < len(tree):
        return [*tree[:key], _changed_at(tree[key], rest, change), *tree[key + 1 :]]
    return tree
