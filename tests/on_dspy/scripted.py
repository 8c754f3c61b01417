"""A language model that gives prepared replies and records what it was sent; for V1 and V2, text and native.

Replies are made in ChatAdapter's format; use it with that adapter.
"""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import dspy

TEXT = dspy.ChatAdapter(use_native_function_calling=False)
NATIVE = dspy.ChatAdapter(use_native_function_calling=True)


def turn(thought: str, *calls: tuple[str, dict[str, Any]]) -> Callable[[bool], Any]:
    """A turn of V2: a thought and tool calls."""

    def reply(native: bool) -> Any:
        if native:
            return {"text": _fields(next_thought=thought), "calls": list(calls)}
        tool_calls = {"tool_calls": [{"name": name, "args": args} for name, args in calls]}
        return _fields(next_thought=thought, tool_calls=tool_calls)

    return reply


def submit(**outputs: Any) -> Callable[[bool], Any]:
    """V2's last turn."""
    return turn("done", ("submit", outputs))


def act(thought: str, tool: str, args: dict[str, Any]) -> str:
    """A turn of V1."""
    return _fields(next_thought=thought, next_tool_name=tool, next_tool_args=args)


def extract(**outputs: Any) -> str:
    """What V1's extractor asks for."""
    return _fields(reasoning="because", **outputs)


def overflow() -> Exception:
    return dspy.ContextWindowExceededError(message="the scripted window is full")


def _fields(**values: Any) -> str:
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
    return "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in {**texts, "completed": ""}.items())


class ScriptedLM(dspy.BaseLM):
    """Gives `replies` in order. `prompts` are the message lists of all requests."""

    def __init__(self, replies: Sequence[Any], native: bool = False) -> None:
        super().__init__("scripted", "chat", 0.0, 1000, False)
        self.replies = list(replies)
        self.native = native
        self.prompts: list[list[dict[str, Any]]] = []
        self.lock = threading.Lock()

    @property
    def supports_function_calling(self) -> bool:
        return self.native

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedLM:
        return self  # optimisers copy programs; the script goes on

    def copy(self, **kwargs: Any) -> ScriptedLM:
        return self

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        with self.lock:
            self.prompts.append(copy.deepcopy(messages))
            number = len(self.prompts)
            reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        if callable(reply):
            reply = reply(self.native)
        content, calls = (reply["text"], reply["calls"]) if isinstance(reply, dict) else (reply, [])
        tool_calls = [
            SimpleNamespace(
                id=f"given_{number}_{index}",
                type="function",
                function=SimpleNamespace(name=name, arguments=json.dumps(args)),
            )
            for index, (name, args) in enumerate(calls)
        ]
        message = SimpleNamespace(role="assistant", content=content, tool_calls=tool_calls or None)
        choice = SimpleNamespace(message=message, finish_reason="stop")
        return SimpleNamespace(choices=[choice], usage={}, model="scripted")

    async def aforward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        return self.forward(prompt=prompt, messages=messages, **kwargs)

    def shown(self, request: int) -> str:
        """Everything but the system message of a request, as one text."""
        parts = []
        for message in self.prompts[request][1:]:
            parts.append(f"<{message['role']}>")
            parts.append(str(message.get("content")))
            parts += [str(call["function"]) for call in message.get("tool_calls") or []]
        return "\n".join(parts)
