"""What the scripted model answers, in the format that was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_shims.testing.plan import Call
from react_shims.testing.prompt import Ask


@dataclass(frozen=True)
class ToolCall:
    """A native tool call."""

    id: str
    name: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer of the model: text, native tool calls, or both."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()


class ContextOverflowError(Exception):
    """The request does not fit the scripted model's context window, because the plan says so."""


def fields_reply(values: Mapping[str, Any], ask: Ask) -> Reply:
    """A text reply with a value per output field.

    Values that are not `str` are written as JSON (models as their JSON form), which all three adapters read
    back for every annotation.
    """
    if ask.format == "json":
        return Reply(_as_json(values))
    texts = {name: value if isinstance(value, str) else _as_json(value) for name, value in values.items()}
    if ask.format == "chat":
        markers = {**texts, "completed": ""}
        return Reply("\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in markers.items()))
    if ask.escaped_xml:
        texts = {name: text.replace("&", "&amp;").replace("<", "&lt;") for name, text in texts.items()}
    return Reply("\n\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in texts.items()))


def v1_reply(thought: str, call: Call, ask: Ask) -> Reply:
    """A turn of V1: a thought, and one tool call spread over two output fields."""
    names = ("next_thought", "next_tool_name", "next_tool_args")
    return fields_reply(dict(zip(names, (thought, call.tool, dict(call.args)), strict=True)), ask)


def v2_reply(thought: str, calls: Sequence[Call], ask: Ask, number: int) -> Reply:
    """A turn of V2: a thought and tool calls, in text or natively. `number` makes native ids unique."""
    if not ask.native:
        listed = [{"name": call.tool, "args": dict(call.args)} for call in calls]
        return fields_reply({"next_thought": thought, "tool_calls": {"tool_calls": listed}}, ask)
    native = (
        ToolCall(f"scripted_{number}_{index}", call.tool, json.loads(_as_json(call.args)))
        for index, call in enumerate(calls)
    )
    return Reply(fields_reply({"next_thought": thought}, ask).text, tuple(native))


def _as_json(value: Any) -> str:
    return json.dumps(value, default=_model_data, ensure_ascii=False)


def _model_data(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a plan can hold JSON values and pydantic models, not {type(value).__name__}: {value!r}")
