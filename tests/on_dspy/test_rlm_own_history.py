"""Where the installed RLM has a history itself, the shim is that class and what is missing.

No such DSPy can be installed here: classes made in these tests stand at `dspy.RLM`.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest
from rlm_runs import AGAIN, LOOK, QUESTION, SUBMIT, InProcess, Way, act, both_ways, first, rlm, run
from rlm_stand_ins import SIGNATURE, Strict, again

from react_shims import has_trajectory, trajectory_of
from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM
    from react_shims.rlm import module
    from react_shims.rlm.bridge import Bridged
    from react_shims.rlm.installed import has_own_history

pytestmark = pytest.mark.dspy(">=3.3")


@pytest.fixture
def shim_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Any]:
    """The shim's RLM as it is made where `dspy.RLM` is another class."""

    def made(stand_in: Any) -> Any:
        monkeypatch.setattr(dspy, "RLM", stand_in)
        return again(module).RLM

    return made


def test_the_class_is_asked_and_not_the_version() -> None:
    assert has_own_history(RLM)
    assert has_own_history(Strict)
    assert not has_own_history(dspy.RLM)
    assert not issubclass(RLM, Bridged)


@both_ways
def test_a_class_that_has_all_of_it_is_what_the_shim_is(shim_of: Any, way: Way) -> None:
    made = shim_of(RLM)
    assert issubclass(made, RLM)
    assert issubclass(made, Bridged)
    agent = made(SIGNATURE, interpreter_factory=InProcess)
    expected, expected_lm = way.run(rlm(), [LOOK, SUBMIT], **QUESTION)
    prediction, lm = way.run(agent, [LOOK, SUBMIT], **QUESTION)
    assert prediction == expected
    assert lm.prompts == expected_lm.prompts
    assert prediction.trajectory is prediction.repl_trajectory
    assert agent.dump_state() == rlm().dump_state()


@both_ways
def test_its_own_processor_is_used(shim_of: Any, way: Way) -> None:
    seen: list[int] = []

    def see(history: Any) -> None:
        seen.append(len(history.messages))

    made = shim_of(RLM)
    assert list(inspect.signature(made.__init__).parameters) == list(
        inspect.signature(RLM.__init__).parameters
    )
    agent = made(SIGNATURE, interpreter_factory=InProcess, history_processor=see)
    way.run(agent, [LOOK, SUBMIT], **QUESTION)
    assert seen == [0, 1]
    way.run(agent, [LOOK, SUBMIT], **QUESTION, history_processor=lambda history: seen.append(-1))
    assert seen == [0, 1, -1, -1]


class Keeping(Strict):
    """It keeps its processor under a name of its own."""

    def __init__(self, signature: Any, history_processor: Any = None) -> None:
        super().__init__(signature)
        self.kept = history_processor


def test_its_own_constructor_is_given_the_processor(shim_of: Any) -> None:
    assert shim_of(Keeping)(SIGNATURE, history_processor=len).kept is len


@both_ways
@pytest.mark.parametrize(
    "form",
    [
        lambda history: history,
        lambda history: history.model_dump(),
        lambda history: history.messages,
        lambda history: history.model_dump_json(),
    ],
    ids=["History", "dict", "list", "JSON"],
)
@pytest.mark.parametrize("stand_in", ["RLM", "Strict"])
def test_all_forms_of_a_history_are_taken(shim_of: Any, stand_in: str, form: Any, way: Way) -> None:
    made = shim_of({"RLM": RLM if v2_class() else None, "Strict": Strict}[stand_in])
    given = form(first().history)
    before = str(given)
    prediction, _ = way.run(made(SIGNATURE, interpreter_factory=InProcess), [SUBMIT], **AGAIN, history=given)
    assert prediction.answer == 4
    assert len(prediction.history.messages) == 3
    assert str(given) == before  # Strict would extend it in place


@both_ways
def test_a_missing_processor_is_added(shim_of: Any, way: Way, caplog: pytest.LogCaptureFixture) -> None:
    def keep_the_last(history: Any) -> None:
        del history.messages[:-1]

    def fail(history: Any) -> None:
        raise RuntimeError("not today")

    agent = shim_of(Strict)(SIGNATURE, history_processor=keep_the_last)
    replies = [LOOK, act("print('two')"), act("print('three')"), SUBMIT]
    _, compacted = way.run(agent, replies, **QUESTION)
    _, whole = way.run(shim_of(Strict)(SIGNATURE), replies, **QUESTION)
    assert len(whole.conversation(3)) > len(compacted.conversation(3)) == len(compacted.conversation(1))
    with caplog.at_level(logging.WARNING):
        _, failed = way.run(agent, replies, **QUESTION, history_processor=fail)
    assert failed.prompts == whole.prompts
    assert "history_processor failed" in caplog.text


@both_ways
def test_a_missing_trajectory_is_added(shim_of: Any, way: Way) -> None:
    agent = shim_of(Strict)(SIGNATURE)
    expected = first().repl_trajectory
    prediction, _ = way.run(agent, [LOOK, SUBMIT], **QUESTION)
    for trajectory in (prediction.repl_trajectory, prediction.trajectory, trajectory_of(prediction)):
        assert [step["code"] for step in trajectory] == [step["code"] for step in expected]
    assert has_trajectory(prediction)


class Silent(Strict):
    """Its prediction tells nothing about the run."""

    def ended(self, *args: Any) -> Any:
        prediction = super().ended(*args)
        return None if prediction is None else dspy.Prediction(answer=prediction.answer)


@both_ways
def test_a_prediction_that_tells_nothing_is_left_as_it_is(shim_of: Any, way: Way) -> None:
    prediction, _ = way.run(shim_of(Silent)(SIGNATURE), [LOOK, SUBMIT], **QUESTION)
    assert dict(prediction.items()) == {"answer": 13}
    assert type(prediction) is dspy.Prediction


@pytest.mark.parametrize("name", ["history", "history_processor", "interpreter_factory"])
def test_reserved_names_are_refused_here_too(shim_of: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}`"):
        shim_of(Strict)(f"{name}, query -> answer")


class Unknown(dspy.Module):  # type: ignore[misc]
    """An RLM that is built otherwise."""

    def __init__(self, signature: Any) -> None:
        super().__init__()
        self.generate_action = dspy.Predict("variables_info, notes -> code")


def test_a_class_that_is_built_otherwise_is_refused_with_what_is_missing(shim_of: Any) -> None:
    with pytest.raises(ImportError) as refused:
        shim_of(Unknown)
    message = str(refused.value)
    assert "the predictor 'extract'" in message
    assert "its input 'repl_history'" in message
    assert "its output 'reasoning'" in message
    assert "Update react-shims." in message


def test_without_an_rlm_the_error_says_what_to_install(shim_of: Any) -> None:
    with pytest.raises(ImportError, match=r"pip install 'dspy>=3\.3'"):
        shim_of(None)


@pytest.mark.dspy("<3.5")
def test_the_installed_class_is_built_upon_as_it_is() -> None:
    prediction, _ = run(rlm(), [SUBMIT], **QUESTION)
    assert Path(inspect.getfile(dspy.RLM)).parts[-3:] == ("dspy", "predict", "rlm.py")
    assert prediction.answer == 13
