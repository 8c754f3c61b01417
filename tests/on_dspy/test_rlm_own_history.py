"""Where the installed RLM has a history itself, the shim is that class and what is missing.

No such DSPy can be installed here: classes made in these tests stand at `dspy.RLM`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pydantic
import pytest
from dspy.primitives import repl_types
from rlm_runs import AGAIN, LOOK, QUESTION, SUBMIT, InProcess, Way, act, both_ways, first, rlm, run

from react_shims import has_trajectory, trajectory_of
from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM
    from react_shims.rlm import entries, installed, module
    from react_shims.rlm.bridge import Bridged
    from react_shims.rlm.installed import default_adapter, has_own_history

pytestmark = pytest.mark.dspy(">=3.3")

SIGNATURE = "context, query -> answer: int"


class Strict(dspy.Module):  # type: ignore[misc]
    """An RLM with a history of its own, and nothing else: it takes a `dspy.History` and no processor."""

    def __init__(self, signature: Any, max_iters: int = 20, interpreter_factory: Any = InProcess) -> None:
        super().__init__()
        self.signature = dspy.Signature(signature)
        self.max_iters = max_iters
        self.interpreter_factory = interpreter_factory
        self.generate_action = dspy.Predict(
            "variables_info, history: dspy.History, iteration -> reasoning, code"
        )

    def forward(self, *, history: Any = None, **inputs: Any) -> Any:
        events, interpreter = self.begun(history)
        for iteration in range(1, self.max_iters + 1):
            action = self.generate_action(**self.asked(events, iteration, inputs))
            prediction = self.ended(action, events, interpreter, inputs)
            if prediction is not None:
                return prediction
        raise AssertionError("the tests' runs end before")

    async def aforward(self, *, history: Any = None, **inputs: Any) -> Any:
        events, interpreter = self.begun(history)
        for iteration in range(1, self.max_iters + 1):
            action = await self.generate_action.acall(**self.asked(events, iteration, inputs))
            prediction = self.ended(action, events, interpreter, inputs)
            if prediction is not None:
                return prediction
        raise AssertionError("the tests' runs end before")

    def begun(self, history: Any) -> tuple[list[Any], Any]:
        assert history is None or isinstance(history, dspy.History)
        interpreter = self.interpreter_factory()
        interpreter.output_fields = [{"name": name} for name in self.signature.output_fields]
        return [] if history is None else history.messages, interpreter

    def asked(self, events: list[Any], iteration: int, inputs: dict[str, Any]) -> dict[str, Any]:
        history = dspy.History(messages=list(events))
        return {
            "variables_info": str(inputs),
            "history": history,
            "iteration": f"{iteration}/{self.max_iters}",
        }

    def ended(self, action: Any, events: list[Any], interpreter: Any, inputs: dict[str, Any]) -> Any:
        result = interpreter.execute(action.code, inputs)
        output = getattr(result, "output", None)
        entry = {"reasoning": action.reasoning, "code": action.code, "output": str(output or result)}
        events.append({"variables_info": str(inputs), "repl_entry": {"__dspy_repl__": "entry", **entry}})
        if output is None:
            return None
        events[-1].update(output)
        return dspy.Prediction(**output, history=dspy.History(messages=events))


def again(loaded: Any) -> Any:
    """A second module of the same source: what it would be, had it been imported only now."""
    spec = importlib.util.spec_from_file_location(f"{loaded.__name__}_again", str(loaded.__file__))
    assert spec is not None
    assert spec.loader is not None
    second = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(second)
    return second


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


class TaggedEntry(repl_types.REPLEntry):  # type: ignore[misc]
    """An entry of DSPy's that says what it is when it is dumped."""

    @pydantic.model_serializer()  # type: ignore[untyped-decorator,unused-ignore]
    def tagged(self) -> dict[str, Any]:
        return {"__dspy_repl__": "entry", "reasoning": "", "code": self.code, "output": self.output}


class TaggedMarker(pydantic.BaseModel):  # type: ignore[misc,unused-ignore]
    """A marker of DSPy's."""

    @pydantic.model_serializer()  # type: ignore[untyped-decorator,unused-ignore]
    def tagged(self) -> dict[str, Any]:
        return {"__dspy_repl__": "extract_fallback"}


def test_entries_are_dspys_where_those_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repl_types, "REPLEntry", TaggedEntry)
    monkeypatch.setattr(repl_types, "ExtractFallbackMarker", TaggedMarker, raising=False)
    second = again(entries)
    assert type(second.new_entry("r", "c", "o")) is TaggedEntry
    assert type(second.new_marker()) is TaggedMarker
    dumped = {"__dspy_repl__": "entry", "reasoning": "r", "code": "c", "output": "o"}
    assert type(second.live_entry(dumped)) is TaggedEntry
    assert type(second.live_entry({"__dspy_repl__": "extract_fallback"})) is TaggedMarker


@pytest.mark.parametrize(
    "value",
    [
        "text",
        {"a": "dict of the user's"},
        {"__dspy_repl__": "something new"},
        {"__dspy_repl__": "entry", "code": 1, "output": "broken"},
        None,
    ],
)
def test_what_is_no_entry_stays_as_it_is(value: Any) -> None:
    assert entries.live_entry(value) is value


def test_an_unknown_default_adapter_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    predict = importlib.import_module("dspy.predict.predict")
    for name in ("ChatAdapter", "XMLAdapter"):
        monkeypatch.delattr(predict, name, raising=False)
    with pytest.raises(RuntimeError, match=r"Configure one, as in dspy\.configure"):
        default_adapter()


def test_repl_types_that_are_elsewhere_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dspy.primitives.repl_types", None)
    with pytest.raises(ImportError, match=r"it has no dspy\.primitives\.repl_types\. Update react-shims"):
        again(installed)


@pytest.mark.dspy("<3.5")
def test_the_installed_class_is_built_upon_as_it_is() -> None:
    prediction, _ = run(rlm(), [SUBMIT], **QUESTION)
    assert Path(inspect.getfile(dspy.RLM)).parts[-3:] == ("dspy", "predict", "rlm.py")
    assert prediction.answer == 13
