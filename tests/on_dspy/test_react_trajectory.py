"""Predictions of the shim's agents answer `.trajectory` as V1's did, and are DSPy's predictions otherwise."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from scripted import TEXT, ScriptedLM, act, extract, submit, turn
from ways import Way, in_every_way, look, search

from react_shims import trajectory_of
from react_shims.deprecation import TransitionWarning
from react_shims.transition import v2_class

RELEASE = tuple(int(part) for part in dspy.__version__.split(".")[:2])

if RELEASE >= (3, 3):
    from react_shims.prediction import install_trajectory, uninstall_trajectory
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

STEPS = {
    "thought_0": "one",
    "tool_name_0": "search",
    "tool_args_0": {"query": "a"},
    "observation_0": "found a",
    "thought_1": "",
    "tool_name_1": "search",
    "tool_args_1": {"query": "b"},
    "observation_1": "found b",
    "thought_2": "done",
    "tool_name_2": "finish",
    "tool_args_2": {},
    "observation_2": "Completed.",
}


def replies() -> list[Any]:
    return [turn("one", look("a"), look("b")), submit(answer="x")]


def predict(agent_class: Any, signature: str = "question -> answer") -> Any:
    with dspy.context(lm=ScriptedLM(replies()).lm, adapter=TEXT):
        return agent_class(signature, tools=[search])(question="why?")


@in_every_way
def test_it_is_v1s_flat_dict(way: Way) -> None:
    prediction = way.ask(ReAct("question -> answer", tools=[search]), way.lm(replies()), question="why?")
    assert prediction.trajectory == STEPS
    assert list(prediction.trajectory) == list(STEPS)


@pytest.mark.dspy("<3.5")
def test_it_is_what_v1_itself_records() -> None:
    v1_replies = [act("one", *look("a")), act("", *look("b")), act("done", "finish", {}), extract(answer="x")]
    with dspy.context(lm=ScriptedLM(v1_replies).lm, adapter=TEXT):
        v1 = dspy.ReAct("question -> answer", tools=[search])(question="why?")
    assert predict(ReAct).trajectory == v1.trajectory


def test_every_way_to_read_it_agrees() -> None:
    prediction = predict(ReAct)
    assert prediction["trajectory"] is prediction.trajectory
    assert prediction.get("trajectory") is prediction.trajectory
    assert "trajectory" in prediction
    assert hasattr(prediction, "trajectory")


def test_edits_of_it_last() -> None:
    prediction = predict(ReAct)
    prediction.trajectory["note"] = "mine"
    assert prediction.trajectory["note"] == "mine"


def test_other_fields_are_read_as_ever() -> None:
    prediction = predict(ReAct)
    assert prediction["answer"] == prediction.get("answer") == "x"
    assert prediction.get("nothing", "default") == "default"
    assert "nothing" not in prediction
    with pytest.raises(KeyError, match="nothing"):
        prediction["nothing"]
    with pytest.raises(AttributeError, match="nothing"):
        _ = prediction.nothing


def test_the_prediction_is_otherwise_unchanged_by_it() -> None:
    ours, bare = predict(ReAct), predict(v2_class())
    for prediction in (ours, bare):
        getattr(prediction, "trajectory", None)
    assert ours.keys() == bare.keys()
    assert list(ours) == list(bare)
    assert repr(ours) == repr(bare)
    assert json.dumps(ours.toDict()) == json.dumps(bare.toDict())
    assert {**ours}.keys() == {**bare}.keys()
    assert len(ours) == len(bare)


def test_copies_and_pickles_answer_it() -> None:
    prediction = predict(ReAct)
    for other in (
        pickle.loads(pickle.dumps(prediction)),
        copy.deepcopy(prediction),
        copy.copy(prediction),
        prediction.copy(),
        prediction.copy(score=1.0),
        prediction.without("answer"),
    ):
        assert other.trajectory == STEPS
        assert "trajectory" not in list(other.keys())
    assert pickle.loads(pickle.dumps(prediction)) == prediction


def test_a_pickle_has_the_run_of_a_continued_conversation() -> None:
    agent = ReAct("question -> answer", tools=[search])
    with dspy.context(lm=ScriptedLM([submit(answer="x"), *replies(), submit(answer="x")]).lm, adapter=TEXT):
        first = agent(question="why?")
        second = agent(question="and then?", history=first.history)
        agent(question="and now?", history=second.history)
    assert pickle.loads(pickle.dumps(second)).trajectory == STEPS
    assert second.copy().trajectory == STEPS


def test_a_copy_with_another_history_shows_that_ones_run() -> None:
    agent = ReAct("question -> answer", tools=[search])
    lm = ScriptedLM([submit(answer="x"), *replies(), turn("other", look("c")), submit(answer="x")])
    with dspy.context(lm=lm.lm, adapter=TEXT):
        first = agent(question="why?")
        second = agent(question="and then?", history=first.history)
        other = agent(question="something else")
    for prediction in (first, second):
        assert prediction.copy(history=other.history).trajectory == other.trajectory


def test_without_a_history_there_is_none_by_any_way() -> None:
    prediction = predict(ReAct).without("history", "termination_reason")
    assert "trajectory" not in prediction
    assert not hasattr(prediction, "trajectory")
    assert prediction.get("trajectory", "nothing") == "nothing"
    with pytest.raises(KeyError, match="trajectory"):
        prediction["trajectory"]


def test_predictions_of_a_class_of_the_users_are_left_as_they_are() -> None:
    class Own(dspy.Prediction):  # type: ignore[misc]
        pass

    class Base(v2_class()):  # type: ignore[misc]
        def forward(self, **inputs: Any) -> Any:
            return Own(**super().forward(**inputs))

    prediction = predict(type("Agent", (ReAct, Base), {}))
    assert type(prediction) is Own
    assert trajectory_of(prediction) == STEPS


def test_an_output_field_of_that_name_wins() -> None:
    with dspy.context(lm=ScriptedLM([submit(trajectory="a curve")]).lm, adapter=TEXT):
        prediction = ReAct("question -> trajectory", tools=[search])(question="why?")
    assert prediction.trajectory == prediction["trajectory"] == prediction.get("trajectory") == "a curve"


def test_it_can_be_assigned_and_deleted() -> None:
    prediction = predict(ReAct)
    prediction.trajectory = {"mine": 1}
    assert prediction.trajectory == prediction["trajectory"] == {"mine": 1}
    assert "trajectory" in list(prediction.keys())
    del prediction.trajectory
    assert prediction.trajectory == STEPS


def test_evaluate_and_its_results_work() -> None:
    def metric(example: Any, prediction: Any, trace: Any = None) -> bool:
        return "tool_name_1" in prediction.trajectory and prediction.answer == example.answer

    examples = [dspy.Example(question="why?", answer="x").with_inputs("question")]
    with dspy.context(lm=ScriptedLM(replies()).lm, adapter=TEXT):
        evaluate = dspy.Evaluate(devset=examples, metric=metric, num_threads=1, display_progress=False)
        result = evaluate(ReAct("question -> answer", tools=[search]))
    assert result.score == 100.0
    assert result.results[0][1].keys() == ["answer", "history", "termination_reason"]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("read", ["attribute", "item", "get", "hasattr"])
def test_reading_it_warns_by_release_at_the_readers_line(read: str) -> None:
    prediction = predict(ReAct)
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        if read == "attribute":
            _ = prediction.trajectory
        elif read == "item":
            prediction["trajectory"]
        elif read == "get":
            prediction.get("trajectory")
        else:
            hasattr(prediction, "trajectory")
    due = [each for each in record if issubclass(each.category, TransitionWarning)]
    assert len(due) == (RELEASE >= (3, 5))
    for warning in due:
        assert issubclass(warning.category, DeprecationWarning if RELEASE == (3, 5) else FutureWarning)
        assert warning.filename == __file__
        assert "RM201" in str(warning.message)


def test_what_is_stored_is_read_without_a_warning() -> None:
    prediction = predict(ReAct)
    prediction.trajectory = {"mine": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error", TransitionWarning)
        assert (
            prediction.trajectory == prediction["trajectory"] == prediction.get("trajectory") == {"mine": 1}
        )


# --- predictions of plain DSPy classes, for readers that cannot be changed ----------------------------------


@pytest.fixture
def installed() -> Iterator[None]:
    install_trajectory()
    install_trajectory()
    yield
    uninstall_trajectory()


@pytest.mark.usefixtures("installed")
def test_installed_plain_predictions_answer_it_without_a_warning() -> None:
    prediction = predict(v2_class())
    with warnings.catch_warnings():
        warnings.simplefilter("error", TransitionWarning)
        assert prediction.trajectory == STEPS
    assert type(prediction) is dspy.Prediction
    assert "trajectory" not in list(prediction.keys())
    prediction.trajectory = {"mine": 1}
    assert prediction.trajectory == {"mine": 1}
    assert prediction.toDict()["trajectory"] == {"mine": 1}


@pytest.mark.usefixtures("installed")
def test_installed_other_predictions_are_as_before() -> None:
    assert dspy.Prediction(trajectory=[1]).trajectory == [1]
    assert not hasattr(dspy.Prediction(answer="x"), "trajectory")
    with pytest.raises(AttributeError, match="'Prediction' object has no attribute 'trajectory'"):
        _ = dspy.Prediction(answer="x").trajectory
    chat = dspy.Prediction(history=dspy.History(messages=[{"question": "q", "answer": "a"}]))
    assert not hasattr(chat, "trajectory")
    empty = dspy.Prediction()
    empty.trajectory = {}
    assert empty.trajectory == {}
    example = dspy.Example(question="q")
    assert not hasattr(example, "trajectory")


def test_uninstalled_everything_is_as_before() -> None:
    before = set(vars(dspy.Prediction))
    install_trajectory()
    uninstall_trajectory()
    uninstall_trajectory()
    assert set(vars(dspy.Prediction)) == before
    assert not hasattr(predict(v2_class()), "trajectory")
    assert predict(ReAct).trajectory == STEPS


def test_what_somebody_else_installed_under_that_name_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = property(lambda prediction: "theirs")
    monkeypatch.setattr(dspy.Prediction, "trajectory", theirs, raising=False)
    install_trajectory()
    assert predict(v2_class()).trajectory == "theirs"
    uninstall_trajectory()
    assert vars(dspy.Prediction)["trajectory"] is theirs


@pytest.mark.usefixtures("installed")
def test_installed_the_shims_own_predictions_are_not_bothered(tmp_path: Path) -> None:
    prediction = predict(ReAct)
    assert prediction.trajectory == STEPS
    assert pickle.loads(pickle.dumps(predict(v2_class()))).trajectory == STEPS
