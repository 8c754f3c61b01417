"""How a run of `react_shims.ReAct` ends when the forced submit fails: as asked, the same on every DSPy."""

from __future__ import annotations

import asyncio
from typing import Any

import dspy
import pytest
from scripted import TEXT, ScriptedLM, fields, overflow, say, submit, turn
from ways import Way, in_every_way, look, search

from react_shims import trajectory_of
from react_shims.transition import v2_class

if v2_class():
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

SYNC = Way(asynchronous=False, native=False)
LOOK = turn("one", look("a"))
NOTHING = turn("I do not know what to do")
INCOMPLETE = turn("done", ("submit", {}))

# What the model does after its first step, and V2's word for why the loop ended. An adapter that cannot
# parse a reply asks a second time.
ENDINGS = {
    "no tool call": ([NOTHING, NOTHING], "empty_tool_calls"),
    "an incomplete submit": ([NOTHING, INCOMPLETE], "empty_tool_calls"),
    "overflows": ([overflow(), overflow()], "context_window_exceeded"),
    "garbled replies": ([say("Hello!")] * 4, "parse_error"),
}

every_ending = pytest.mark.parametrize("ending", ENDINGS)


def agent(**options: Any) -> Any:
    return ReAct("question, unit: str -> amount: int, note", tools=[search], **options)


def replies(ending: str, *more: Any) -> list[Any]:
    return [LOOK, *ENDINGS[ending][0], *more]


INPUTS = {"question": "how much?", "unit": "kg"}


@in_every_way
@every_ending
def test_return_gives_the_history_and_the_reason(way: Way, ending: str) -> None:
    lm = way.lm(replies(ending))
    prediction = way.ask(agent(on_failure="return"), lm, **INPUTS)
    assert prediction.termination_reason == ENDINGS[ending][1]
    assert set(prediction.keys()) == {"history", "termination_reason"}
    assert str(prediction.history.messages[0]["next_thought"]) == "one"
    assert prediction.trajectory["observation_0"] == "found a"
    assert lm.replies == []


@in_every_way
@every_ending
def test_raise_raises_with_the_history(way: Way, ending: str) -> None:
    expected: Any = {
        "overflows": dspy.ContextWindowExceededError,
        "garbled replies": dspy.AdapterParseError,
    }.get(ending, ValueError)
    with pytest.raises(expected) as raised:
        way.ask(agent(on_failure="raise"), way.lm(replies(ending)), **INPUTS)
    assert raised.value.termination_reason == ENDINGS[ending][1]
    assert trajectory_of(raised.value.history)["observation_0"] == "found a"
    if ending == "no tool call":
        assert "failed to produce final outputs after empty_tool_calls: no submit call" in str(raised.value)
    if ending == "an incomplete submit":
        assert "after empty_tool_calls: submit failed" in str(raised.value)
        assert "amount" in str(raised.value)


@in_every_way
@every_ending
def test_extract_gives_typed_outputs(way: Way, ending: str) -> None:
    extraction = fields(reasoning="I see.", amount="42", note="as found")
    lm = way.lm(replies(ending, extraction))
    prediction = way.ask(agent(on_failure="extract"), lm, **INPUTS)
    assert (prediction.amount, prediction.note) == (42, "as found")
    assert prediction.termination_reason == "extracted"
    assert set(prediction.keys()) == {"amount", "note", "history", "termination_reason"}
    shown = lm.shown(-1)
    for text in ("how much?", "kg", "found a", "one"):
        assert text in shown
    assert prediction.trajectory["thought_0"] == "one"
    assert "finish" not in prediction.trajectory.values(), "V1's extractor was no step either"
    assert lm.replies == []


@in_every_way
@pytest.mark.parametrize("choice", [None, "raise", "return", "extract"])
def test_a_run_that_succeeds_is_the_same_with_every_choice(way: Way, choice: Any) -> None:
    for last, reason in ((submit(amount=1, note="n"), "submit"), (NOTHING, "forced_submit")):
        more = [] if reason == "submit" else [submit(amount=1, note="n")]
        prediction = way.ask(agent(on_failure=choice), way.lm([LOOK, last, *more]), **INPUTS)
        assert prediction.termination_reason == reason
        assert prediction.amount == 1


