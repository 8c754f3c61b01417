"""Runs of DSPy's own RLM become histories, and are read from them; on every release."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import dspy
import pytest
from dspy.primitives.repl_types import REPLEntry, REPLHistory
from hypothesis import given, settings
from hypothesis import strategies as st
from legacy_rlm_runs import ANSWER, CALLS, PLANS, legacy_rlm, legacy_run, stored_call, stored_run
from replay import eventful
from rlm_runs import QUESTION, act, answer, rlm, run
from scripted import TEXT, ScriptedLM
from shims.repl_strategies import repl_trajectories, texts
from shims.strategies import json_values

from react_shims import (
    dump_history,
    has_trajectory,
    history_of,
    load_history,
    repl_trajectory_of,
    steps_of,
    to_history,
    trajectory_of,
)
from react_shims.wire.repl_text import entries_in_text, text_of_entries

on_histories = pytest.mark.dspy(">=3.3")
# `dspy.RLM` is 3.4's in the previews of later releases, too.

LOOK = {"reasoning": "look", "code": "print(1)", "output": "1"}
DONE = {"reasoning": "done", "code": "SUBMIT(1)", "output": "FINAL: {'answer': 1}"}


@pytest.mark.parametrize("kind", PLANS)
def test_dspys_own_list_is_returned_as_it_is(kind: str) -> None:
    _, prediction, _ = legacy_run(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert repl_trajectory_of(prediction) is prediction.trajectory
        assert repl_trajectory_of(prediction, None) is prediction["trajectory"]
        assert trajectory_of(prediction) is prediction.trajectory
    record = prediction.toDict()
    assert repl_trajectory_of(record) is record["trajectory"]
    assert repl_trajectory_of(json.dumps(record)) == prediction.trajectory
    with pytest.raises(TypeError, match="repl_trajectory_of reads it"):
        steps_of(prediction)


def test_what_is_no_rlms_has_none() -> None:
    for other in (
        dspy.Prediction(answer="A"),
        dspy.Prediction(answer="A", history=dspy.History(messages=[])),
    ):
        with pytest.raises(AttributeError) as own:
            other.trajectory  # noqa: B018
        with pytest.raises(AttributeError, match=str(own.value)):
            repl_trajectory_of(other)
        assert repl_trajectory_of(other, None) is None
    assert repl_trajectory_of(dspy.History(messages=[])) == []
    assert repl_trajectory_of(dspy.History(messages=[{"question": "q", "answer": "a"}]), None) is None


@on_histories
def test_a_react_has_none() -> None:
    prediction = eventful(native=True)
    for x in (prediction, prediction.history, prediction.toDict(), dump_history(prediction.history)):
        assert repl_trajectory_of(x, "none") == "none"


def test_any_release_reads_a_stored_run() -> None:
    """DSPy 3.2 cannot go on from it, but what runs there may read what another service wrote."""
    events = [
        {"context": "c", "iteration": "1/5", "repl_entry": {"__dspy_repl__": "entry", **LOOK}},
        {"iteration": "2/5", "repl_entry": {"__dspy_repl__": "entry", **DONE}, "answer": 1},
    ]
    history = dspy.History(messages=events)
    for x in (history, history.model_dump_json(), dspy.Prediction(answer=1, history=history)):
        assert repl_trajectory_of(x) == [LOOK, DONE]
        assert trajectory_of(x) == [LOOK, DONE]


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 8, 10_000])
@settings(max_examples=60, deadline=None)
@given(entries=st.lists(st.builds(REPLEntry, reasoning=texts, code=texts, output=texts), max_size=3))
def test_the_text_of_a_repl_history_is_dspys(entries: list[REPLEntry], limit: int) -> None:
    history = REPLHistory(entries=entries, max_output_chars=limit)
    text = history.format()
    assert history.model_dump() == text
    found = entries_in_text(text)
    if found is None:  # what looks like another entry stands in one
        assert any("=== Step " in entry.reasoning + entry.code for entry in entries)
        return
    lengths = {position: entry.length for position, entry in enumerate(found)}
    assert text_of_entries([entry._asdict() for entry in found], lengths) == text
    if not any("```" in entry.reasoning + entry.code for entry in entries):
        assert [(entry.reasoning, entry.code) for entry in found] == [(e.reasoning, e.code) for e in entries]
        assert [entry.length for entry in found] == [len(entry.output) for entry in entries]
    whole = REPLHistory(entries=entries, max_output_chars=10**9)
    assert text_of_entries(repl_trajectory_of(whole)) == whole.format()


def test_a_repl_history_is_read_whole_and_its_text_as_far_as_it_goes() -> None:
    history = REPLHistory(max_output_chars=4).append(reasoning="r", code="c", output="0123456789")
    assert repl_trajectory_of(history) == [{"reasoning": "r", "code": "c", "output": "0123456789"}]
    shown = "01\n\n... (6 characters omitted) ...\n\n89"
    assert repl_trajectory_of(history.format()) == [{"reasoning": "r", "code": "c", "output": shown}]
    assert repl_trajectory_of(REPLHistory()) == repl_trajectory_of(REPLHistory().format()) == []


@on_histories
@pytest.mark.parametrize("kind", PLANS)
def test_a_prediction_becomes_a_history(kind: str) -> None:
    asked, prediction, _ = legacy_run(kind)
    history = history_of(prediction, asked)
    assert repl_trajectory_of(history) == prediction.trajectory
    first, last = history.messages[0], history.messages[-1]
    assert {name: first[name] for name in asked} == asked
    assert last["answer"] == ANSWER
    assert [event for event in history.messages if "final_reasoning" in event] == []
    fallback = dump_history(history)["messages"][-1]["repl_entry"] == {"__dspy_repl__": "extract_fallback"}
    assert fallback == (prediction.final_reasoning == "Extract forced final output")
    assert history_of({**asked, **prediction.toDict()}, asked, {"answer": ANSWER}) == history
    assert history_of(json.dumps(prediction.toDict()), asked, {"answer": ANSWER}) == history


@on_histories
def test_history_of_takes_what_trajectories_are_kept_in() -> None:
    plain = to_history([LOOK])
    text = REPLHistory().append(**LOOK)
    for x in ([LOOK], json.dumps([LOOK]), text, text.format(), {"trajectory": [LOOK]}):
        assert history_of(x) == plain
    assert history_of(dspy.Prediction(trajectory=text, final_reasoning="look")) == plain
    assert history_of(dspy.Example(trajectory=[LOOK], answer="a label")) == plain
    assert to_history(text) == to_history(text.format()) == plain
    asked, answered = {"context": "c"}, {"answer": 1}
    assert history_of([DONE], asked, answered) == to_history([DONE], asked, answered)


@on_histories
def test_the_events_are_those_that_the_new_rlm_writes() -> None:
    """But for what a trajectory does not know: what the model was told of the variables, and the limit."""
    replies = [act("print(1)", "look"), act("SUBMIT(13)", "done")]
    prediction, _ = run(rlm(), replies, **QUESTION)
    converted = to_history(prediction.repl_trajectory, QUESTION, {"answer": 13})
    live = copy.deepcopy(prediction.history.messages)
    for event in live:
        del event["variables_info"], event["iteration"]
    events = [dict(event) for event in converted.messages]
    assert events[0].pop("react_migrate") == {"repl": {"start": True}}
    assert [list(event.items()) for event in events] == [list(event.items()) for event in live]
    assert [type(event["repl_entry"]) for event in events] == [type(event["repl_entry"]) for event in live]


@on_histories
def test_the_event_of_extracted_outputs_is_that_of_the_new_rlm() -> None:
    replies = [act("print(1)", "look"), answer(answer=4)]
    prediction, _ = run(rlm(max_iters=1), replies, **QUESTION)
    converted = to_history(prediction.repl_trajectory, QUESTION, {"answer": 4})
    event, last = (dict(event) for event in prediction.history.messages)
    del event["variables_info"]
    events = [dict(event) for event in converted.messages]
    del events[0]["react_migrate"]
    assert events == [event, last]
    assert type(events[1]["repl_entry"]) is type(last["repl_entry"])


inputs = st.none() | st.dictionaries(st.sampled_from(["context", "tool_calls", "ø"]), json_values, max_size=2)
outputs = st.none() | st.dictionaries(st.sampled_from(["answer", "next_thought"]), json_values, max_size=2)


@on_histories
@settings(max_examples=100, deadline=None)
@given(repl_trajectories(), inputs, outputs)
def test_the_way_back_is_exact(trajectory: Any, inputs: Any, outputs: Any) -> None:
    before = copy.deepcopy(trajectory)
    history = to_history(trajectory, inputs, outputs)
    assert repr(repl_trajectory_of(history)) == repr(before)
    assert repr(trajectory) == repr(before)
    reloaded = load_history(json.dumps(dump_history(history)))
    assert repr(repl_trajectory_of(reloaded)) == repr(before)
    assert repr(reloaded) == repr(history)
    dspys = dspy.History.model_validate_json(history.model_dump_json())
    assert repr(repl_trajectory_of(dspys)) == repr(before)
    assert repr(load_history(dspys)) == repr(history)
    assert repr(load_history(history.model_dump_json())) == repr(history)


@on_histories
def test_what_is_loaded_is_live_again() -> None:
    history = to_history([LOOK], QUESTION, {"answer": 1})
    dumped = dump_history(history)
    assert dumped == json.loads(history.model_dump_json())
    loaded = load_history(dumped)
    entry, marker = (event["repl_entry"] for event in loaded.messages)
    assert isinstance(entry, REPLEntry)
    assert (entry.reasoning, entry.code, entry.output) == ("look", "print(1)", "1")
    assert type(marker) is type(history.messages[1]["repl_entry"])
    assert loaded == history
    assert dump_history(loaded) == dumped


@on_histories
def test_dspys_own_entries_are_dumped_as_what_they_are() -> None:
    """Those of DSPy 3.3 and 3.4 do not say it themselves."""
    event = {"repl_entry": {**LOOK, "seconds": 1.5}}  # whatever else somebody stored in one stays
    assert dump_history([event])["messages"][0]["repl_entry"] == {
        "__dspy_repl__": "entry",
        **event["repl_entry"],
    }
    history = dspy.History(messages=[{"repl_entry": REPLEntry(**LOOK), "n": float("nan"), "thing": {1, 2}}])
    dumped = dump_history(history)
    assert dumped["messages"][0]["repl_entry"] == {"__dspy_repl__": "entry", **LOOK}
    json.dumps(dumped, allow_nan=False)
    loaded = load_history(json.dumps(dumped))
    assert loaded.messages[0]["n"] != loaded.messages[0]["n"]
    assert repl_trajectory_of(loaded) == [LOOK]


@on_histories
@pytest.mark.parametrize("native", [False, True])
def test_runs_of_both_and_a_chat_in_one_history_survive(native: bool) -> None:
    react = eventful(native=native)
    rlm = to_history([LOOK, DONE], {"context": "c"}, {"answer": 1})
    chat = {"question": "q", "answer": "a", "repl_entry": "an input of that name"}
    messages = [*rlm.messages, chat, *react.history.messages, *rlm.messages]
    history = dspy.History(messages=messages)
    reloaded = load_history(json.dumps(dump_history(history)))
    assert reloaded == history
    ids = [
        [call.id for call in event["tool_calls"].tool_calls]
        for event in reloaded.messages
        if "tool_calls" in event
    ]
    given = [[call.id for call in event["tool_calls"].tool_calls] for event in react.history.messages]
    assert ids == given
    assert reloaded.messages[2] == chat
    assert repl_trajectory_of(reloaded) == [LOOK, DONE]
    only_react = load_history(dump_history({"messages": messages[:-2]}))
    assert trajectory_of(only_react) == trajectory_of(react)
    assert repl_trajectory_of(only_react, None) is None


@on_histories
def test_inputs_that_look_like_tool_calls_stay_what_they_are() -> None:
    calls = {"tool_calls": [{"name": "f", "args": {}}], "more": 1}
    rlms = {"tool_calls": calls, "messages": [calls]}
    history = to_history([LOOK], rlms, {"answer": calls})
    assert history.messages[0]["tool_calls"] == calls
    assert load_history(json.dumps(dump_history(history))) == history
    live = dspy.ToolCalls.from_dict_list(calls["tool_calls"])
    results = dspy.ToolCallResults.from_tool_calls_and_values(live, ["o"])
    live = live.model_copy(update={"tool_call_results": results})
    (event,) = load_history(to_history([LOOK], {"calls": live})).messages
    assert event["calls"] is live
    asked = {"question": calls, "other": {"tool_calls": [1]}}
    step = {"thought_0": "t", "tool_name_0": "f", "tool_args_0": {}, "observation_0": "o"}
    reacts = to_history(step, asked)
    assert {name: reacts.messages[0][name] for name in asked} == asked
    assert load_history(json.dumps(dump_history(reacts))) == reacts


@on_histories
def test_a_predictions_list_is_made_once() -> None:
    prediction = dspy.Prediction(answer=1, history=to_history([LOOK, DONE], {"context": "c"}, {"answer": 1}))
    before = prediction.toDict()
    repl_trajectory_of(prediction)[0]["note"] = "mine"
    assert repl_trajectory_of(prediction)[0]["note"] == "mine"
    assert repl_trajectory_of(prediction) is trajectory_of(prediction)
    assert prediction.toDict() == before
    assert has_trajectory(prediction)
    assert history_of(prediction) is prediction.history
    prediction.history = to_history([LOOK])
    assert repl_trajectory_of(prediction) == [LOOK]


@on_histories
def test_a_prediction_of_the_new_rlm() -> None:
    prediction, _ = run(rlm(), [act("print(1)"), act("SUBMIT(13)")], **QUESTION)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert repl_trajectory_of(prediction) is prediction.repl_trajectory
        assert trajectory_of(prediction) is prediction.repl_trajectory
        assert history_of(prediction) is prediction.history
    assert repl_trajectory_of(prediction.history) == prediction.repl_trajectory
    assert repl_trajectory_of(prediction.toDict()) == prediction.repl_trajectory
    with pytest.raises(TypeError, match="repl_trajectory_of reads it"):
        steps_of(prediction)
    again, _ = run(rlm(), [act("SUBMIT(1)", "again")], **QUESTION, history=prediction.history)
    assert [entry["reasoning"] for entry in repl_trajectory_of(again.history)] == ["again"]


@pytest.mark.dspy("<3.3")
def test_a_dspy_without_such_histories_says_what_is_missing() -> None:
    for ask in (lambda: to_history([LOOK]), lambda: history_of(dspy.Prediction(trajectory=[LOOK]))):
        with pytest.raises(ImportError, match=r"has no histories of tool calls: pip install 'dspy>=3.3'"):
            ask()


def test_the_recorded_calls_of_predictors_are_those_of_dspy() -> None:
    """Their texts are made here as DSPy makes them when it dumps a trace."""
    for kind, options in CALLS.items():
        record = stored_call(kind, **options)
        assert record["repl_history"].startswith("=== Step 1 ===\n")
        assert stored_run(kind)["answer"] == record["answer"]
    lm = ScriptedLM([act("print(1)"), answer(answer=["7"])])
    with dspy.context(lm=lm.lm, adapter=TEXT):
        legacy_rlm(max_iters=1)(context="c", query="q")
    assert "=== Step 1 ===" in lm.shown(1)
