"""What `react_shims.ReAct` does when the history outgrows the context window, if asked to do anything."""

from __future__ import annotations

import copy
import importlib.util
import inspect
from typing import Any

import dspy
import pytest
from scripted import overflow, submit, turn
from ways import Way, in_every_way, look, search

from react_shims import transition
from react_shims.transition import v2_class
from react_shims.truncation import TruncationHook

if v2_class():
    from react_shims import react
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

SYNC = Way(asynchronous=False, native=False)
TWO_STEPS = [turn("one", look("a")), turn("two", look("b"))]


def agent(**options: Any) -> Any:
    return ReAct("question -> answer", tools=[search], **options)


# --- by default: as the installed V2 ------------------------------------------------------------------------


@in_every_way
def test_by_default_nothing_is_dropped(way: Way) -> None:
    lm = way.lm([*TWO_STEPS, overflow(), submit(answer="x")])
    prediction = way.ask(agent(), lm, question="why?")
    assert prediction.termination_reason == "forced_submit"
    assert "found a" in lm.shown(3)


# --- truncate=True ------------------------------------------------------------------------------------------


@in_every_way
def test_truncate_drops_the_oldest_step_and_asks_again(way: Way) -> None:
    lm = way.lm([*TWO_STEPS, overflow(), turn("three", look("c")), submit(answer="x")])
    prediction = way.ask(agent(truncate=True), lm, question="why?")
    assert prediction.termination_reason == "submit"
    for request in (3, 4):
        assert "found a" not in lm.shown(request)
        assert "found b" in lm.shown(request)
        assert "why?" in lm.shown(request)
    assert [str(event["next_thought"]) for event in prediction.history.messages] == [
        "one",
        "two",
        "three",
        "done",
    ]


@in_every_way
def test_truncate_tries_three_times_in_a_call(way: Way) -> None:
    steps = [turn(str(number), look(f"q{number}")) for number in range(5)]
    lm = way.lm([*steps, overflow(), overflow(), overflow(), submit(answer="x")])
    prediction = way.ask(agent(truncate=True), lm, question="why?")
    assert prediction.termination_reason == "forced_submit"
    assert "found q3" in lm.shown(8)
    assert "found q2" not in lm.shown(8)


@in_every_way
def test_truncate_begins_with_the_oldest_run_of_a_conversation(way: Way) -> None:
    first = way.ask(agent(), way.lm([turn("one", look("a")), submit(answer="x")]), question="why?")
    lm = way.lm([turn("two", look("b")), overflow(), overflow(), submit(answer="y")])
    second = way.ask(agent(truncate=True), lm, question="and then?", history=first.history)
    assert second.termination_reason == "submit"
    assert "found a" not in lm.shown(2)
    assert "why?" in lm.shown(2), "inputs of a dropped first event survive"
    shown = lm.shown(3)
    assert "why?" not in shown, "the first run is gone altogether"
    assert "and then?" in shown
    assert "found b" in shown
    assert len(second.history.messages) == 4


# --- an override --------------------------------------------------------------------------------------------


@in_every_way
def test_an_override_needs_no_mixin_and_may_call_super(way: Way) -> None:
    class Lean(ReAct):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            self.seen = copy.deepcopy(trajectory)
            return super().truncate_trajectory(trajectory)

    lean = Lean("question -> answer", tools=[search])
    lm = way.lm([*TWO_STEPS, overflow(), submit(answer="x")])
    assert way.ask(lean, lm, question="why?").termination_reason == "submit"
    assert [key for key in lean.seen if key.startswith("thought")] == ["thought_0", "thought_1"]
    assert "found a" not in lm.shown(3)


@in_every_way
def test_an_override_patched_onto_the_instance_is_asked(way: Way) -> None:
    program = agent()
    program.truncate_trajectory = lambda trajectory: {"summary": "short"}
    lm = way.lm([*TWO_STEPS, overflow(), submit(answer="x")])
    way.ask(program, lm, question="why?")
    assert "summary: short" in lm.shown(3)


@in_every_way
def test_an_override_goes_before_a_processor(way: Way) -> None:
    class Lean(ReAct):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return {"summary": "short"}

    def unused(history: Any) -> Any:
        raise AssertionError("not to be called")

    lean = Lean("question -> answer", tools=[search], history_processor=unused, truncate=True)
    lm = way.lm([*TWO_STEPS, overflow(), submit(answer="x")])
    way.ask(lean, lm, question="why?", history_processor=unused)
    assert "summary: short" in lm.shown(3)


@in_every_way
def test_the_mixin_and_the_shim_go_together(way: Way) -> None:
    class Lean(TruncationHook, ReAct):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return super().truncate_trajectory(trajectory)

    lean = Lean("question -> answer", tools=[search], on_failure="extract")
    lm = way.lm([*TWO_STEPS, overflow(), submit(answer="x")])
    prediction = way.ask(lean, lm, question="why?")
    assert "found a" not in lm.shown(3)
    assert prediction.trajectory["thought_0"] == "one"


# --- history_processor --------------------------------------------------------------------------------------


def only_last(history: Any) -> Any:
    return dspy.History(messages=history.messages[-1:])


