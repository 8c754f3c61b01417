"""A short name for a run's content, for ids that are the same whenever and wherever it is converted."""

from __future__ import annotations

import json
import marshal
from typing import Any


def content_digest(*contents: Any) -> str:
    """16 hex digits that depend on the contents alone: the same in every process and on every platform."""
    import hashlib  # only here: it is slow to import, and most programs only read

    try:
        data = marshal.dumps(contents, 0)  # format 0 is the plain one: no references, no interning
    except ValueError:  # objects that are not plain data
        data = _described(contents).encode(errors="surrogatepass")
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()[:16]


def _described(contents: Any) -> str:
    """Text for objects that are not plain data: the kind of each, because a repr may hold an address."""
    try:
        return json.dumps(contents, default=lambda value: type(value).__qualname__, skipkeys=True)
    except (ValueError, RecursionError):  # circular, or nested too deep
        return " ".join(
            f"{key} {value if isinstance(value, str) else ''}" for key, value in contents[0].items()
        )
