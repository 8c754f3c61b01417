"""What a rewritten value lacks to be the one that was read: small where little is lacking.

A list is compared item by item, an object in it key by key; the order of an object's keys counts.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from react_migrate.stored.jsontext import dump

Difference: TypeAlias = "dict[str, Any]"


def difference(original: Any, rewritten: Any) -> Difference | None:
    """What `mended(rewritten, ...)` needs to give `original`; None if nothing. JSON-ready data."""
    if _alike(original, rewritten):
        return None
    both_lists = isinstance(original, list) and isinstance(rewritten, list)
    if not both_lists or len(original) != len(rewritten):
        return {"whole": original}
    pairs = enumerate(zip(original, rewritten, strict=True))
    return {"items": {str(at): _item(one, other) for at, (one, other) in pairs if not _alike(one, other)}}


def mended(rewritten: Any, lacking: Any) -> Any:
    """The original of a rewritten value. What does not fit, because the history was edited, is left out."""
    if not isinstance(lacking, dict):
        return rewritten
    if "whole" in lacking:
        return lacking["whole"]
    items = lacking.get("items")
    if not isinstance(rewritten, list) or not isinstance(items, dict):
        return rewritten
    return [_mended_item(item, items.get(str(at))) for at, item in enumerate(rewritten)]


def _item(original: Any, rewritten: Any) -> Difference:
    if not isinstance(original, dict) or not isinstance(rewritten, dict):
        return {"item": original}
    others = {
        key: value
        for key, value in original.items()
        if key not in rewritten or not _alike(value, rewritten[key])
    }
    return (
        {"values": others, "keys": list(original)}
        if list(original) != list(rewritten)
        else {"values": others}
    )


def _mended_item(item: Any, lacking: Any) -> Any:
    if not isinstance(lacking, dict):
        return item
    values = lacking.get("values")
    if not isinstance(values, dict) or not isinstance(item, dict):
        return lacking.get("item", item)
    merged = {**item, **values}
    return {key: merged[key] for key in lacking.get("keys", merged) if key in merged}


def _alike(one: Any, other: Any) -> bool:
    """Equal, with keys in the same order and `1`, `1.0` and `true` told apart."""
    return bool(one == other) and dump(one) == dump(other)
