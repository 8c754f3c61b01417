"""How history events look in V1's flat shape, and which of them are one run's."""

from __future__ import annotations

from typing import Any

import pytest
from events import FINISH, call, flat, submit, turn

from react_shims import trajectory_of
from react_shims.wire import Place, flat_view, to_events


def test_one_call_per_turn_is_one_step_per_turn() -> None:
    events = [
        turn("look", call("search", {"query": "a"}, "hit"), question="q"),
        turn("done", submit(answer="A"), answer="A"),
    ]
    assert trajectory_of(events) == flat(("look", "search", {"query": "a"}, "hit"), ("done", *FINISH))


def test_parallel_calls_are_steps_of_their_own_and_the_first_has_the_thought() -> None:
    events = [turn("both", call("a", value=1), call("b", value=2)), turn("c", call("c"))]
    view = flat_view(events)
    assert view.trajectory == flat(("both", "a", {}, 1), ("", "b", {}, 2), ("c", "c", {}, "ok"))
    assert view.places == {0: Place(0, 0), 1: Place(0, 1), 2: Place(1, 0)}


def test_an_unknown_tool_is_a_step() -> None:
    events = [turn("t", call("nope", value="Unknown tool: nope", error=True))]
    assert trajectory_of(events) == flat(("t", "nope", {}, "Unknown tool: nope"))


def test_a_rejected_submit_is_a_step_and_finishes_nothing() -> None:
    events = [
        turn("t", call("submit", {}, "Execution error in submit: ...", error=True), question="q"),
        turn("u", submit(answer="A"), answer="A"),
    ]
    expected = flat(("t", "submit", {}, "Execution error in submit: ..."), ("u", *FINISH))
    assert trajectory_of(events) == expected


def test_a_submit_without_a_result_finishes_nothing() -> None:
    event = turn("t", submit(answer="A"), question="q")
    del event["tool_calls"]["tool_call_results"]
    assert trajectory_of([event]) == flat(("t", "submit", {"answer": "A"}, None))


def test_outputs_are_known_by_the_submits_arguments_if_its_value_became_a_text() -> None:
    event = turn("t", submit(answer="A"), question="q", answer="A")
    event["tool_calls"]["tool_call_results"]["tool_call_results"][0]["value"] = "{'answer': 'A'}"
    assert trajectory_of([*FIRST, {**event, "question": "q"}]) == flat(("t", *FINISH))
    del event["question"]
    assert trajectory_of([turn("one", call("a"), question="q"), event]) == OF_FIRST | {"thought_1": "t"}


def test_calls_after_the_submit_come_before_finish_and_keep_the_thought() -> None:
    events = [turn("t", submit(answer="A"), call("log"), answer="A", question="q")]
    view = flat_view(events)
    assert view.trajectory == flat(("t", "log", {}, "ok"), ("", *FINISH))
    assert view.places[1] == Place(0, 0)


def test_of_two_submits_the_last_is_the_finish() -> None:
    events = [turn("t", submit(answer="A"), submit(answer="B"), answer="B", question="q")]
    view = flat_view(events)
    assert view.trajectory == flat(("t", *FINISH))
    assert view.places == {0: Place(0, 1)}


def test_a_missing_thought_is_an_empty_one() -> None:
    assert trajectory_of([turn(None, call("a"))]) == flat(("", "a", {}, "ok"))


@pytest.mark.parametrize("thought", [{"content": "t"}, "t"])
def test_thoughts_are_text_however_they_were_stored(thought: Any) -> None:
    assert trajectory_of([{**turn("t", call("a")), "next_thought": thought}])["thought_0"] == "t"


def test_arguments_may_be_edited_without_touching_the_history() -> None:
    events = [turn("t", call("a", {"x": 1}))]
    trajectory_of(events)["tool_args_0"]["x"] = 2
    assert trajectory_of(events)["tool_args_0"] == {"x": 1}


def test_providers_spelling_of_a_call_is_read_too() -> None:
    function = {"name": "a", "arguments": '{"x": 1}'}
    event = {"tool_calls": {"tool_calls": [{"id": "1", "type": "function", "function": function}]}}
    assert trajectory_of([event]) == flat(("", "a", {"x": 1}, None))


def test_results_in_another_number_are_paired_by_id() -> None:
    event = turn("t", call("a", value=1), call("b", value=2))
    del event["tool_calls"]["tool_call_results"]["tool_call_results"][0]
    assert trajectory_of([event]) == flat(("t", "a", {}, None), ("", "b", {}, 2))


@pytest.mark.parametrize("broken", [None, [], {}, ["x"], {"a": 1}, 7])
def test_broken_ids_break_nothing(broken: Any) -> None:
    event = turn("t", call("a"), call("b"))
    for each in event["tool_calls"]["tool_calls"]:
        each["id"] = broken
    results = event["tool_calls"]["tool_call_results"]["tool_call_results"]
    results[0]["call_id"] = broken
    assert trajectory_of([event]) == flat(("t", "a", {}, "ok"), ("", "b", {}, "ok"))
    del results[1]
    assert trajectory_of([event])["tool_name_1"] == "b"


FIRST = [turn("one", call("a"), question="q1"), turn("done", submit(answer="A"), answer="A")]
SECOND = [turn("two", call("b"), question="q2"), turn("done2", submit(answer="B"), answer="B")]
OF_FIRST = flat(("one", "a", {}, "ok"), ("done", *FINISH))
OF_SECOND = flat(("two", "b", {}, "ok"), ("done2", *FINISH))


