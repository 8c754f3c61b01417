"""The asynchronous loop for DSPy 3.3 does what the installed V2's own loop does, on every DSPy."""

from __future__ import annotations

import asyncio
from typing import Any

import dspy
import pytest
from scripted import NATIVE, TEXT, ScriptedLM, overflow, say, submit, turn
from ways import Way, look, search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.loop import aforward

pytestmark = pytest.mark.dspy(">=3.3")

NOTHING = turn("nothing to do")

PLANS = {
    "a submit": [turn("one", look("a"), look("b")), submit(answer="x")],
    "an unknown tool": [turn("one", ("guess", {"query": "a"})), submit(answer="x")],
    "a tool that fails": [turn("one", ("fail", {})), submit(answer="x")],
    "wrong arguments": [turn("one", ("search", {"subject": "a"})), submit(answer="x")],
    "a submit that is refused": [turn("one", ("submit", {})), submit(answer="x")],
    "calls behind the submit": [turn("one", ("submit", {"answer": "x"}), look("a"))],
    "two submits": [turn("one", ("submit", {"answer": "x"}), ("submit", {"answer": "y"}))],
    "no turns left": [turn(str(number), look("a")) for number in range(3)] + [submit(answer="x")],
    "no tool call": [NOTHING, submit(answer="x")],
    "a garbled reply": [say("Hello"), say("Hello"), submit(answer="x")],
    "an overflow": [turn("one", look("a")), overflow(), submit(answer="x")],
    "a forced submit that does more": [NOTHING, turn("done", look("a"), ("submit", {"answer": "x"}))],
    "a forced submit that fails": [turn("one", look("a")), NOTHING, NOTHING],
    "a forced submit that is refused": [turn("one", look("a")), NOTHING, turn("done", ("submit", {}))],
    "a forced submit that overflows": [turn("one", look("a")), overflow(), overflow()],
}


def fail() -> str:
    raise LookupError("nothing there")


def agent() -> Any:
    return v2_class()("question -> answer", tools=[search, fail], max_iters=3)


def seen(lm: ScriptedLM, prediction: Any) -> Any:
    """What the model and the caller saw. Of a tool's error the first line: tracebacks name DSPy's frames."""
    events = [
        {
            **{key: str(value) for key, value in event.items() if key != "tool_calls"},
            "calls": [(call.id, call.name, call.args) for call in event["tool_calls"].tool_calls],
            "results": [
                (result.call_id, result.name, result.is_error, str(result.value).splitlines()[:1])
                for result in event["tool_calls"].tool_call_results.tool_call_results
            ],
        }
        for event in prediction.history.messages
    ]
    requests = [(each.system, each.tools, each.forced_tool, len(each.messages)) for each in lm.prompts]
    return events, requests, prediction.get("answer"), prediction.termination_reason


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("plan", PLANS)
def test_it_is_v2s_own_loop(plan: str, native: bool) -> None:
    way = Way(asynchronous=False, native=native)
    lm = way.lm(PLANS[plan])
    history = dspy.History(messages=[])
    try:
        theirs = seen(lm, way.ask(agent(), lm, question="why?", history=history))
    except (ValueError, dspy.AdapterParseError, dspy.ContextWindowExceededError):
        # 3.4 and later; 3.3 returns what is in the history by then.
        theirs = seen(lm, dspy.Prediction(history=history, termination_reason=None))

    lm = way.lm(PLANS[plan])
    ours = asyncio.run(_run(way, lm))
    if theirs[-1] is None:
        assert ours.termination_reason in ("empty_tool_calls", "context_window_exceeded")
        ours = dspy.Prediction(history=ours.history, termination_reason=None)
    assert seen(lm, ours) == theirs
    assert lm.replies == []


async def _run(way: Way, lm: ScriptedLM) -> Any:
    with dspy.context(lm=lm.lm, adapter=NATIVE if way.native else TEXT):
        return await aforward(agent(), question="why?")


def test_limits_histories_and_async_tools_are_taken() -> None:
    async def slowly(query: str) -> str:
        await asyncio.sleep(0)
        return f"found {query} slowly"

    program = v2_class()("question -> answer", tools=[slowly])
    way = Way(asynchronous=False, native=False)
    lm = way.lm([turn("one", ("slowly", {"query": "a"})), submit(answer="x")])

    async def run() -> Any:
        with dspy.context(lm=lm.lm, adapter=dspy.ChatAdapter()):
            return await aforward(program, question="why?", max_iters=1, history={"messages": []})

    prediction = asyncio.run(run())
    assert prediction.termination_reason == "forced_submit"
    assert "found a slowly" in lm.shown(1)


def test_the_forced_submit_is_configured_as_v2s() -> None:
    configurations = []

    class Recording(dspy.Predict):
        def forward(self, **inputs: Any) -> Any:
            configurations.append(inputs.get("config"))
            return super().forward(**inputs)

        async def aforward(self, **inputs: Any) -> Any:
            configurations.append(inputs.get("config"))
            return await super().aforward(**inputs)

    way = Way(asynchronous=False, native=False)
    program = agent()
    program.react = Recording(program.react.signature)
    way.ask(program, way.lm([NOTHING, submit(answer="x")]), question="why?")

    async def run() -> Any:
        with dspy.context(lm=way.lm([NOTHING, submit(answer="x")]).lm, adapter=TEXT):
            return await aforward(program, question="why?")

    asyncio.run(run())
    assert configurations[:2] == configurations[2:]
    assert configurations[0] is None


@pytest.mark.dspy("<3.4")
def test_a_tools_error_is_shown_at_the_length_that_v2_shows() -> None:
    def dig(depth: int) -> None:
        if depth == 0:
            raise LookupError("nothing there")
        dig(depth - 1)

    way = Way(asynchronous=False, native=False)
    program = v2_class()("question -> answer", tools=[dig])
    plan = [turn("one", ("dig", {"depth": 9})), submit(answer="x")]
    theirs = way.ask(program, way.lm(plan), question="why?")

    async def run() -> Any:
        with dspy.context(lm=way.lm(plan).lm, adapter=TEXT):
            return await aforward(program, question="why?")

    frames = [_observation(prediction).count("File ") for prediction in (theirs, asyncio.run(run()))]
    assert frames[0] == frames[1] > 0


def _observation(prediction: Any) -> str:
    return str(prediction.history.messages[0]["tool_calls"].tool_call_results.tool_call_results[0].value)
