"""What a model was sent of an RLM's history, message by message, and what DSPy makes of its parts."""

from __future__ import annotations

from typing import Any

import dspy
from scripted import ScriptedLM

Messages = list[tuple[str, str]]

SHOWN_OUTPUT = dspy.Signature({"repl_output": (str, dspy.InputField())})


def expected(adapter: Any, event: Any, agent: Any) -> Messages:
    """What DSPy's own adapter makes of the parts of one iteration's event."""
    signature, entry = agent.generate_action.signature, event["repl_entry"]
    action = {"reasoning": entry.reasoning, "code": entry.code}
    return [
        ("user", adapter.format_user_message_content(signature, event)),
        ("assistant", adapter.format_assistant_message_content(signature, action)),
        ("user", adapter.format_user_message_content(SHOWN_OUTPUT, {"repl_output": entry.output})),
    ]


def without_reminder(message: tuple[str, str]) -> tuple[str, str]:
    """A request's message without how to respond, which DSPy 3.4 repeats in the history, and 3.3 does not."""
    role, text = message
    return role, text.split("\n\nRespond with ")[0].strip()


def conversation(lm: ScriptedLM, request: int) -> Messages:
    return [without_reminder(message) for message in lm.conversation(request)]


def stripped(messages: Messages) -> Messages:
    return [(role, text.strip()) for role, text in messages]
