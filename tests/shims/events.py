"""History events written by hand, as plain data: short enough to see in a test what the history says."""

from __future__ import annotations

from typing import Any


def call(
    name: str, args: dict[str, Any] | None = None, value: Any = "ok", *, error: bool = False
) -> dict[str, Any]:
    return {"name": name, "args": args or {}, "value": value, "is_error": error}


def submit(**outputs: Any) -> dict[str, Any]:
    return call("submit", outputs, outputs)


def turn(thought: str | None, *calls: dict[str, Any], **others: Any) -> dict[str, Any]:
    """One event: inputs and outputs are `others`."""
    event: dict[str, Any] = dict(others)
    if thought is not None:
        event["next_thought"] = thought
    event["tool_calls"] = {
        "tool_calls": [
            {"id": f"id_{thought}_{index}", "name": each["name"], "args": each["args"]}
            for index, each in enumerate(calls)
        ],
        "tool_call_results": {
            "tool_call_results": [
                {
                    "call_id": f"id_{thought}_{index}",
                    "name": each["name"],
                    "value": each["value"],
                    "is_error": each["is_error"],
                }
                for index, each in enumerate(calls)
            ]
        },
    }
    return event


def flat(*steps: tuple[str, str, dict[str, Any], Any]) -> dict[str, Any]:
    """V1's flat dict of (thought, tool, args, observation)."""
    names = ("thought", "tool_name", "tool_args", "observation")
    return {
        f"{name}_{index}": value
        for index, step in enumerate(steps)
        for name, value in zip(names, step, strict=True)
    }


FINISH = ("finish", {}, "Completed.")
