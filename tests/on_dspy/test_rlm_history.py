"""Going on from an earlier run: the forms of `history=`, and whose it is."""

from __future__ import annotations

import copy
import json
from typing import Any

import dspy
import pytest
from rlm_runs import AGAIN, LOOK, QUESTION, SUBMIT, Way, act, answer, both_ways, first, rlm, run

from react_shims import dump_history

pytestmark = pytest.mark.dspy(">=3.3")


FORMS: dict[str, Any] = {
    "History": lambda history: history,
    "dict": lambda history: history.model_dump(),
    "dump": dump_history,
    "list": lambda history: history.messages,
    "JSON text": lambda history: history.model_dump_json(),
    "JSON bytes": lambda history: json.dumps(dump_history(history)).encode(),
}


@both_ways
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_call_goes_on_from_an_earlier_one(form: Any, way: Way) -> None:
    earlier = first()
    prediction, lm = way.run(rlm(), [SUBMIT], **AGAIN, history=form(earlier.history))
    assert "How long is it?" in lm.shown(0)
    assert "FINAL: {'answer': 13}" in lm.shown(0)
    assert prediction.answer == 4
    assert len(prediction.history.messages) == 3
    assert prediction.history.messages[2]["query"] == "And now?"
    assert len(prediction.repl_trajectory) == 1


@both_ways
def test_entries_of_a_reloaded_history_are_live_again(way: Way) -> None:
    text = first().history.model_dump_json()
    prediction, _ = way.run(rlm(), [SUBMIT], **AGAIN, history=text)
    kinds = {type(event["repl_entry"]) for event in prediction.history.messages}
    assert len(kinds) == 1
    assert issubclass(kinds.pop(), dspy.primitives.repl_types.REPLEntry)


def test_the_marker_of_extracted_outputs_comes_back() -> None:
    earlier, _ = run(rlm(max_iters=1), [LOOK, answer(answer=1)], **QUESTION)
    prediction, _ = run(rlm(), [SUBMIT], **AGAIN, history=earlier.history.model_dump_json())
    marker, reloaded = earlier.history.messages[1], prediction.history.messages[1]
    assert type(reloaded["repl_entry"]) is type(marker["repl_entry"])
    assert not isinstance(marker["repl_entry"], dict)


@pytest.mark.parametrize(
    "wrong", ["no JSON", {"no": "messages"}, 7, ["no event"]], ids=["text", "dict", "int", "list"]
)
@both_ways
def test_what_is_no_history_is_refused(way: Way, wrong: Any) -> None:
    with pytest.raises(ValueError, match="history"):
        way.run(rlm(), [SUBMIT], **AGAIN, history=wrong)


def test_without_a_history_there_is_a_new_one() -> None:
    for nothing in ({}, {"history": None}, {"history": dspy.History(messages=[])}):
        prediction, lm = run(rlm(), [SUBMIT], **AGAIN, **nothing)
        assert len(prediction.history.messages) == 1
        assert [role for role, _ in lm.conversation(0)] == ["user"]


@both_ways
@pytest.mark.parametrize("form", [FORMS["History"], FORMS["dict"], FORMS["list"]])
def test_what_a_call_was_given_is_not_modified(form: Any, way: Way) -> None:
    given = form(first().history)
    before = copy.deepcopy(given)
    prediction, _ = way.run(rlm(), [LOOK, SUBMIT], **AGAIN, history=given)
    assert given == before
    assert prediction.history is not given
    assert prediction.history.messages is not getattr(given, "messages", given)


def test_two_calls_from_one_history_do_not_see_each_other() -> None:
    earlier = first().history
    one, _ = run(rlm(), [act("SUBMIT(1)")], **AGAIN, history=earlier)
    two, _ = run(rlm(), [act("SUBMIT(2)")], **AGAIN, history=earlier)
    assert (len(one.history.messages), len(two.history.messages)) == (3, 3)
    assert one.history.messages[2]["answer"] == 1
