"""Reading the run of an RLM as its list of entries, whatever holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react_shims.recorded import parsed, run_of
from react_shims.stored_trajectory import stored_repl_trajectory, stored_trajectory
from react_shims.wire.events import messages_of
from react_shims.wire.repl import ENTRY_FIELDS
from react_shims.wire.repl_runs import is_repl_trajectory, repl_trajectory_in
from react_shims.wire.repl_text import entries_in_text, looks_like_repl_text

_NOT_GIVEN: Any = object()
_NOTHING: Any = object()


def repl_trajectory_of(x: Any, default: Any = _NOT_GIVEN) -> Any:
    """The run of an RLM as a list of `{"reasoning", "code", "output"}`, on every DSPy.

    In this order:

    1. What is stored, as is, the very same object: a list `x.repl_trajectory` (of DSPy 3.5), then
       `x.trajectory` (up to 3.4), or the fields of these names in a mapping; or `x` itself if it is such a
       list. A property that derives the trajectory of a history is not asked, so nothing warns.
    2. Of a prediction with a history, a `dspy.History` or their dumps (dict, list of events, JSON text): the
       entries of the last run in the history. A prediction's list is made once: edits of it last. Of a
       `REPLHistory` or its text: its entries; of a long output the text has the beginning and the end.
    3. `default`, if given.

    The run of a ReAct is never shown as a list. Its history is none of an RLM's: `trajectory_of` reads it.
    But what really is called `.trajectory` comes back whatever it is, V1's dict too: at a place that was
    taken for an RLM's by mistake all stays as it was.

    Raises:
        AttributeError: the object's own, as `x.trajectory` raises it.
    """
    try:
        return _stored(x)
    except AttributeError as error:
        missing = error
    found = _derived(x)
    if found is not _NOTHING:
        return found
    if default is not _NOT_GIVEN:
        return default
    raise missing


def repl_entries_of(x: Any) -> list[Any] | None:
    """The entries in what an RLM may call its trajectory: a list, a `REPLHistory` or its text; else None."""
    if isinstance(x, list):
        return x
    if _is_repl_history(x):
        return [{name: getattr(entry, name) for name in ENTRY_FIELDS} for entry in x.entries]
    entries = entries_in_text(x) if looks_like_repl_text(x) else None
    if entries is None:
        return None
    return [{name: getattr(entry, name) for name in ENTRY_FIELDS} for entry in entries]


def _stored(x: Any) -> Any:
    if is_repl_trajectory(x):
        return x
    stored = stored_repl_trajectory(x)
    return stored_trajectory(x) if stored is None else stored


def _derived(x: Any) -> Any:
    if not isinstance(x, list) and (entries := repl_entries_of(x)) is not None:
        return entries
    source = x
    if isinstance(x, (str, bytes, bytearray)):
        source = parsed(x)
        if isinstance(source, (dict, list)):
            try:
                return _stored(source)
            except AttributeError:
                pass  # the text's own error is the one to raise
    run = run_of(source)
    if run is not None and run.is_repl:
        return run.trajectory()
    if run is not None and messages_of(source) == []:
        return repl_trajectory_in([])
    return _NOTHING


def _is_repl_history(x: Any) -> bool:
    """Whether `x` is a `REPLHistory`, told without importing dspy."""
    if isinstance(x, (Mapping, type)):
        return False
    return any(c.__name__ == "REPLHistory" and c.__module__.startswith("dspy.") for c in type(x).__mro__)
