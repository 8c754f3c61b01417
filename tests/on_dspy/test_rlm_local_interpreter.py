"""A conversation with real generated code in a real subprocess: two calls, JSON between them, a compactor."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dspy
import pytest
from rlm_runs import Way, act, both_ways
from scripted import ScriptedLM

from react_shims import dump_history
from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM

pytestmark = pytest.mark.dspy(">=3.4.1")  # the first with an interpreter that needs no Deno

ORDERS = [{"name": "tea", "price": 3}, {"name": "cake", "price": 4}]
WITH_RUM = [*ORDERS, {"name": "rum", "price": 10}]

FIRST = [
    act("prices = [order['price'] for order in orders]\nprint(prices)", "The prices."),
    act("print('=' * 100)\nprint(sum(prices))", "Their sum."),
    act("SUBMIT(sum(prices), [order['name'] for order in orders])", "Done."),
]
SECOND = [
    act("print('prices' in globals())", "Are they still there?"),
    act("```python\nSUBMIT(sum(order['price'] for order in orders), [])\n```", "They are not."),
]


def keep_what_matters(history: Any) -> Any:
    """Of all calls before the last one (a call begins with its inputs) only their last event stays."""
    starts = [number for number, event in enumerate(history.messages) if "orders" in event]
    return dspy.History(messages=history.messages[starts[-1] - 1 :]) if len(starts) > 1 else None


def agent(**options: Any) -> Any:
    return RLM(
        "orders: list[dict], question -> total: int, names: list[str]",
        interpreter_factory=dspy.LocalInterpreter,
        max_output_chars=50,
        **options,
    )


def said(lm: ScriptedLM, request: int) -> list[str]:
    """Every message of a request but the system's; of those that ask for code, the question and how often."""
    return [asked(text) or f"{role}: {text}" for role, text in lm.conversation(request)]


def asked(text: str) -> str | None:
    question = re.search(r"Variable: `question`.*?```\s+(.*?)\s+```", text, re.DOTALL)
    iteration = re.search(r"iteration ## \]\]\n(\d+)/20", text)
    return f"asked: {question[1]} {iteration[1]}" if question and iteration else None


def action(reasoning: str, code: str) -> str:
    fields = {"reasoning": reasoning, "code": code, "completed": ""}
    return "assistant: " + "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in fields.items())


def output(text: str) -> str:
    return f"user: [[ ## repl_output ## ]]\n{text}"


PRICES = [
    "asked: How much is it? 1",
    action("The prices.", "prices = [order['price'] for order in orders]\nprint(prices)"),
    output("[3, 4]"),
]
SUM = [
    "asked: How much is it? 2",
    action("Their sum.", "print('=' * 100)\nprint(sum(prices))"),
    output(f"{'=' * 25}\n... (52 characters omitted) ...\n{'=' * 23}\n7"),
]
DONE = [
    "asked: How much is it? 3",
    action("Done.", "SUBMIT(sum(prices), [order['name'] for order in orders])"),
    output("FINAL: {'total': 7, 'names': ['tea', 'cake']}"),
]
GONE = [
    "asked: With rum? 1",
    action("Are they still there?", "print('prices' in globals())"),
    output("False"),  # variables of the REPL do not come back
]


@both_ways
def test_every_message_of_a_conversation(way: Way) -> None:
    lm = ScriptedLM([*FIRST, *SECOND])
    one, _ = way.run(agent(), lm, orders=ORDERS, question="How much is it?")
    stored = json.dumps(dump_history(one.history))
    continued = agent(history_processor=keep_what_matters)
    two, _ = way.run(continued, lm, orders=WITH_RUM, question="With rum?", history=stored)

    assert said(lm, 0) == ["asked: How much is it? 1"]
    assert said(lm, 1) == [*PRICES, "asked: How much is it? 2"]
    assert said(lm, 2) == [*PRICES, *SUM, "asked: How much is it? 3"]
    assert said(lm, 3) == [*PRICES, *SUM, *DONE, "asked: With rum? 1"]
    assert said(lm, 4) == [*DONE, *GONE, "asked: With rum? 2"]

    assert (one.total, one.names) == (7, ["tea", "cake"])
    assert (two.total, two.names) == (17, [])
    assert [len(prediction.history.messages) for prediction in (one, two)] == [3, 3]
    assert [step["output"] for step in one.repl_trajectory[:2]] == ["[3, 4]", "=" * 100 + "\n7"]
    assert [step["reasoning"] for step in two.repl_trajectory] == ["Are they still there?", "They are not."]


def test_the_example_of_the_readme() -> None:
    readme = Path(__file__).resolve().parents[2] / "shims" / "README.md"
    [example] = re.findall(r"^```python\n([^`]*\bRLM\([^`]*)^```$", readme.read_text("utf-8"), re.MULTILINE)
    lm = ScriptedLM(
        [act("print(context)", "I read."), act("SUBMIT('the butler')"), act("SUBMIT('for love')")]
    )
    names: dict[str, Any] = {"book": "It was the butler."}
    with dspy.context(lm=lm.lm, interpreter_factory=dspy.LocalInterpreter):
        exec(example, names)
    assert (names["first"].answer, names["second"].answer) == ("the butler", "for love")
    assert "I read." in lm.shown(2)
