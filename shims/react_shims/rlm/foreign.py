"""Turns of a ReAct agent in an RLM's history: what the action predictor's signature has no fields for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react_shims.rlm.installed import dspy
from react_shims.wire.events import inputs_in

REACT_FIELDS = ("next_thought", "tool_calls")


def react_signatures(event: Mapping[str, Any]) -> tuple[Any, Any]:
    """Signatures for showing a turn of ReAct: of its inputs (None if it has none), and of the turn itself."""
    inputs = {name: (Any, dspy.InputField()) for name in inputs_in(event)}
    turn = {"next_thought": (str, dspy.OutputField()), "tool_calls": (dspy.ToolCalls, dspy.OutputField())}
    shown = {name: field for name, field in turn.items() if event.get(name) is not None}
    return (dspy.Signature(inputs) if inputs else None), dspy.Signature(shown)
