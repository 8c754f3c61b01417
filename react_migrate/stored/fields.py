"""Fields of a record, also nested ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

FieldPath: TypeAlias = "tuple[str, ...]"


def path_of(record: Any, name: str) -> FieldPath | None:
    """Where the field `name` is: a key of its own, or a path of keys with dots between them."""
    if not isinstance(record, Mapping):
        return None
    if name in record:
        return (name,)
    path = tuple(name.split("."))
    value: Any = record
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return path


def value_at(record: Any, path: FieldPath) -> Any:
    """The value at a path that exists; the record itself at the empty path."""
    for key in path:
        record = record[key]
    return record


def replaced(record: dict[str, Any], path: FieldPath, name: str, value: Any) -> dict[str, Any]:
    """The record with another name and value in place of the field at `path`; nothing given is changed."""
    key, rest = path[0], path[1:]
    if rest:
        return {**record, key: replaced(record[key], rest, name, value)}
    return {name if each == key else each: value if each == key else record[each] for each in record}
