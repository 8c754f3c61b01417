"""The shapes in which trajectories are stored, by what they look like.

Each shape is a module with one `Shape` in it; a new one needs its module and its line here.
"""

from __future__ import annotations

from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes import flat, messages, steps, turns
from react_migrate.stored.shapes.run import Names, Reading, Shape, StoredRun

__all__ = ["KINDS", "Names", "Reading", "Shape", "StoredRun", "recognised"]

# In the order in which they are tried: a chat message may have a tool's name, as a step has.
KINDS: dict[str, Shape] = {
    shape.kind: shape for shape in (flat.SHAPE, messages.SHAPE, turns.SHAPE, steps.SHAPE)
}

_CODE_ACT = tuple(f"{name}_{digit}" for name in ("generated_code", "code_output") for digit in range(10))


def recognised(value: Any) -> Shape | None:
    """The shape of a value that is a trajectory of tool calls; None for anything else.

    Raises `RejectedError` for trajectories of other modules, which have no history of tool calls.
    """
    if isinstance(value, dict) and any(str(key).startswith(_CODE_ACT) for key in value):
        raise RejectedError(
            "has the trajectory of a CodeAct, whose steps are code and not tool calls; DSPy 3.5 has none "
            "any more, and no history can hold its runs: keep the record as it is"
        )
    if _is_rlm(value):
        raise RejectedError(
            "has the trajectory of an RLM, whose steps are code and not tool calls; converting those is not "
            "supported yet: keep the record as it is"
        )
    return next((shape for shape in KINDS.values() if shape.matches(value)), None)


def _is_rlm(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, dict) and {"code", "output"} <= entry.keys() for entry in value)
        and not any(shape.matches(value) for shape in KINDS.values())
    )
