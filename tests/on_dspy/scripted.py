"""A language model that gives prepared replies and records what it was sent; for V1 and V2, text and native.

`react_shims.testing.Script` follows a plan and refuses programs that leave it. Here tests want the single
replies in hand: also those that no well-behaved program would lead to.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import dspy

from react_shims.testing.models import scripted_lm
from react_shims.testing.plan import Call
from react_shims.testing.prompt import Ask, Prompt, read_prompt
from react_shims.testing.reply import ContextOverflowError, Reply, fields_reply, v2_reply

TEXT = dspy.ChatAdapter(use_native_function_calling=False)
NATIVE = dspy.ChatAdapter(use_native_function_calling=True)

Answer = Callable[[Ask, int], Reply]


def turn(thought: str, *calls: tuple[str, dict[str, Any]]) -> Answer:
    """A turn of V2: a thought and tool calls."""
    return lambda ask, number: v2_reply(thought, [Call(*call) for call in calls], ask, number)


def submit(**outputs: Any) -> Answer:
    """V2's last turn."""
    return turn("done", ("submit", outputs))


def act(thought: str, tool: str, args: dict[str, Any]) -> Answer:
    """A turn of V1."""
    return fields(next_thought=thought, next_tool_name=tool, next_tool_args=args)


def extract(**outputs: Any) -> Answer:
    """What V1's extractor asks for."""
    return fields(reasoning="because", **outputs)


def fields(**values: Any) -> Answer:
    """A value per output field of any predictor."""
    return lambda ask, number: fields_reply(values, ask)


def say(text: str) -> Answer:
    """A reply that keeps to no format."""
    return lambda ask, number: Reply(text)


def overflow() -> Exception:
    return ContextOverflowError("the scripted window is full")


class ScriptedLM:
    """Gives `replies` in order; an exception among them is raised. `prompts` are the requests."""

    def __init__(self, replies: Sequence[Answer | BaseException], native: bool = False) -> None:
        self.replies = list(replies)
        self.function_calling = native
        self.prompts: list[Prompt] = []
        self.lock = threading.Lock()

    @cached_property
    def lm(self) -> Any:
        return scripted_lm(self)  # type: ignore[arg-type]

    def reply(self, prompt: Prompt) -> Reply:
        with self.lock:
            self.prompts.append(prompt)
            reply = self.replies.pop(0)
            number = len(self.prompts)
        if isinstance(reply, BaseException):
            raise reply
        return reply(read_prompt(prompt), number)

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedLM:
        return self  # optimisers copy the model; the script goes on

    def shown(self, request: int) -> str:
        """Everything but the system message of a request, as one text."""
        return self.prompts[request].text

    def conversation(self, request: int) -> list[tuple[str, str]]:
        """The same message by message: role and text."""
        messages = self.prompts[request].messages
        return [(m.role, "\n".join([m.text, *m.results])) for m in messages if m.role != "system"]
