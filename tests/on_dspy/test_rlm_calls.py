"""Calls of an RLM: interpreters, tools, models for sub-queries, RLMs in RLMs, many at once."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import dspy
import pytest
from rlm_runs import AGAIN, QUESTION, SUBMIT, InProcess, act, answer, both_ways, first, rlm, run
from scripted import TEXT, ScriptedLM

from react_shims.transition import v2_class

if v2_class():
    pass

pytestmark = pytest.mark.dspy(">=3.3")


SIGNATURE = "context, query -> answer: int"


def search(query: str) -> str:
    """Look something up."""
    return f"found {query}"


@pytest.mark.dspy("<3.4")
def test_an_interpreter_is_given_by_position_on_3_3() -> None:
    mine = InProcess()
    lm = ScriptedLM([act("x = 5; print(x)"), act("SUBMIT(x)"), act("SUBMIT(x + 1)")])
    agent = rlm()
    with dspy.context(lm=lm.lm, adapter=TEXT):
        prediction = agent(mine, **QUESTION)
        again = asyncio.run(agent.acall(mine, **AGAIN, history=prediction.history))
    assert (prediction.answer, again.answer) == (5, 6)
    assert not mine.is_shut_down


@pytest.mark.dspy(">=3.4")
@both_ways
def test_a_factory_is_given_by_keyword_from_3_4_on(way: Any) -> None:
    class Mine(InProcess):
        pass

    InProcess.made.clear()
    way.run(rlm(), [SUBMIT], **QUESTION, interpreter_factory=Mine)
    assert {type(interpreter) for interpreter in InProcess.made} == {Mine}
    assert InProcess.made[0].is_shut_down


@both_ways
def test_tools_and_sub_models(way: Any) -> None:
    sub = ScriptedLM([])
    sub.reply = lambda prompt: dspy_reply(prompt.text)  # type: ignore[method-assign]
    agent = rlm(tools=[search], sub_lm=sub.lm, max_llm_calls=1)
    code = "print(search(query='it')); print(llm_query(prompt='What is it?'))"
    prediction, lm = way.run(agent, [act(code), act("llm_query(prompt='And?')"), SUBMIT], **QUESTION)
    outputs = [step["output"] for step in prediction.repl_trajectory]
    assert outputs[0] == "found it\nYou ask: What is it?"
    assert "LLM call limit exceeded" in outputs[1]
    assert "search" in agent.tools
    assert "You ask: What is it?" in lm.shown(1)


def dspy_reply(text: str) -> Any:
    from react_shims.testing.reply import Reply

    return Reply(f"You ask: {text}")


@both_ways
def test_an_rlm_in_a_tool_of_another_one(way: Any) -> None:
    inner_lm = ScriptedLM([act("print('inside')", "Inner."), act("SUBMIT(3)", "Inner too.")])
    inner = rlm("text -> length: int")

    def measure(text: str) -> int:
        """Ask another RLM."""
        with dspy.context(lm=inner_lm.lm):
            measured.append(inner(text=text))
        return int(measured[-1].length)

    measured: list[Any] = []
    outer = rlm(tools=[measure])
    replies = [act("n = measure(text='abc'); print(n)", "Outer."), act("SUBMIT(n)", "Outer too.")]
    prediction, lm = way.run(outer, replies, **QUESTION)
    assert prediction.answer == 3
    assert "inside" not in lm.shown(1)
    assert "Outer." not in inner_lm.shown(1)
    assert [step["reasoning"] for step in prediction.repl_trajectory] == ["Outer.", "Outer too."]
    assert [step["reasoning"] for step in measured[0].repl_trajectory] == ["Inner.", "Inner too."]


def test_the_predictors_of_another_rlm_are_its_own_during_a_run() -> None:
    def other_ones() -> str:
        """Look at another RLM."""
        return f"{type(other.generate_action).__name__} {type(agent.generate_action).__name__}"

    other = rlm()
    agent = rlm(tools=[other_ones])
    prediction, _ = run(agent, [act("print(other_ones())"), SUBMIT], **QUESTION)
    others, own = prediction.repl_trajectory[0]["output"].split()
    assert others == type(other.generate_action).__name__ == "Predict"
    assert own != "Predict"


def test_an_rlm_that_calls_itself() -> None:
    def deeper(query: str) -> int:
        """Ask yourself."""
        return int(agent(context="deep", query=query).answer)

    agent = rlm(tools=[deeper])
    replies = [
        act("n = deeper(query='down'); print(n)", "Above."),
        act("SUBMIT(41)", "Below."),
        act("SUBMIT(n + 1)", "Above again."),
    ]
    prediction, lm = run(agent, replies, **QUESTION)
    assert prediction.answer == 42
    assert [step["reasoning"] for step in prediction.repl_trajectory] == ["Above.", "Above again."]
    assert "Above." not in lm.shown(1)
    assert "Above." in lm.shown(2)


@pytest.mark.dspy(">=3.4")
def test_sub_agents_in_the_repl_are_dspys() -> None:
    """DSPy 3.4.1 lets generated code build them; on 3.4.0 the import finds the host's DSPy, as before."""
    code = "import dspy\nprint(dspy.Predict('question -> reply: int')(question='?').reply)"
    prediction, lm = run(rlm(), [act(code), answer(reply=7), SUBMIT], **QUESTION)
    assert prediction.repl_trajectory[0]["output"] == "7"
    assert "\n7" in lm.shown(2)


def test_many_at_once_in_one_event_loop() -> None:
    agent = rlm()

    async def ask(number: int) -> Any:
        replies = [act(f"print('task {number}')"), act(f"SUBMIT({number})")]
        lm = ScriptedLM(replies)
        with dspy.context(lm=lm.lm, adapter=TEXT):
            return await agent.acall(context=f"c{number}", query="?"), lm

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(ask(number) for number in range(6)))

    for number, (prediction, lm) in enumerate(asyncio.run(all_of_them())):
        assert prediction.answer == number
        assert prediction.history.messages[0]["context"] == f"c{number}"
        assert f"task {number}" in lm.shown(1)
        assert "print('task" in lm.shown(1)


def test_one_rlm_in_many_threads() -> None:
    agent = rlm("context, query -> answer: int", history_processor=lambda history: None)
    earlier = first().history
    start = threading.Barrier(8)
    results: dict[int, tuple[Any, ScriptedLM]] = {}

    def work(number: int) -> None:
        start.wait(timeout=60)
        replies = [act(f"print('thread {number}')"), act(f"SUBMIT({number})")]
        results[number] = run(agent, replies, context=f"c{number}", query="?", history=earlier)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(earlier.messages) == 2
    for number, (prediction, lm) in results.items():
        assert prediction.answer == number
        assert [event.get("context") for event in prediction.history.messages[2:]] == [f"c{number}", None]
        assert {f"thread {other}" in lm.shown(1) for other in range(8) if other != number} == {False}
