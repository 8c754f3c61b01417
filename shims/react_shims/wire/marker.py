"""What a converted event remembers about its V1 step when the event itself cannot express it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

# The one key under which an event carries the marker. DSPy's adapters ignore it (measured on 3.3.0 - 3.4.1),
# as long as its value has no "tool_calls" key of its own.
EVENT_KEY = "react_migrate"


class Marker(NamedTuple):
    """The marker of one event, as stored: a dict with those of these keys that differ from the default."""

    number: int = 0  # number of the step, when it is not simply the next one
    finish: bool = False  # the event's `submit` was V1's `finish`
    own_submit: bool = False  # the call named `submit` is a tool of the user's
    forced: bool = False  # the event stands for V1's extractor: outputs without a step
    no_steps: bool = False  # the event of a run that had no step
    step: Mapping[str, Any] = {}  # V1 field -> its value, where the event shows another one
    missing: tuple[str, ...] = ()  # V1 fields that the step did not have
    extra: Mapping[str, Any] = {}  # on a run's last event: the trajectory's foreign keys
    keys: tuple[str, ...] = ()  # on a run's last event: the order of all keys, if not V1's own


NO_MARKER = Marker()
_DEFAULT_VALUES = NO_MARKER._asdict()


def marker_of(event: Mapping[str, Any]) -> Marker:
    """The event's marker; `NO_MARKER` for an event that DSPy wrote itself.

    Stored data may be damaged: an entry of the wrong type counts as absent.
    """
    stored = event.get(EVENT_KEY)
    if stored is None or not isinstance(stored, Mapping):
        return NO_MARKER
    found: dict[str, Any] = {}
    for name, default in _DEFAULT_VALUES.items():
        value = stored.get(name, default)
        if isinstance(default, tuple):
            if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
                found[name] = tuple(value)
        elif isinstance(value, Mapping if isinstance(default, Mapping) else type(default)):
            found[name] = value
    return Marker(**found)
