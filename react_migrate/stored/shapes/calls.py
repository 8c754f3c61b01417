"""Tool calls as providers and people write them: with arguments as an object or as JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from react_migrate.stored import textstyle
from react_migrate.stored.shapes.run import Layout
from react_migrate.stored.shapes.spelling import ARGS, OBSERVATION, TOOL, spelled

NOTHING: Any = object()


class StoredCall(NamedTuple):
    """One call: its id or None, the tool's name, its arguments, its observation or `NOTHING`."""

    id: str | None
    name: str
    args: Any
    observation: Any


def read_call(call: Any) -> StoredCall | None:
    """None if it is no call."""
    if not isinstance(call, Mapping):
        return None
    inner = call["function"] if isinstance(call.get("function"), Mapping) else call
    name = inner.get(spelled(inner, TOOL) or "")
    if not isinstance(name, str):
        return None
    key, call_id = spelled(call, OBSERVATION), call.get("id")
    return StoredCall(
        call_id if isinstance(call_id, str) else None,
        name,
        _parsed(inner.get(spelled(inner, ARGS) or "", {})),
        NOTHING if key is None else call[key],
    )


def layout_of(call: Any) -> Layout:
    """How a call that `read_call` reads is written."""
    inner = call["function"] if isinstance(call.get("function"), Mapping) else call
    name, args, observation = spelled(inner, TOOL), spelled(inner, ARGS), spelled(call, OBSERVATION)
    layout: Layout = {"name": name, "args": args, "observation": observation}
    if inner is not call:
        layout["function"] = {key: value for key, value in call.items() if key in ("type",)}
    if isinstance(call.get("id"), str):
        layout["id"] = True
    text = inner.get(args or "")
    if isinstance(text, str):
        layout["text"] = textstyle.style_of(text, _parsed(text)) or textstyle.DEFAULT
    return {key: value for key, value in layout.items() if value is not None}


def write_call(call: StoredCall, layout: Layout) -> dict[str, Any]:
    """The call in the layout of another one."""
    args = call.args
    if "text" in layout and isinstance(args, Mapping):
        args = textstyle.in_style(args, layout["text"])
    inner = {layout.get("name", "name"): call.name, layout.get("args", "args"): args}
    identity = {"id": call.id} if "id" in layout else {}
    written = {**identity, **(layout["function"] | {"function": inner} if "function" in layout else inner)}
    if "observation" in layout and call.observation is not NOTHING:
        written[layout["observation"]] = call.observation
    return written


def _parsed(args: Any) -> Any:
    """Arguments that were stored as the JSON text of an object; others as they are."""
    if isinstance(args, str):
        try:
            parsed = json.loads(args)
        except (ValueError, RecursionError):
            return args
        return parsed if isinstance(parsed, dict) else args
    return {} if args is None else args