@in_every_way
@every_ending
def test_by_default_the_installed_release_decides(way: Way, ending: str) -> None:
    program = agent()
    if hasattr(v2_class(), "aforward"):  # 3.4 and later
        with pytest.raises((ValueError, dspy.AdapterParseError, dspy.ContextWindowExceededError)) as raised:
            way.ask(program, way.lm(replies(ending)), **INPUTS)
        assert trajectory_of(raised.value.history)["observation_0"] == "found a"
    else:
        prediction = way.ask(program, way.lm(replies(ending)), **INPUTS)
        assert prediction.termination_reason == ENDINGS[ending][1]
        assert "amount" not in prediction


@every_ending
@pytest.mark.parametrize("max_iters", [0, 1, 5])
def test_the_reason_is_the_one_that_v2_itself_gives(ending: str, max_iters: int) -> None:
    """3.3 returns it; from 3.4 on it is in the error's text, where DSPy writes that text itself."""
    bare = v2_class()("question, unit: str -> amount: int, note", tools=[search], max_iters=max_iters)
    plan = replies(ending) if max_iters == 5 else [LOOK] * max_iters + ENDINGS[ending][0][-1:] * 2
    try:
        prediction = SYNC.ask(bare, SYNC.lm(plan), **INPUTS)
        theirs = prediction.termination_reason
    except (ValueError, dspy.AdapterParseError, dspy.ContextWindowExceededError) as error:
        theirs = str(error)
    ours = SYNC.ask(agent(on_failure="return", max_iters=max_iters), SYNC.lm(plan), **INPUTS)
    if "failed to produce final outputs" in theirs or hasattr(v2_class(), "aforward") is False:
        assert ours.termination_reason in theirs
    if max_iters < 5:
        assert ours.termination_reason == "max_iters"


@in_every_way
def test_other_errors_come_out_as_they_are(way: Way) -> None:
    for choice in ("raise", "return", "extract"):
        with pytest.raises(KeyboardInterrupt):
            way.ask(agent(on_failure=choice), way.lm([LOOK, KeyboardInterrupt()]), **INPUTS)


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(
        ValueError, match="on_failure must be 'raise', 'return', 'extract' or None, not 'retrun'"
    ):
        agent(on_failure="retrun")


# --- extraction ---------------------------------------------------------------------------------------------


@in_every_way
def test_extraction_shortens_on_overflow_as_v1s_extractor_did(way: Way) -> None:
    plan = [
        LOOK,
        turn("two", look("b")),
        NOTHING,
        NOTHING,
        overflow(),
        fields(reasoning="", amount=1, note="n"),
    ]
    lm = way.lm(plan)
    prediction = way.ask(agent(on_failure="extract"), lm, **INPUTS)
    assert prediction.amount == 1
    assert "found a" not in lm.shown(-1)
    assert "found b" in lm.shown(-1)
    assert prediction.trajectory["observation_0"] == "found a"


@in_every_way
def test_extraction_that_overflows_to_the_end_raises(way: Way) -> None:
    plan = [LOOK, turn("two", look("b")), NOTHING, NOTHING, overflow(), overflow()]
    with pytest.raises(dspy.ContextWindowExceededError):
        way.ask(agent(on_failure="extract"), way.lm(plan), **INPUTS)


@in_every_way
def test_extraction_asks_a_users_override_what_to_drop(way: Way) -> None:
    class Lean(ReAct):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return {"a note": "a was found"}

    program = Lean("question, unit: str -> amount: int, note", tools=[search], on_failure="extract")
    lm = way.lm([LOOK, NOTHING, NOTHING, overflow(), fields(reasoning="", amount=1, note="n")])
    assert way.ask(program, lm, **INPUTS).amount == 1
    assert "a was found" in lm.shown(-1)


@in_every_way
def test_extraction_shows_earlier_answers_of_the_conversation(way: Way) -> None:
    first = way.ask(agent(), way.lm([LOOK, submit(amount=7, note="earlier")]), **INPUTS)
    plan = [turn("two", look("b")), NOTHING, NOTHING, fields(reasoning="", amount=8, note="n")]
    lm = way.lm(plan)
    second = way.ask(agent(on_failure="extract"), lm, question="and now?", unit="t", history=first.history)
    shown = lm.shown(-1)
    assert (
        shown.index("how much?") < shown.index("earlier") < shown.index("and now?") < shown.index("found b")
    )
    assert "found a" not in shown, "the trajectory is this run's"
    assert second.trajectory["thought_0"] == "two"


