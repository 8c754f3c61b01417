"""An RLM's own shape: a list of iterations of its REPL, each with the reasoning, the code and its output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.run import Event, Layout, Names, Reading, Shape, StoredReplRun
from react_shims.wire import repl_trajectory_in
from react_shims.wire.repl import ENTRY_FIELDS


def _matches(value: Any) -> bool:
    """Whether it is what DSPy writes: code with its output alone may be anybody's."""
    return isinstance(value, list) and bool(value) and all(map(_is_entry, value))


def _is_entry(item: Any) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(name), str) for name in ENTRY_FIELDS)


def _read(value: Any, names: Names) -> Reading:
    if not (isinstance(value, list) and all(isinstance(item, dict) and "code" in item for item in value)):
        raise RejectedError("is no trajectory of an RLM: a list of objects that have 'code'")
    return Reading([StoredReplRun(value)], {})


def _write(events: Sequence[Event], layout: Layout) -> Any:
    return repl_trajectory_in(events)


SHAPE = Shape("repl", _matches, _read, _write, is_exact=True, is_repl=True)