@in_every_way
def test_a_processor_decides_before_every_call(way: Way) -> None:
    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    prediction = way.ask(agent(history_processor=only_last), lm, question="why?")
    assert "found a" in lm.shown(1)
    assert "found a" not in lm.shown(2)
    assert "found b" in lm.shown(2)
    assert len(prediction.history.messages) == 3


@in_every_way
def test_a_processor_decides_before_the_forced_submit_too(way: Way) -> None:
    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    prediction = way.ask(agent(history_processor=only_last, max_iters=2), lm, question="why?")
    assert prediction.termination_reason == "forced_submit"
    assert "found a" not in lm.shown(2)


@in_every_way
def test_a_processor_may_edit_its_private_copy(way: Way) -> None:
    def shorten(history: Any) -> None:
        for event in history.messages:
            event["tool_calls"].tool_call_results.tool_call_results[0].value = "(cut)"
            event["tool_calls"].tool_calls[0].args["query"] = "(cut)"
        del history.messages[:-1]

    given = dspy.History(messages=[])
    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    prediction = way.ask(agent(history_processor=shorten), lm, question="why?", history=given)
    assert "(cut)" in lm.shown(2)
    assert "found" not in lm.shown(2)
    assert prediction.trajectory["observation_0"] == "found a"
    assert prediction.trajectory["tool_args_0"] == {"query": "a"}
    assert len(given.messages) == 3


@in_every_way
def test_what_a_processor_made_stays_for_the_run(way: Way) -> None:
    lengths = []

    def compact(history: Any) -> Any:
        lengths.append(len(history.messages))
        return only_last(history)

    lm = way.lm([*TWO_STEPS, turn("three", look("c")), submit(answer="x")])
    way.ask(agent(history_processor=compact), lm, question="why?")
    assert lengths == [0, 1, 2, 2]


@in_every_way
def test_a_processor_per_call_overrides_the_agents(way: Way) -> None:
    def unused(history: Any) -> Any:
        raise AssertionError("not to be called")

    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    way.ask(agent(history_processor=unused), lm, question="why?", history_processor=only_last)
    assert "found a" not in lm.shown(2)
    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    way.ask(agent(history_processor=unused), lm, question="why?", history_processor=None)
    assert "found a" in lm.shown(2)


@in_every_way
@pytest.mark.parametrize("mistake", ["raises", "returns text"])
def test_a_processor_that_fails_is_logged_and_the_run_goes_on(
    way: Way, mistake: str, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(history: Any) -> Any:
        history.messages.clear()
        if mistake == "raises":
            raise RuntimeError("out of order")
        return "a text"

    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    assert way.ask(agent(history_processor=failing), lm, question="why?").answer == "x"
    assert "found a" in lm.shown(2)
    assert "history_processor failed" in caplog.text
    assert ("out of order" if mistake == "raises" else "not str") in caplog.text


@in_every_way
def test_a_module_as_processor_is_part_of_the_program(way: Way) -> None:
    class Compactor(dspy.Module):
        def __init__(self) -> None:
            super().__init__()
            self.summarise = dspy.Predict("text -> summary")

        def forward(self, history: Any) -> Any:
            return only_last(history)

    program = agent(history_processor=Compactor())
    assert [name for name, _ in program.named_predictors()] == ["react", "history_processor.summarise"]
    assert [name for name, _ in agent().named_predictors()] == ["react"]
    lm = way.lm([*TWO_STEPS, submit(answer="x")])
    way.ask(program, lm, question="why?")
    assert "found a" not in lm.shown(2)


@in_every_way
def test_a_signature_with_an_input_of_that_name_keeps_it(way: Way) -> None:
    lm = way.lm([submit(answer="x")])
    program = ReAct("history_processor -> answer", tools=[search])
    way.ask(program, lm, history_processor="the one in the basement")
    assert "the one in the basement" in lm.shown(0)


def test_a_v2_with_a_processor_of_its_own_uses_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """As proposed for DSPy; no release at hand has it."""
    got: list[Any] = []

    class Native(v2_class()):  # type: ignore[misc]
        def __init__(self, *args: Any, history_processor: Any = None, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.history_processor = history_processor

        def forward(self, **inputs: Any) -> Any:
            got.append(inputs.pop("history_processor", self.history_processor))
            return super().forward(**inputs)

        __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                *inspect.signature(v2_class().__init__).parameters.values(),
                inspect.Parameter("history_processor", inspect.Parameter.KEYWORD_ONLY, default=None),
            ]
        )

    monkeypatch.setattr(transition, "require_v2_class", lambda: Native)
    spec = importlib.util.spec_from_file_location("react_on_a_later_dspy", react.__file__)
    assert spec is not None
    assert spec.loader is not None
    later = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(later)
    program = later.ReAct("question -> answer", tools=[search], history_processor=only_last)
    for per_call, expected in (({}, only_last), ({"history_processor": len}, len)):
        lm = SYNC.lm([*TWO_STEPS, submit(answer="x")])
        SYNC.ask(program, lm, question="why?", **per_call)
        assert got.pop() is expected
        assert "found a" in lm.shown(2), "the shim processes nothing itself"
