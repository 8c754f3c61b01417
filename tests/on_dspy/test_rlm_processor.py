"""What a `history_processor` may do with a run's history, and what it cannot."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

import dspy
import pytest
from rlm_runs import LOOK, QUESTION, SUBMIT, Way, act, answer, both_ways, first, rlm, run
from scripted import ScriptedLM

pytestmark = pytest.mark.dspy(">=3.3")


def keep_the_last(history: Any) -> None:
    """Edits the history it is given."""
    del history.messages[:-1]


def keep_none(history: Any) -> Any:
    """Returns another one."""
    return dspy.History(messages=[])


@both_ways
def test_a_processor_may_edit_its_copy_and_return_nothing(way: Way) -> None:
    replies = [act("print('one')"), act("print('two')"), act("print('three')"), SUBMIT]
    prediction, lm = way.run(rlm(history_processor=keep_the_last), replies, **QUESTION)
    assert "print('two')" not in lm.shown(3)
    assert "print('three')" in lm.shown(3)
    assert len(lm.conversation(3)) == len(lm.conversation(1)) == 4
    assert len(prediction.repl_trajectory) == 4
    assert [event["iteration"] for event in prediction.history.messages] == ["3/20", "4/20"]


@both_ways
def test_a_processor_may_return_another_history(way: Way) -> None:
    _, lm = way.run(rlm(history_processor=keep_none), [LOOK, LOOK, SUBMIT], **QUESTION)
    assert [len(lm.conversation(request)) for request in range(3)] == [1, 1, 1]


@both_ways
def test_the_processor_of_the_call_wins(way: Way) -> None:
    asked: list[str] = []
    agent = rlm(history_processor=lambda history: asked.append("the constructor's"))
    way.run(agent, [SUBMIT], **QUESTION, history_processor=lambda history: asked.append("the call's"))
    way.run(agent, [SUBMIT], **QUESTION, history_processor=None)
    way.run(agent, [SUBMIT], **QUESTION)
    assert asked == ["the call's", "the constructor's", "the constructor's"]


def test_it_is_asked_before_every_request_for_code() -> None:
    seen: list[int] = []
    agent = rlm(max_iters=2, history_processor=lambda history: seen.append(len(history.messages)))
    run(agent, [LOOK, LOOK, answer(answer=1)], **QUESTION, history=first().history)
    assert seen == [2, 3]


@both_ways
def test_the_extract_predictor_sees_all_of_the_run(way: Way) -> None:
    agent = rlm(max_iters=2, history_processor=keep_none)
    _, lm = way.run(agent, [act("print('one')"), LOOK, answer(answer=1)], **QUESTION)
    assert "print('one')" in lm.shown(2)


@both_ways
def test_a_processor_that_fails_is_logged_and_the_run_goes_on(
    way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(history: Any) -> Any:
        history.messages.clear()
        raise RuntimeError("no summary today")

    with caplog.at_level(logging.WARNING):
        prediction, lm = way.run(rlm(history_processor=fail), [LOOK, SUBMIT], **QUESTION)
    assert prediction.answer == 13
    assert len(prediction.history.messages) == 2
    assert "How long is it?" in lm.shown(1)
    [one, two] = [record for record in caplog.records if "history_processor failed" in record.getMessage()]
    assert one.exc_info is not None
    assert "no summary today" in str(one.exc_info[1])
    assert one.levelname == two.levelname == "WARNING"


@pytest.mark.parametrize("wrong", [{"messages": []}, [], "text"], ids=["dict", "list", "text"])
def test_a_processor_that_returns_no_history_fails(wrong: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        prediction, _ = run(rlm(history_processor=lambda history: wrong), [SUBMIT], **QUESTION)
    assert prediction.answer == 13
    [record] = [record for record in caplog.records if record.exc_info]
    assert record.exc_info is not None
    assert f"not {type(wrong).__name__}" in str(record.exc_info[1])


@both_ways
def test_a_processor_cannot_reach_what_the_call_was_given(way: Way) -> None:
    def vandalise(history: Any) -> None:
        for event in history.messages:
            event.get("context", []).append("vandalised")
            event["answer"] = -1

    earlier, _ = run(rlm("context: list[str] -> answer: int"), [SUBMIT], context=["a"])
    before = copy.deepcopy(earlier.history)
    agent = rlm("context: list[str] -> answer: int", history_processor=vandalise)
    given = ["b"]
    way.run(agent, [LOOK, SUBMIT], context=given, history=earlier.history)
    assert earlier.history == before
    assert given == ["b"]


@both_ways
def test_a_processor_that_keeps_what_it_returned_cannot_change_the_run(way: Way) -> None:
    kept: list[Any] = []

    def keep(history: Any) -> Any:
        for earlier in kept:
            earlier.messages.clear()
        kept.append(history)
        return history

    prediction, lm = way.run(rlm(history_processor=keep), [LOOK, LOOK, SUBMIT], **QUESTION)
    assert len(prediction.history.messages) == 3
    assert len(lm.conversation(2)) == 7


def test_a_processor_gets_values_that_cannot_be_copied() -> None:
    class Uncopyable(str):
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("there is only one of me")

    lock = Uncopyable("only one")
    seen: list[Any] = []
    agent = rlm(history_processor=lambda history: seen.extend(history.messages))
    prediction, _ = run(agent, [LOOK, SUBMIT], context=lock, query="?")
    assert prediction.answer == len(lock)
    assert seen[0]["context"] is lock


def test_a_processor_may_go_through_json() -> None:
    def reload(history: Any) -> Any:
        return dspy.History.model_validate_json(history.model_dump_json())

    _, plain = run(rlm(), [LOOK, LOOK, SUBMIT], **QUESTION)
    prediction, lm = run(rlm(history_processor=reload), [LOOK, LOOK, SUBMIT], **QUESTION)
    assert lm.prompts == plain.prompts
    assert not isinstance(prediction.history.messages[0]["repl_entry"], dict)


def test_a_summary_that_a_processor_writes_is_shown() -> None:
    def summarise(history: Any) -> Any:
        return dspy.History(
            messages=[{"variables_info": "Before: it was long.", "reasoning": "", "code": ""}]
        )

    _, lm = run(rlm(history_processor=summarise), [LOOK, SUBMIT], **QUESTION)
    assert "Before: it was long." in lm.conversation(1)[0][1]


def test_a_module_as_the_processor_is_a_part_of_the_program() -> None:
    class Summary(dspy.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.summarise = dspy.Predict("log -> summary")

        def forward(self, history: Any) -> Any:
            if not history.messages:
                return history
            summary = self.summarise(log=str(history.messages)).summary
            return dspy.History(messages=[{"variables_info": summary, "reasoning": "", "code": ""}])

    agent = rlm(history_processor=Summary())
    assert {name for name, _ in agent.named_predictors()} == {
        "generate_action",
        "extract",
        "history_processor.summarise",
    }
    replies = [LOOK, answer(summary="It is short."), SUBMIT]
    _, lm = run(agent, replies, **QUESTION)
    assert "It is short." in lm.shown(2)
    assert "How long is it?" not in lm.shown(2)


def test_compaction_lasts_from_call_to_call() -> None:
    agent = rlm(history_processor=keep_the_last)
    lm = ScriptedLM([LOOK, SUBMIT, LOOK, SUBMIT, LOOK, SUBMIT])
    history = None
    for _ in range(3):
        prediction, _ = run(agent, lm, **QUESTION, history=history)
        history = prediction.history.model_dump_json()
    assert len(json.loads(history or "")["messages"]) == 2
    assert [len(lm.conversation(request)) for request in range(6)] == [1, 4, 4, 4, 4, 4]
