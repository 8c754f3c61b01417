"""What an object itself calls a trajectory, as it is, without any history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react_shims.recorded import fields_of


class DerivedTrajectory(property):
    """A `trajectory` or `repl_trajectory` that is read from a history, by functions that must not ask it."""


def stored_trajectory(x: Any) -> Any:
    """What `x` itself calls its trajectory, not derived from a history. Raises AttributeError if nothing."""
    try:
        if not _is_derived(x, "trajectory"):
            return x.trajectory
        fields = fields_of(x) or {}
        if "trajectory" in fields:
            return fields["trajectory"]
        raise AttributeError(f"{type(x).__name__!r} object has no attribute 'trajectory'")
    except AttributeError:
        if isinstance(x, Mapping) and "trajectory" in x:
            return x["trajectory"]
        raise


def stored_repl_trajectory(x: Any) -> list[Any] | None:
    """The list that an RLM's prediction has as its `repl_trajectory`; None if there is none.

    (Of other types it is something else: a mock's answer to any name.)
    """
    if isinstance(x, Mapping):
        stored = x.get("repl_trajectory")
    elif _is_derived(x, "repl_trajectory"):
        stored = (fields_of(x) or {}).get("repl_trajectory")
    else:
        stored = getattr(x, "repl_trajectory", None)
    return stored if isinstance(stored, list) else None


def _is_derived(x: Any, name: str) -> bool:
    return isinstance(getattr(type(x), name, None), DerivedTrajectory)
