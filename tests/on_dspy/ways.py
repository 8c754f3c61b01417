"""The four ways to run an agent: synchronously and not, with tool calls in text and native."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import dspy
import pytest
from scripted import NATIVE, TEXT, ScriptedLM


class Way(NamedTuple):
    asynchronous: bool
    native: bool

    def lm(self, replies: Sequence[Any]) -> ScriptedLM:
        return ScriptedLM(replies, self.native)

    def ask(self, agent: Any, lm: ScriptedLM, **inputs: Any) -> Any:
        """The agent's prediction for the inputs."""
        with dspy.context(lm=lm.lm, adapter=NATIVE if self.native else TEXT):
            return asyncio.run(agent.acall(**inputs)) if self.asynchronous else agent(**inputs)


in_every_way = pytest.mark.parametrize(
    "way",
    [Way(asynchronous, native) for asynchronous in (False, True) for native in (False, True)],
    ids=["sync-text", "sync-native", "async-text", "async-native"],
)


def search(query: str) -> str:
    return f"found {query}"


def look(query: str) -> tuple[str, dict[str, Any]]:
    """A call of the tool `search`."""
    return "search", {"query": query}
