"""A list of steps, each an object with a thought, a tool's name, its arguments and the observation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.run import Event, Layout, Names, Reading, Shape, StoredRun
from react_migrate.stored.shapes.spelling import ARGS, OBSERVATION, THOUGHT, TOOL, spelled
from react_shims.wire import group_steps, trajectory_in

# V1's name of a part -> how it may be spelled
_PARTS = {"thought": THOUGHT, "tool_name": TOOL, "tool_args": ARGS, "observation": OBSERVATION}


def _matches(value: Any) -> bool:
    if not (isinstance(value, list) and value and all(isinstance(step, dict) for step in value)):
        return False
    return any(_is_step(step, _layout(step)) for step in value)


def _is_step(step: dict[str, Any], layout: Layout) -> bool:
    """Whether a tool was called and returned, and not only described, or proposed by a model."""
    return isinstance(step.get(layout.get("tool_name", "")), str) and "observation" in layout


def _read(value: Any, names: Names) -> Reading:
    if not (isinstance(value, list) and all(isinstance(step, dict) for step in value)):
        raise RejectedError("is no list of steps: each must be an object")
    trajectory: dict[str, Any] = {}
    layouts = [_layout(step) for step in value]
    for number, (step, layout) in enumerate(zip(value, layouts, strict=True)):
        for part, key in layout.items():
            trajectory[f"{part}_{number}"] = step[key]
    return Reading([StoredRun(trajectory)], max(layouts, key=len, default={}))


def _write(events: Sequence[Event], layout: Layout) -> Any:
    steps, _ = group_steps(trajectory_in(events))
    order = [*layout, *(part for part in _PARTS if part not in layout)]
    return [
        {layout.get(part, part): fields[part] for part in order if part in fields}
        for fields in steps.values()
    ]


def _layout(step: dict[str, Any]) -> Layout:
    """V1's name of each part that the step has -> the step's own, in the step's order."""
    found = {spelled(step, spellings): part for part, spellings in _PARTS.items()}
    return {found[key]: key for key in step if key in found}


SHAPE = Shape("steps", _matches, _read, _write)
