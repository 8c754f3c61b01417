"""The names under which writers of their own keep the parts of a step, the commonest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

THOUGHT = ("thought", "next_thought", "thoughts", "reasoning", "thinking")
TOOL = ("tool_name", "tool", "next_tool_name", "action", "name")
ARGS = ("tool_args", "args", "next_tool_args", "arguments", "tool_input", "action_input", "input")
OBSERVATION = ("observation", "result", "output", "tool_output", "tool_result", "response")
CALLS = ("tool_calls", "calls", "actions")
OBSERVATIONS = ("observations", "results", "outputs", "tool_outputs", "tool_results", *OBSERVATION)


def spelled(item: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of the names that the item has as a key."""
    return next((name for name in names if name in item), None)
