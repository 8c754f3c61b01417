"""JSON that is stored as text inside of JSON, or of a cell: which of the usual ways it was written in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.jsontext import dump

DEFAULT = "python"

_STYLES: dict[str, Callable[[Any], str]] = {
    DEFAULT: json.dumps,
    "python-utf8": lambda value: json.dumps(value, ensure_ascii=False),
    "compact": lambda value: dump(value).decode(),
    "compact-ascii": lambda value: json.dumps(value, separators=(",", ":")),
    "indented": lambda value: json.dumps(value, indent=2),
}


def style_of(text: str, value: Any) -> str | None:
    """The style in which `value` is written as exactly `text`; None if there is none."""
    return next((style for style in _STYLES if _written(value, style) == text), None)


def in_style(value: Any, style: str) -> str:
    """A value as text. Unknown styles are written as Python does by default."""
    return _STYLES.get(style, json.dumps)(value)


def _written(value: Any, style: str) -> str | None:
    try:
        return _STYLES[style](value)
    except (ValueError, RecursionError, RejectedError):
        return None
