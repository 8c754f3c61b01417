"""V1's own shape: a dict with `thought_0`, `tool_name_0`, `tool_args_0`, `observation_0`, `thought_1`, ..."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.run import Event, Layout, Names, Reading, Shape, StoredRun
from react_shims.wire import trajectory_in

_TOOL_NAME = re.compile(r"tool_name_(0|[1-9][0-9]{0,17})\Z")


def has_tool_names(value: Any) -> bool:
    """Whether a dict has at least one step of an agent: robots and simulators have observations, too."""
    if isinstance(value.get("tool_name_0"), str):  # nearly always
        return True
    return any(isinstance(name, str) and _TOOL_NAME.match(key) for key, name in value.items())


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and has_tool_names(value)


def _read(value: Any, names: Names) -> Reading:
    if not isinstance(value, dict):
        raise RejectedError(f"is no flat trajectory, which is an object, but a {type(value).__name__}")
    return Reading([StoredRun(value)], {})


def _write(events: Sequence[Event], layout: Layout) -> Any:
    return trajectory_in(events)


SHAPE = Shape("flat", _matches, _read, _write, is_exact=True)
