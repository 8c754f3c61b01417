"""The trajectories that V1 returns by itself, converted at a fraction of the usual cost.

Stored runs come in millions, and nearly all of them are regular: steps from 0 on without a gap, each with its
four fields in order, nothing else, values of the usual types. The result is the same as on the usual way.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from react_shims.wire.events import SUBMIT
from react_shims.wire.flat import ERROR_TEXTS, STEP_FIELDS, is_failure
from react_shims.wire.marker import EVENT_KEY

_MOST_STEPS = 64  # V1 allows 20 by default; every number of steps costs a little memory here

_ID_ENDINGS = tuple(f"_{number}_0" for number in range(_MOST_STEPS))

_keys_by_count: dict[int, tuple[str, ...]] = {}


def events_of_regular(trajectory: Mapping[str, Any], prefix: str) -> list[dict[str, Any]] | None:
    """One event per step, ids beginning with `prefix`; None for a trajectory that is not regular.

    A closing `finish` is an event like the others.
    """
    if not _has_regular_keys(trajectory):
        return None
    values = list(trajectory.values())
    thoughts, names, all_args, observations = values[0::4], values[1::4], values[2::4], values[3::4]
    texts = chain(thoughts, names, chain.from_iterable(all_args))  # of the arguments: their names
    if not ({*map(type, all_args)} <= {dict} and {*map(type, texts)} <= {str}):
        return None
    events: list[dict[str, Any]] = [
        {
            "next_thought": thought,
            "tool_calls": {
                "tool_calls": [{"id": (call_id := prefix + ending), "name": name, "args": args}],
                "tool_call_results": {
                    "tool_call_results": [
                        {
                            "call_id": call_id,
                            "name": name,
                            "value": value,
                            "is_error": type(value) is str
                            and value.startswith(ERROR_TEXTS)
                            and is_failure(name, value),
                        }
                    ]
                },
            },
        }
        for thought, name, args, value, ending in zip(  # noqa: B905 (there are more endings)
            thoughts, names, all_args, observations, _ID_ENDINGS
        )
    ]
    if SUBMIT in names:
        for event, name in zip(events, names, strict=True):
            if name == SUBMIT:
                event[EVENT_KEY] = {"own_submit": True}
    return events


def _has_regular_keys(trajectory: Mapping[str, Any]) -> bool:
    count, rest = divmod(len(trajectory), len(STEP_FIELDS))
    if rest or count > _MOST_STEPS:
        return False
    keys = tuple(trajectory)
    regular = _keys_by_count.get(count)
    if regular is None:
        regular = tuple(f"{name}_{number}" for number in range(count) for name in STEP_FIELDS)
    if keys != regular:
        return False
    _keys_by_count[count] = (
        keys  # parsers use the same key objects for every line: the next one compares faster
    )
    return True
