"""Runs that real V1 agents left behind become histories that real V2 agents go on from."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import ADAPTERS, calls_and_results, eventful, fail, find, messages_sent, run
from scripted import TEXT, ScriptedLM, act, extract, overflow, submit, turn
from shims.strategies import trajectories

from react_shims import dump_history, history_of, load_history, to_history, trajectory_of

on_v2 = pytest.mark.dspy(">=3.3")
on_v1 = pytest.mark.dspy("<3.5")

LOOK = act("look", "find", {"query": "größe"})
DONE = act("done", "finish", {})

RUNS: dict[str, list[Any]] = {
    "finished": [LOOK, DONE],
    "with a failing tool": [act("try", "fail", {"code": 3}), act("or so", "find", {"wrong": 1}), DONE],
    "finished with arguments": [LOOK, act("done", "finish", {"answer": "A"})],
    "out of turns": [LOOK] * 4,
    "truncated": [LOOK, act("more", "find", {"query": "b"}), overflow(), DONE],
    "async": [LOOK, DONE],
}


def v1_run(kind: str) -> Any:
    lm = ScriptedLM([*RUNS[kind], extract(answer="A")]).lm
    agent = dspy.ReAct("question -> answer", tools=[find, fail], max_iters=4)
    with dspy.context(lm=lm, adapter=TEXT):
        return asyncio.run(agent.acall(question="q?")) if kind == "async" else agent(question="q?")


def v1_calls(trajectory: dict[str, Any], outputs: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """What of a V1 run a model is to see: its calls and their results."""
    calls, results = [], []
    for key in trajectory:
        if key.startswith("tool_name_") and trajectory[key] != "finish":
            number = key.removeprefix("tool_name_")
            calls.append((trajectory[key], trajectory[f"tool_args_{number}"]))
            results.append(trajectory[f"observation_{number}"])
    return [*calls, ("submit", outputs)], [*results, json.dumps(outputs)]


@on_v1
@on_v2
@pytest.mark.parametrize("kind", RUNS)
def test_a_stored_v1_run_is_continued_with_all_its_calls_and_results(kind: str) -> None:
    prediction = v1_run(kind)
    stored = json.dumps({"question": "q?", "answer": prediction.answer, "trajectory": prediction.trajectory})
    record = json.loads(stored)
    history = to_history(record["trajectory"], {"question": "q?"}, {"answer": record["answer"]})
    assert trajectory_of(history) == prediction.trajectory
    assert list(trajectory_of(history)) == list(prediction.trajectory)
    assert history_of(prediction, {"question": "q?"}) == history

    reloaded = load_history(json.dumps(dump_history(history)))
    assert trajectory_of(reloaded) == prediction.trajectory
    for name, adapter in ADAPTERS.items():
        sent = messages_sent(reloaded, adapter)
        assert sent == messages_sent(history, adapter)
        if name.endswith("native"):
            assert calls_and_results(sent) == v1_calls(prediction.trajectory, {"answer": "A"})

    continued = run([submit(answer="B")], native=True, history=reloaded, question="next?")
    assert continued.history is reloaded
    assert [value for key, value in trajectory_of(continued).items() if "name" in key] == ["finish"]


@on_v1
@on_v2
def test_an_empty_v1_run_keeps_its_question_and_answer() -> None:
    lm = ScriptedLM([extract(answer="A")]).lm
    with dspy.context(lm=lm, adapter=TEXT):
        prediction = dspy.ReAct("question -> answer", tools=[find])(question="q?", max_iters=0)
    assert prediction.trajectory == {}
    history = history_of(prediction, {"question": "q?"})
    assert trajectory_of(history) == {}
    sent = messages_sent(history, ADAPTERS["ChatAdapter-native"])
    assert calls_and_results(sent) == ([("submit", {"answer": "A"})], ['{"answer": "A"}'])
    assert "q?" in str(sent)


STEP = {"thought_0": "t", "tool_name_0": "find", "tool_args_0": {"query": "a"}, "observation_0": "found a"}


@on_v2
def test_the_events_are_those_that_v2_itself_writes() -> None:
    """Besides ids and the marker."""
    live = run([turn("t", ("find", {"query": "a"})), turn("done", ("submit", {"answer": "A"}))], native=True)
    finish = {"thought_1": "done", "tool_name_1": "finish", "tool_args_1": {}, "observation_1": "Completed."}
    converted = to_history({**STEP, **finish}, {"question": "first?"}, {"answer": "A"})

    def comparable(history: Any) -> Any:
        events = copy.deepcopy(dump_history(history)["messages"])
        for event in events:
            event.pop("react_migrate", None)
            for call in event["tool_calls"]["tool_calls"]:
                del call["id"]
            for result in event["tool_calls"]["tool_call_results"]["tool_call_results"]:
                del result["call_id"]
        return [list(event.items()) for event in events]

    assert comparable(converted) == comparable(live.history)
    assert type(converted.messages[0]["tool_calls"]) is type(live.history.messages[0]["tool_calls"])


@on_v2
@settings(max_examples=60, deadline=None)
@given(
    trajectories(),
    st.none() | st.just({"question": "q"}),
    st.none() | st.just({}) | st.just({"answer": {"tool_calls": 1}}),
)
def test_the_way_back_is_exact(trajectory: Any, inputs: Any, outputs: Any) -> None:
    before = copy.deepcopy(trajectory)
    history = to_history(trajectory, inputs, outputs)
    assert repr(trajectory_of(history)) == repr(before)
    assert repr(trajectory) == repr(before)
    reloaded = load_history(json.dumps(dump_history(history)))
    assert repr(trajectory_of(reloaded)) == repr(before)
    assert repr(reloaded) == repr(history)


@on_v2
def test_observations_are_the_very_same_objects() -> None:
    thing = object()
    history = to_history({**STEP, "observation_0": thing})
    assert trajectory_of(history)["observation_0"] is thing


@on_v2
@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_an_input_that_looks_like_tool_calls_does_not_hide_the_real_ones(adapter: Any) -> None:
    """DSPy's adapters take an event's first dict with the key "tool_calls" for the tool calls."""
    question = {"tool_calls": [{"name": "trap", "args": {}}]}
    sent = messages_sent(to_history(STEP, {"question": question}, {"answer": "A"}), adapter)
    assert "found a" in str(sent)


@on_v2
@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_the_model_does_not_see_the_marker(adapter: Any) -> None:
    trajectory = {**{key.replace("_0", "_3"): value for key, value in STEP.items()}, "note": "secret"}
    with_marker = to_history(trajectory, {"question": "q"}, {"answer": "A"})
    bare = copy.deepcopy(with_marker)
    assert all(event.pop("react_migrate", None) for event in bare.messages)
    assert messages_sent(with_marker, adapter) == messages_sent(bare, adapter)
    assert "secret" not in str(messages_sent(with_marker, adapter))


@on_v2
@pytest.mark.parametrize(
    ("inputs", "outputs", "reason"),
    [
        ({"tool_calls": 1}, None, "an input named 'tool_calls'"),
        (None, {"next_thought": 1}, "an output named 'next_thought'"),
        ({"react_migrate": 1}, None, "an input named 'react_migrate'"),
        ({"a": 1}, {"a": 2}, "'a' cannot be both an input and an output"),
    ],
)
def test_names_that_an_event_cannot_hold_are_refused(inputs: Any, outputs: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        to_history(STEP, inputs, outputs)


@on_v2
def test_only_a_trajectory_is_converted() -> None:
    with pytest.raises(
        TypeError, match=r"to_history takes the trajectory of a ReAct agent, .* of an RLM; this is a tuple"
    ):
        to_history(())
    with pytest.raises(TypeError, match=r"keys are strings .* this one has 1"):
        to_history({1: 2})  # type: ignore[dict-item]


@on_v2
def test_a_v2_predictions_history_is_returned_as_it_is() -> None:
    prediction = eventful(native=False)
    assert history_of(prediction) is prediction.history
    assert history_of(prediction.history) is prediction.history


@on_v2
def test_a_stored_v2_run_is_loaded_with_its_ids() -> None:
    prediction = eventful(native=True)
    dumped = dump_history(prediction.history)
    record = {"answer": "A", "history": dumped, "termination_reason": "submit"}
    for stored in (record, dumped, dumped["messages"], json.dumps(record), prediction.toDict()):
        assert dump_history(history_of(stored)) == dumped


@on_v2
def test_history_of_a_v1_run_in_other_forms() -> None:
    expected = to_history(STEP, {"question": "q"}, {"answer": "A"})
    for stored in (
        STEP,
        json.dumps(STEP),
        {"trajectory": STEP},
        dspy.Example(trajectory=STEP, answer="other"),
    ):
        assert history_of(stored, {"question": "q"}, {"answer": "A"}) == expected
    v1 = dspy.Prediction(trajectory=STEP, reasoning="because", answer="A")
    assert history_of(v1, {"question": "q"}) == expected
    assert history_of(dspy.Example(trajectory=STEP, question="q")) == to_history(STEP)


@on_v2
def test_no_history_of_anything_else() -> None:
    for other in (1, "text", {"a": 1}, dspy.Prediction(answer="A")):
        with pytest.raises(AttributeError, match="trajectory"):
            history_of(other)
    with pytest.raises(TypeError, match="this is a str"):
        history_of(dspy.Prediction(trajectory="A to B"))
    with pytest.raises(TypeError, match="entry 0 of the RLM's trajectory is a float"):
        history_of(dspy.Prediction(trajectory=[0.5, 1.0]))


@pytest.mark.dspy("<3.3")
@pytest.mark.parametrize(
    "ask", [lambda: to_history(STEP), lambda: history_of(STEP), lambda: load_history({"messages": []})]
)
def test_a_dspy_without_tool_results_says_what_is_missing(ask: Any) -> None:
    with pytest.raises(
        ImportError, match=r"has no histories of tool calls: pip install 'dspy>=3.3'"
    ) as error:
        ask()
    assert error.value.name == "dspy"


def test_dumping_needs_no_tool_results() -> None:
    history = dspy.History(messages=[{"question": "q", "answer": "a"}])
    assert dump_history(history) == {"messages": [{"question": "q", "answer": "a"}]}