@in_every_way
def test_an_input_that_only_an_earlier_run_had_is_that_runs(way: Way) -> None:
    history = way.ask(agent(), way.lm([submit(amount=7, note="earlier")]), **INPUTS).history
    way.ask(agent(), way.lm([submit(amount=8, note="later")]), question="roughly?", history=history)
    lm = way.lm([NOTHING, NOTHING, fields(reasoning="", amount=9, note="n")])
    way.ask(agent(on_failure="extract"), lm, question="and now?", history=history)
    shown = lm.shown(-1)
    assert shown.index("earlier") < shown.index("roughly?") < shown.index("later")
    assert shown.count("kg") == 1


def test_a_conversation_goes_on_after_an_extraction() -> None:
    plan = [LOOK, NOTHING, NOTHING, fields(reasoning="", amount=8, note="as found")]
    first = SYNC.ask(agent(on_failure="extract"), SYNC.lm(plan), **INPUTS)
    for native in (False, True):
        way = Way(asynchronous=False, native=native)
        lm = way.lm([submit(amount=1, note="n")])
        way.ask(agent(copy_history=True), lm, question="sure?", unit="kg", history=first.history)
        assert "as found" in lm.shown(0)


@in_every_way
def test_extraction_of_a_run_without_any_step(way: Way) -> None:
    plan = [NOTHING, NOTHING, fields(reasoning="", amount=1, note="n")]
    lm = way.lm(plan)
    prediction = way.ask(agent(on_failure="extract"), lm, **INPUTS)
    assert prediction.trajectory == {}
    assert prediction.history.messages[0]["question"] == "how much?"


@in_every_way
def test_extraction_of_a_resumed_run_knows_its_inputs(way: Way) -> None:
    history = dspy.History(messages=[])
    with pytest.raises(KeyboardInterrupt):
        way.ask(agent(), way.lm([LOOK, KeyboardInterrupt()]), history=history, **INPUTS)
    lm = way.lm([NOTHING, NOTHING, fields(reasoning="", amount=1, note="n")])
    way.ask(agent(on_failure="extract"), lm, history=history)
    assert "how much?" in lm.shown(-1)


@in_every_way
def test_extraction_leaves_predictors_and_state_alone(way: Way) -> None:
    program = agent(on_failure="extract")
    before = program.dump_state()
    way.ask(program, way.lm([NOTHING, NOTHING, fields(reasoning="", amount=1, note="n")]), **INPUTS)
    assert program.dump_state() == before
    assert [name for name, _ in program.named_predictors()] == ["react"]


def test_extraction_uses_the_agents_own_model() -> None:
    program = agent(on_failure="extract")
    lm = ScriptedLM([NOTHING, NOTHING, fields(reasoning="", amount=1, note="n")])
    program.set_lm(lm.lm)
    with dspy.context(adapter=TEXT):
        assert program(**INPUTS).amount == 1


@in_every_way
def test_a_signature_with_a_field_called_trajectory_can_be_extracted(way: Way) -> None:
    program = ReAct("trajectory -> answer", tools=[search], on_failure="extract")
    lm = way.lm([LOOK, NOTHING, NOTHING, fields(reasoning="", answer="x")])
    assert way.ask(program, lm, trajectory="a curve").answer == "x"
    assert "a curve" in lm.shown(-1)
    assert "found a" in lm.shown(-1)


def test_runs_at_the_same_time_do_not_mix_their_outcomes() -> None:
    program = agent(on_failure="return")
    lms = [ScriptedLM([LOOK, NOTHING, NOTHING]), ScriptedLM([LOOK, overflow(), overflow()])]

    async def ask(lm: ScriptedLM) -> Any:
        with dspy.context(lm=lm.lm, adapter=TEXT):
            return await program.acall(**INPUTS)

    async def ask_all() -> Any:
        return await asyncio.gather(*map(ask, lms))

    reasons = [prediction.termination_reason for prediction in asyncio.run(ask_all())]
    assert reasons == ["empty_tool_calls", "context_window_exceeded"]
