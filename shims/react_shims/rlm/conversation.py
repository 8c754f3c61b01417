"""The history that a run works on: its own, made of what the call was given."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from react_shims.history import load_history
from react_shims.rlm.entries import with_live_entry
from react_shims.rlm.installed import dspy

logger = logging.getLogger(__name__)

HistoryProcessor: TypeAlias = Callable[[Any], Any]
"""Takes a `dspy.History`, returns one, or None when it edited the one it was given."""


def own_history(given: Any) -> Any:
    """A `dspy.History` of its own, with live entries, from what a call was given as `history=`.

    That is None, a `dspy.History`, or a dump of one: a dict, a list of events, JSON text. It is not changed,
    neither now nor by a run that goes on from here; values in the events are shared.

    Raises ValueError for anything else.
    """
    if given is None:
        return dspy.History(messages=[])
    try:
        return load_history(given)
    except ValueError as error:
        raise ValueError(f"RLM cannot go on from what it was given as history=: {error}") from error


def processed(history: Any, processor: HistoryProcessor) -> Any:
    """What the processor makes of the history, a new one; `history` itself when the processor fails.

    It works on a copy that it may edit, returning None, and what it returns is copied too, so that it may
    keep a reference and go on editing. A failure is logged, and the run goes on without
    (stanfordnlp/dspy#10387).
    """
    private = _private(history.messages)
    try:
        returned = processor(private)
        if returned is None:
            returned = private
        if not isinstance(returned, dspy.History):
            raise TypeError(
                f"a history_processor returns a dspy.History or None, not {type(returned).__name__}"
            )
    except Exception:  # whatever a user's function raises: it is logged, and must not end the run
        logger.warning("history_processor failed; the run goes on with the history as it was.", exc_info=True)
        return history
    return _private([with_live_entry(event) for event in returned.messages])


def _private(events: Sequence[Mapping[str, Any]]) -> Any:
    return dspy.History(
        messages=[{name: _copied(value) for name, value in event.items()} for event in events]
    )


def _copied(value: Any) -> Any:
    """A deep copy of a value; the value itself where that is impossible, as of an open file or a lock."""
    try:
        return copy.deepcopy(value)
    except Exception:  # whatever a user's type raises: such a value is shared, as it is with the REPL
        return value
