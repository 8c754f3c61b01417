"""Tools of every kind with `react_shims.ReAct`: what they are given, return and raise."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import dspy
import pydantic
import pytest
from scripted import fields, overflow, submit, turn
from ways import Way, in_every_way, look, search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

SYNC = Way(asynchronous=False, native=False)


class Place(pydantic.BaseModel):
    name: str
    near: list[str] = []


def visit(place: Place, others: list[Place] | None = None) -> Place:
    names = [place.name, *(other.name for other in others or [])]
    return Place(name=" and ".join(names), near=place.near)


@in_every_way
def test_arguments_and_results_that_are_models(way: Way) -> None:
    args = {"place": {"name": "Rome", "near": ["Ostia"]}, "others": [{"name": "Oslo"}]}
    lm = way.lm([turn("one", ("visit", args)), submit(answer="x")])
    prediction = way.ask(ReAct("question -> answer", tools=[visit]), lm, question="why?")
    assert prediction.trajectory["observation_0"] == Place(name="Rome and Oslo", near=["Ostia"])
    assert "Rome and Oslo" in lm.shown(1)


async def slowly(query: str) -> str:
    await asyncio.sleep(0)
    return f"found {query} slowly"


@pytest.mark.parametrize("native", [False, True])
def test_async_tools_run_in_async_runs(native: bool) -> None:
    way = Way(asynchronous=True, native=native)
    lm = way.lm([turn("one", ("slowly", {"query": "a"})), submit(answer="x")])
    prediction = way.ask(ReAct("question -> answer", tools=[slowly]), lm, question="why?")
    assert prediction.trajectory["observation_0"] == "found a slowly"


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.filterwarnings("ignore:coroutine")
def test_async_tools_in_sync_runs_are_as_with_dspy(native: bool) -> None:
    way = Way(asynchronous=False, native=native)
    for converted in (False, True):
        observations = []
        for agent_class in (v2_class(), ReAct):
            lm = way.lm([turn("one", ("slowly", {"query": "a"})), submit(answer="x")])
            with dspy.context(allow_tool_async_sync_conversion=converted):
                prediction = way.ask(agent_class("question -> answer", tools=[slowly]), lm, question="why?")
            [result] = prediction.history.messages[0]["tool_calls"].tool_call_results.tool_call_results
            observations.append((result.is_error, str(result.value).splitlines()[-1:]))
        assert observations[0] == observations[1]
        assert observations[1][0] is not converted


class Opaque:
    """What cannot be copied, pickled or put in JSON."""

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("cannot be copied")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot be pickled")

    def __repr__(self) -> str:
        return "<opaque>"


THING = Opaque()


def fetch(query: str) -> Any:
    return THING


class Lines:
    def __iter__(self) -> Iterator[str]:
        raise AssertionError("not to be consumed")

    def __repr__(self) -> str:
        return "<lines>"


def read(query: str) -> Any:
    return Lines()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"truncate": True},
    {"history_processor": lambda history: dspy.History(messages=history.messages)},
    {"copy_history": True, "on_failure": "extract"},
]


@in_every_way
@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "truncate", "processor", "extract"])
def test_results_of_any_kind_are_kept_as_they_are(way: Way, options: dict[str, Any]) -> None:
    program = ReAct("question -> answer", tools=[fetch, read, search], **options)
    plan = [turn("one", ("fetch", {"query": "a"}), ("read", {"query": "b"})), turn("two", look("c"))]
    if "truncate" in options:
        plan += [overflow()]
    ending = [submit(answer="x")]
    if options.get("on_failure"):
        ending = [turn("nothing"), turn("nothing"), fields(reasoning="", answer="x")]
    lm = way.lm([*plan, *ending])
    prediction = way.ask(program, lm, question="why?")
    assert prediction.answer == "x"
    assert prediction.trajectory["observation_0"] is THING
    assert isinstance(prediction.trajectory["observation_1"], Lines)
    assert "opaque" in lm.shown(2)


STOPS = [KeyboardInterrupt, SystemExit, asyncio.CancelledError, GeneratorExit, BaseException]


@in_every_way
@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("on_failure", [None, "extract"])
def test_what_stops_a_tool_stops_the_run_and_nothing_stays_of_it(
    way: Way, stop: Any, on_failure: Any
) -> None:
    def interrupted(query: str) -> str:
        raise stop(query)

    program = ReAct("question -> answer", tools=[search, interrupted], on_failure=on_failure)
    history = dspy.History(messages=[])
    plan = [turn("one", look("a")), turn("two", ("interrupted", {"query": "b"})), submit(answer="no")]
    lm = way.lm(plan)
    with pytest.raises(stop):
        way.ask(program, lm, question="why?", history=history)
    assert len(lm.replies) == 1, "the model is not asked again"
    assert len(history.messages) == 1
    assert type(program.react) is dspy.Predict

    lm = way.lm([submit(answer="x")])  # and the run can be resumed
    assert way.ask(program, lm, history=history).answer == "x"
    assert "found a" in lm.shown(0)


@in_every_way
def test_the_oldest_of_parallel_calls_is_the_first_to_go(way: Way) -> None:
    plan = [
        turn("one", look("1"), look("2"), look("3")),
        overflow(),
        turn("two", look("4"), look("5")),
        overflow(),
        overflow(),
        submit(answer="x"),
    ]
    lm = way.lm(plan)
    prediction = way.ask(ReAct("question -> answer", tools=[search], truncate=True), lm, question="why?")
    kept = [[n for n in range(1, 6) if f"found {n}" in lm.shown(request)] for request in range(6)]
    assert kept == [[], [1, 2, 3], [2, 3], [2, 3, 4, 5], [3, 4, 5], [4, 5]]
    assert [value for key, value in prediction.trajectory.items() if key.startswith("observation")] == [
        *(f"found {n}" for n in range(1, 6)),
        "Completed.",
    ]


def test_a_tool_may_copy_the_agent_that_runs_it() -> None:
    copies: list[Any] = []

    def multiply(query: str) -> str:
        copies.extend([program.deepcopy(), program.reset_copy()])
        return "copied"

    program = ReAct("question -> answer", tools=[multiply, search])
    SYNC.ask(
        program, SYNC.lm([turn("one", ("multiply", {"query": ""})), submit(answer="x")]), question="why?"
    )
    for other in copies:
        assert type(vars(other)["react"]) is dspy.Predict
        prediction = SYNC.ask(other, SYNC.lm([turn("one", look("a")), submit(answer="y")]), question="why?")
        assert prediction.trajectory["observation_0"] == "found a"
