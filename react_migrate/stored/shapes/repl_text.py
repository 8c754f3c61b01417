"""The text of a `REPLHistory`, as DSPy 3.2 to 3.4 dumps it and shows it to an RLM's model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.run import Event, Layout, Names, Reading, Shape, StoredReplRun
from react_shims.wire import repl_trajectory_in
from react_shims.wire.repl import ENTRY_FIELDS
from react_shims.wire.repl_text import entries_in_text, looks_like_repl_text, text_of_entries


def _read(value: Any, names: Names) -> Reading:
    shown = entries_in_text(value) if isinstance(value, str) else None
    if shown is None:
        raise RejectedError(
            "has no text of a REPLHistory in full: it is another one, or was cut off or edited since DSPy "
            "wrote it"
        )
    entries = [{name: getattr(entry, name) for name in ENTRY_FIELDS} for entry in shown]
    lengths = {str(at): each.length for at, each in enumerate(shown) if each.length != len(each.output)}
    return Reading([StoredReplRun(entries)], {"lengths": lengths} if lengths else {})


def _write(events: Sequence[Event], layout: Layout) -> Any:
    stored = layout.get("lengths")
    lengths = {
        int(at): length
        for at, length in (stored if isinstance(stored, dict) else {}).items()
        if at.isdecimal() and len(at) < 10 and isinstance(length, int)
    }
    return text_of_entries([_as_texts(entry) for entry in repl_trajectory_in(events)], lengths)


def _as_texts(entry: dict[str, Any]) -> dict[str, str]:
    return {name: str(entry.get(name, "")) for name in ENTRY_FIELDS}


SHAPE = Shape("repl-text", looks_like_repl_text, _read, _write, is_repl=True)
