"""Which events of which history an object stands for: the run that a prediction or a history holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from react_shims.wire.events import field_of, messages_of
from react_shims.wire.repl import is_repl_event, is_run_event
from react_shims.wire.repl_runs import repl_trajectory_in
from react_shims.wire.view import end_of_run_with, run_bounds, trajectory_in, without_extractor

# Instance attributes of a prediction. DSPy keeps names with an underscore out of the prediction's fields, so
# keys(), toDict() and == do not see them. They hold plain builtins: unpickling needs nothing of ours.
VIEW = "_react_view"
"""Where a prediction keeps (its history, the view made of it): edits of the view last, as on V1."""
RUN_BOUNDS = "_react_run"
"""Where the shim's own predictions keep the indices (start, end) of their run in `history.messages`."""


class RecordedRun(NamedTuple):
    """The events that one call of an agent, a ReAct or an RLM, added to a history."""

    events: Sequence[Mapping[str, Any]]
    history: Any
    prediction: Any = None  # the DSPy prediction it was found in; it remembers the view

    @property
    def is_repl(self) -> bool:
        """Whether it is the run of an RLM."""
        return bool(self.events) and is_repl_event(self.events[0])

    def trajectory(self) -> Any:
        """The run in V1's shape, an RLM's as its list; of a prediction always the same object, as on V1."""
        if self.prediction is None:
            return self._made()
        attributes = vars(self.prediction)
        known = attributes.get(VIEW)
        if known is None or known[0] is not self.history:
            fresh = (self.history, self._made())
            known = attributes.setdefault(VIEW, fresh)  # atomic: threads that ask at once get one dict
            if known[0] is not self.history:  # the prediction was given another history since
                attributes[VIEW] = known = fresh
        return known[1]

    def _made(self) -> Any:
        return repl_trajectory_in(self.events) if self.is_repl else trajectory_in(self.events)


def run_of(x: Any) -> RecordedRun | None:
    """The last run of a history or of a prediction, live or dumped; None when `x` is neither."""
    events = messages_of(x)
    if events is None:
        return _run_of_prediction(x)
    if any(map(is_run_event, events)) or (not events and _is_empty_history(x)):
        start, end = run_bounds(events)
        return RecordedRun(events[start:end], x)
    return None


def fields_of(x: Any) -> dict[str, Any] | None:
    """The fields of a `dspy.Prediction` (any release, subclasses too); None for other objects."""
    store = getattr(x, "__dict__", {}).get("_store")
    return store if isinstance(store, dict) else None


def parsed(text: Any) -> Any:
    """The dict or list in a JSON text; None for any other text."""
    if text[:100].lstrip()[:1] not in (b"{", b"[", "{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _run_of_prediction(x: Any) -> RecordedRun | None:
    fields = fields_of(x)
    source = x if fields is None else fields
    history = field_of(source, "history")
    events = messages_of(history)
    reason = field_of(source, "termination_reason")
    if events is None or not (isinstance(reason, str) or any(map(is_run_event, events))):
        return None
    reason = reason if isinstance(reason, str) else None
    bounds = _known_bounds(x, events) or run_bounds(events[: end_of_run_with(events, source)], reason)
    run = without_extractor(events[slice(*bounds)], reason)
    return RecordedRun(run, history, None if fields is None else x)


def _known_bounds(x: Any, events: Sequence[Any]) -> tuple[int, int] | None:
    start, end = getattr(x, "__dict__", {}).get(RUN_BOUNDS, (0, -1))
    return (start, end) if 0 <= start <= end <= len(events) else None


def _is_empty_history(x: Any) -> bool:
    """Whether something without a single event is a history all the same."""
    return x.keys() == {"messages"} if isinstance(x, Mapping) else is_dspy_history(x)


def is_dspy_history(x: Any) -> bool:
    """Whether `x` is a `dspy.History`, told without importing dspy."""
    return any(c.__name__ == "History" and c.__module__.startswith("dspy.") for c in type(x).__mro__)
