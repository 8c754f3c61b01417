"""`trajectory_of` and `steps_of` on predictions of real agents, of both generations and on every DSPy."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
import pytest
from replay import V2, continued, eventful, find, run
from scripted import TEXT, ScriptedLM, act, extract, submit, turn

from react_shims import has_trajectory, steps_of, trajectory_of
from react_shims.trajectory import DerivedTrajectory
from react_shims.wire import run_bounds

on_v2 = pytest.mark.dspy(">=3.3")
on_v1 = pytest.mark.dspy("<3.5")


def v1_run() -> Any:
    lm = ScriptedLM([act("look", "find", {"query": "a"}), act("done", "finish", {}), extract(answer="A")])
    with dspy.context(lm=lm.lm, adapter=TEXT):
        return dspy.ReAct("question -> answer", tools=[find])(question="q")


@on_v1
def test_v1_keeps_its_own_dict() -> None:
    prediction = v1_run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trajectory_of(prediction) is prediction.trajectory
    assert trajectory_of(prediction, {}) is prediction["trajectory"]
    assert has_trajectory(prediction)
    assert [step.name for step in steps_of(prediction)] == ["find", "finish"]


@on_v1
@on_v2
def test_both_generations_show_the_same_run() -> None:
    v2 = run([turn("look", ("find", {"query": "a"})), submit(answer="A")], native=False)
    v1 = v1_run()
    assert trajectory_of(v2) == v1.trajectory
    assert list(trajectory_of(v2)) == list(v1.trajectory)
    assert [step._replace(call_id=None) for step in steps_of(v2)] == list(steps_of(v1))


def test_any_release_reads_a_stored_v2_run() -> None:
    """DSPy 3.2 has no V2, but what runs there may read what another service wrote."""
    call = {"id": "1", "name": "find", "args": {"query": "a"}}
    result = {"call_id": "1", "name": "find", "value": "found a", "is_error": False}
    tool_calls = {"tool_calls": [call], "tool_call_results": {"tool_call_results": [result]}}
    history = dspy.History(messages=[{"question": "q", "next_thought": "t", "tool_calls": tool_calls}])
    expected = {
        "thought_0": "t",
        "tool_name_0": "find",
        "tool_args_0": {"query": "a"},
        "observation_0": "found a",
    }
    assert trajectory_of(history) == expected
    assert trajectory_of(dspy.Prediction(history=history)) == expected
    assert trajectory_of(history.model_dump_json()) == expected


def test_other_predictions_have_none() -> None:
    for other in (
        dspy.Prediction(answer="A"),
        dspy.Prediction(answer="A", history=dspy.History(messages=[])),
    ):
        assert not has_trajectory(other)
        assert trajectory_of(other, None) is None
        with pytest.raises(AttributeError) as own:
            other.trajectory  # noqa: B018
        with pytest.raises(AttributeError, match=str(own.value)):
            trajectory_of(other)


def test_an_output_named_trajectory_is_a_real_one() -> None:
    prediction = dspy.Prediction(
        trajectory="A to B", history=dspy.History(messages=[]), termination_reason="submit"
    )
    assert trajectory_of(prediction) == "A to B"


def test_an_empty_history_is_an_empty_run() -> None:
    assert trajectory_of(dspy.History(messages=[])) == {}
    assert trajectory_of(dspy.History(messages=[{"question": "q", "answer": "a"}]), None) is None


@on_v2
@pytest.mark.parametrize("native", [False, True])
def test_everything_that_v2_does_is_shown(native: bool) -> None:
    trajectory = trajectory_of(eventful(native=native))
    error = trajectory.pop("observation_1")
    assert error.startswith("Execution error in fail: ")
    assert error.splitlines()[-1].endswith("ValueError: code 3")
    rejected = trajectory.pop("observation_3")
    assert rejected.startswith("Execution error in submit: ")
    assert trajectory == {
        "thought_0": "two at once",
        "tool_name_0": "find",
        "tool_args_0": {"query": "größe"},
        "observation_0": "found größe",
        "thought_1": "",
        "tool_name_1": "fail",
        "tool_args_1": {"code": 3},
        "thought_2": "guess",
        "tool_name_2": "nope",
        "tool_args_2": {},
        "observation_2": "Unknown tool: nope",
        "thought_3": "too early",
        "tool_name_3": "submit",
        "tool_args_3": {},
        "thought_4": "done",
        "tool_name_4": "finish",
        "tool_args_4": {},
        "observation_4": "Completed.",
    }
    assert all(type(value) is str for key, value in trajectory.items() if key.startswith("thought_"))
    json.dumps(trajectory)


@on_v2
def test_the_raw_observation_is_the_tools_own_object() -> None:
    thing = object()

    def get(what: str) -> Any:
        return thing

    prediction = run([turn("t", ("get", {"what": "it"})), submit(answer="A")], native=False, tools=[get])
    assert trajectory_of(prediction)["observation_0"] is thing


@on_v2
def test_steps_have_ids_and_know_errors() -> None:
    prediction = eventful(native=True)
    given = [call.id for event in prediction.history.messages for call in event["tool_calls"].tool_calls]
    assert [step.call_id for step in steps_of(prediction)] == given
    assert [step.is_error for step in steps_of(prediction)] == [False, True, True, True, False]


@on_v2
def test_each_run_of_a_conversation_shows_itself() -> None:
    first = eventful(native=False)
    second = continued(first, native=False)
    assert second.history is first.history  # DSPy extends it in place
    names = [step.name for step in steps_of(second)]
    assert names == ["find", "finish"]
    assert trajectory_of(second)["thought_0"] == "again"
    assert [step.name for step in steps_of(first)] == ["find", "fail", "nope", "submit", "finish"]


@on_v2
def test_two_submits_the_last_counts() -> None:
    twice = turn("both", ("submit", {"answer": "A"}), ("submit", {"answer": "B"}))
    prediction = run([twice], native=False)
    assert prediction.answer == "B"
    assert [(step.name, step.observation) for step in steps_of(prediction)] == [("finish", "Completed.")]


@on_v2
def test_calls_after_the_submit_ran_and_are_shown() -> None:
    prediction = run([turn("all", ("submit", {"answer": "A"}), ("find", {"query": "b"}))], native=False)
    assert [step.name for step in steps_of(prediction)] == ["find", "finish"]
    assert trajectory_of(prediction)["thought_0"] == "all"


@on_v2
@pytest.mark.parametrize("native", [False, True])
def test_a_forced_submit_is_v1s_extractor(native: bool) -> None:
    replies = [turn("t", ("find", {"query": "a"})), submit(answer="F")]
    prediction = run(replies, native=native, max_iters=1)
    assert prediction.termination_reason == "forced_submit"
    assert [step.name for step in steps_of(prediction)] == ["find"]
    assert [step.name for step in steps_of(prediction.history)] == ["find", "finish"]  # it cannot tell


@on_v2
def test_no_turn_at_all() -> None:
    assert trajectory_of(run([submit(answer="F")], native=False, max_iters=0)) == {}


@pytest.mark.dspy(">=3.3,<3.4")
def test_a_failed_run_of_33_shows_what_it_did() -> None:
    """From 3.4 on it raises, and there is no prediction."""
    nothing = run([turn("t"), turn("t")], native=False)
    assert nothing.termination_reason == "empty_tool_calls"
    assert trajectory_of(nothing) == {}
    something = run([turn("t", ("find", {"query": "a"})), turn("u"), turn("u")], native=False)
    assert [step.name for step in steps_of(something)] == ["find"]
    again = run([turn("t"), turn("t")], native=False, history=eventful(native=False).history)
    assert trajectory_of(again) == {}
    assert has_trajectory(again)


@on_v2
def test_the_view_is_made_once_so_that_edits_of_it_last() -> None:
    prediction = eventful(native=False)
    trajectory_of(prediction)["note"] = "mine"
    assert trajectory_of(prediction)["note"] == "mine"
    with ThreadPoolExecutor(8) as pool:
        fresh = eventful(native=False)
        views = list(pool.map(trajectory_of, [fresh] * 50))
    assert all(view is views[0] for view in views)


@on_v2
def test_the_view_shows_in_nothing_else_of_the_prediction() -> None:
    prediction, untouched = eventful(native=False), eventful(native=False)
    before = (repr(prediction), prediction.keys(), prediction.toDict(), list(prediction), len(prediction))
    trajectory_of(prediction)
    after = (repr(prediction), prediction.keys(), prediction.toDict(), list(prediction), len(prediction))
    assert after == before
    assert "trajectory" not in prediction
    assert not hasattr(prediction, "trajectory")
    assert prediction == prediction.copy()
    assert prediction.keys() == untouched.keys()
    assert dict(**prediction) == {name: prediction[name] for name in prediction.keys()}  # noqa: SIM118


@on_v2
@pytest.mark.parametrize("twin", [copy.deepcopy, copy.copy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_keep_the_edited_view_as_v1_does(twin: Any) -> None:
    prediction = eventful(native=False)
    trajectory_of(prediction)["note"] = "mine"
    assert trajectory_of(twin(prediction)) == trajectory_of(prediction)


@on_v2
def test_a_prediction_with_another_history_is_another_run() -> None:
    prediction = eventful(native=False)
    trajectory_of(prediction)
    prediction.history = dspy.History(messages=prediction.history.messages[:1])
    assert [step.name for step in steps_of(prediction)] == ["find", "fail"]
    assert [value for key, value in trajectory_of(prediction).items() if "name" in key] == ["find", "fail"]


@on_v2
def test_what_dspy_dumped_is_read_too() -> None:
    prediction = continued(eventful(native=True), native=True)
    expected = trajectory_of(prediction)
    for stored in (
        prediction.toDict(),
        json.dumps(prediction.toDict()),
        dspy.Prediction(**prediction.toDict()),
        dict(prediction.items()),
        prediction.history,
        prediction.history.model_dump_json(),
    ):
        assert trajectory_of(stored) == expected


@on_v2
def test_an_agents_own_history_of_requests_is_no_run() -> None:
    agent = V2("question -> answer", tools=[find])
    lm = ScriptedLM([submit(answer="A")]).lm
    with dspy.context(lm=lm, adapter=TEXT):
        agent(question="q")
    assert not has_trajectory(lm)
    assert not has_trajectory(agent)


@pytest.mark.dspy(">=3.4")  # V2 has no `aforward` before
def test_async_runs() -> None:
    lm = ScriptedLM([turn("t", ("find", {"query": "a"})), submit(answer="A")]).lm

    async def ask() -> Any:
        with dspy.context(lm=lm, adapter=TEXT):
            return await V2("question -> answer", tools=[find]).acall(question="q")

    assert [step.name for step in steps_of(asyncio.run(ask()))] == ["find", "finish"]


class Derived(dspy.Prediction):
    """A prediction as the shim's own may be."""

    @DerivedTrajectory
    def trajectory(self) -> Any:
        warnings.warn("derived", DeprecationWarning, stacklevel=2)
        return trajectory_of(self)

    @trajectory.setter
    def trajectory(self, value: Any) -> None:
        self._store["trajectory"] = value


@on_v2
def test_a_derived_trajectory_is_not_asked() -> None:
    plain = eventful(native=False)
    prediction = Derived(**plain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trajectory_of(prediction) == trajectory_of(plain)
        assert not has_trajectory(Derived(answer="A"))
    with pytest.warns(DeprecationWarning, match="derived"):
        assert prediction.trajectory is trajectory_of(prediction)
    prediction.trajectory = replaced = {"thought_0": "mine"}
    assert trajectory_of(prediction) is replaced


@on_v2
def test_bounds_that_are_remembered_win() -> None:
    """The shim's own agents note them: here for a run that was resumed without inputs."""
    prediction = eventful(native=False)
    events = prediction.history.messages
    assert run_bounds(events) == (0, len(events))
    vars(prediction)["_react_run"] = (2, len(events))
    assert [step.name for step in steps_of(prediction)] == ["submit", "finish"]
    vars(prediction)["_react_run"] = (2, 99)  # of another history
    assert len(list(steps_of(prediction))) == 5
