"""The shapes in which trajectories are stored, by what they look like.

Each shape is a module with one `Shape` in it; a new one needs its module and its line here.
"""

from __future__ import annotations

from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes import flat, messages, repl, repl_text, steps, turns
from react_migrate.stored.shapes.run import Names, Reading, Shape, StoredReplRun, StoredRun

__all__ = ["KINDS", "Names", "Reading", "Shape", "StoredReplRun", "StoredRun", "recognised"]

# In the order in which they are tried: a chat message may have a tool's name, as a step has, and a step of
# somebody's own may have reasoning, code and output.
_SHAPES = (flat.SHAPE, messages.SHAPE, turns.SHAPE, steps.SHAPE, repl.SHAPE, repl_text.SHAPE)
KINDS: dict[str, Shape] = {shape.kind: shape for shape in _SHAPES}

_CODE_ACT = tuple(f"{name}_{digit}" for name in ("generated_code", "code_output") for digit in range(10))


def recognised(value: Any) -> Shape | None:
    """The shape of a value that is the trajectory of a ReAct or an RLM; None for anything else.

    Raises `RejectedError` for that of a CodeAct, which no history can hold.
    """
    if isinstance(value, dict) and any(str(key).startswith(_CODE_ACT) for key in value):
        raise RejectedError(
            "has the trajectory of a CodeAct, whose steps are code and not tool calls; DSPy 3.5 has none "
            "any more, and no history can hold its runs: keep the record as it is"
        )
    return next((shape for shape in KINDS.values() if shape.matches(value)), None)