def predicted(events: list[Any], reason: str = "submit", **outputs: Any) -> dict[str, Any]:
    """A prediction's fields, as `toDict()` gives them."""
    return {**outputs, "history": {"messages": events}, "termination_reason": reason}


def test_only_the_last_run_of_a_conversation_is_shown() -> None:
    assert trajectory_of(FIRST + SECOND) == OF_SECOND
    assert trajectory_of(predicted(FIRST + SECOND, answer="B")) == OF_SECOND


def test_an_earlier_prediction_is_told_by_its_outputs() -> None:
    assert trajectory_of(predicted(FIRST + SECOND, answer="A")) == OF_FIRST


def test_of_two_submits_the_last_gave_the_outputs() -> None:
    twice = [turn("twice", submit(answer="no"), submit(answer="A"), question="q1", answer="A")]
    assert trajectory_of(predicted(twice + SECOND, answer="A")) == flat(("twice", *FINISH))
    assert trajectory_of(predicted(twice + SECOND, answer="no")) == OF_SECOND


def test_outputs_that_were_edited_since_make_it_the_last_run() -> None:
    assert trajectory_of(predicted(FIRST + SECOND, answer="edited")) == OF_SECOND


def test_a_run_after_a_finished_one_needs_no_inputs_to_be_told_apart() -> None:
    assert trajectory_of([*FIRST, turn("more", call("b"))]) == flat(("more", "b", {}, "ok"))


def test_a_run_in_one_turn() -> None:
    events = [*FIRST, turn("at once", submit(answer="B"), question="q2", answer="B")]
    assert trajectory_of(events) == flat(("at once", *FINISH))


def test_resuming_an_unfinished_run_without_inputs_shows_both_parts() -> None:
    """Documented as inexact: nothing in the history tells the parts apart."""
    events = [turn("one", call("a"), question="q"), turn("two", call("b"))]
    assert trajectory_of(events) == flat(("one", "a", {}, "ok"), ("two", "b", {}, "ok"))


CHAT = {"question": "hi", "answer": "hello"}


def test_chat_events_are_no_steps() -> None:
    assert trajectory_of([CHAT, *FIRST]) == OF_FIRST
    assert trajectory_of([*FIRST, CHAT]) == OF_FIRST
    assert trajectory_of([*FIRST, CHAT, turn("more", call("b"))]) == flat(("more", "b", {}, "ok"))


@pytest.mark.parametrize("history", [[CHAT], {"messages": [CHAT]}, [], [1], {"messages": "none"}, "[", "[1]"])
def test_what_is_no_agents_history_has_no_trajectory(history: Any) -> None:
    assert trajectory_of(history, None) is None


def test_a_forced_submit_is_the_extractor_and_not_shown() -> None:
    events = [turn("one", call("a"), question="q1"), turn("forced", submit(answer="A"), answer="A")]
    assert trajectory_of(predicted(events, "forced_submit", answer="A")) == flat(("one", "a", {}, "ok"))


def test_a_converted_run_keeps_what_its_marker_says_beside_the_extractor() -> None:
    events = to_events({**flat(("one", "a", {}, "ok")), "note": 1}, {"question": "q"}, {"answer": "A"})
    expected = {**flat(("one", "a", {}, "ok")), "note": 1}
    assert trajectory_of(predicted(events, "forced_submit", answer="A")) == expected


def test_a_bare_history_cannot_tell_a_forced_submit() -> None:
    events = [turn("one", call("a"), question="q1"), turn("forced", submit(answer="A"), answer="A")]
    assert trajectory_of(events) == flat(("one", "a", {}, "ok"), ("forced", *FINISH))


def test_max_iters_of_zero() -> None:
    events = [turn("forced", submit(answer="A"), question="q", answer="A")]
    assert trajectory_of(predicted([*FIRST, *events], "forced_submit", answer="A")) == {}


@pytest.mark.parametrize("reason", ["max_iters", "parse_error", "context_window_exceeded", "failed"])
def test_a_failed_run_that_appended_nothing_is_empty(reason: str) -> None:
    assert trajectory_of(predicted([], reason)) == {}
    assert trajectory_of(predicted([CHAT], reason)) == {}
    assert trajectory_of(predicted(FIRST, reason)) == {}
    assert trajectory_of(predicted([*FIRST, CHAT], reason)) == {}


def test_a_failed_run_shows_what_it_did() -> None:
    events = [*FIRST, turn("two", call("b"), question="q2")]
    assert trajectory_of(predicted(events, "max_iters")) == flat(("two", "b", {}, "ok"))


def test_an_array_as_output_can_be_compared() -> None:
    """numpy's `==` has no truth value."""

    class Array:
        def __eq__(self, other: object) -> Any:
            raise ValueError("The truth value of an array with more than one element is ambiguous")

    events = [turn("t", submit(answer=Array()), question="q", answer=1)]
    assert trajectory_of(predicted(events, answer=Array())) == flat(("t", *FINISH))


@pytest.mark.parametrize(
    "marker", [{"number": "x", "step": 1, "missing": 2, "extra": [], "keys": {}}, [], "x", {"step": {"a": 1}}]
)
def test_a_damaged_marker_is_ignored(marker: Any) -> None:
    events = [{**turn("t", call("a")), "react_migrate": marker}]
    assert trajectory_of(events) == flat(("t", "a", {}, "ok"))
