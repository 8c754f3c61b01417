"""What a `truncate_trajectory` override leaves of the flat view is what the model is shown."""

from __future__ import annotations

import copy
from typing import Any

from events import FINISH, call, flat, submit, turn
from hypothesis import given, settings
from hypothesis import strategies as st

from react_shims.wire import flat_view, keep_steps

EVENTS = [
    turn("one", call("a", {"x": 1}, "A"), call("b", {}, "B"), question="q"),
    turn("two", call("c", {}, "C")),
    turn("three", call("d", {}, "D")),
]


def view() -> dict[str, Any]:
    return flat_view(EVENTS).trajectory


def without(*numbers: int) -> dict[str, Any]:
    return {key: value for key, value in view().items() if int(key.rpartition("_")[2]) not in numbers}


def shown(events: Any) -> list[Any]:
    """All that the model sees of events, in order."""
    return [
        [
            event.get("question"),
            event.get("next_thought"),
            *((each["name"], each["args"]) for each in event["tool_calls"]["tool_calls"]),
            *(each["value"] for each in event["tool_calls"]["tool_call_results"]["tool_call_results"]),
        ]
        for event in events
    ]


def test_an_unedited_view_gives_the_very_same_events() -> None:
    kept = keep_steps(EVENTS, view())
    assert [id(event) for event in kept.events] == [id(event) for event in EVENTS]
    assert (kept.inputs, kept.remainder) == ({}, "")


def test_a_removed_first_event_leaves_its_inputs_to_the_next() -> None:
    kept = keep_steps(EVENTS, without(0, 1))
    assert shown(kept.events) == [["q", "two", ("c", {}), "C"], [None, "three", ("d", {}), "D"]]
    assert kept.events[1] is EVENTS[2]


def test_inputs_that_no_event_is_left_for_are_handed_back() -> None:
    kept = keep_steps(EVENTS, {})
    assert kept.events == []
    assert kept.inputs == {"question": "q"}


def test_part_of_a_turn() -> None:
    kept = keep_steps(EVENTS, without(0))
    assert shown(kept.events)[0] == ["q", None, ("b", {}), "B"]
    results = kept.events[0]["tool_calls"]["tool_call_results"]["tool_call_results"]
    assert [each["call_id"] for each in results] == ["id_one_1"]


def test_edited_values_are_shown() -> None:
    edited = view()
    edited["observation_0"] = "A ..."
    edited["tool_args_1"] = {"short": True}
    edited["thought_2"] = "TWO"
    edited["tool_name_3"] = "e"
    assert shown(keep_steps(EVENTS, edited).events) == [
        ["q", "one", ("a", {"x": 1}), ("b", {"short": True}), "A ...", "B"],
        [None, "TWO", ("c", {}), "C"],
        [None, "three", ("e", {}), "D"],
    ]


def test_a_removed_observation_leaves_a_result_behind() -> None:
    """A native call without a result is not replayed, and neither are those of the same turn."""
    edited = view()
    del edited["observation_0"]
    assert shown(keep_steps(EVENTS, edited).events)[0][4:] == ["[truncated]", "B"]


def test_keys_of_no_step_go_before_the_next_thought() -> None:
    edited = {"summary": "we searched", "thought_99": "so far, so good", **without(0, 1)}
    kept = keep_steps(EVENTS, edited)
    assert shown(kept.events)[0][1] == "summary: we searched\nthought_99: so far, so good\ntwo"
    assert kept.remainder == ""


def test_a_step_of_which_only_the_thought_is_left_is_text() -> None:
    """A usual way to summarize: drop a step, and write what it was about in its thought."""
    edited = {"thought_0": "a said A", **without(0)}
    assert shown(keep_steps(EVENTS, edited).events)[0] == ["q", "a said A", ("b", {}), "B"]


def test_text_behind_the_last_step_is_handed_back() -> None:
    kept = keep_steps(EVENTS, {**view(), "note": "hurry", 7: "odd"})
    assert kept.remainder == "note: hurry\n7: odd"
    assert kept.events[-1] is EVENTS[-1]


def test_a_finished_turn_without_its_submit_has_no_outputs() -> None:
    events = [turn("t", call("a"), submit(answer="A"), question="q", answer="A")]
    kept = keep_steps(events, flat(("t", "a", {}, "ok")))
    assert kept.events[0]["question"] == "q"
    assert "answer" not in kept.events[0]
    assert shown(kept.events) == [["q", "t", ("a", {}), "ok"]]


def test_a_kept_finish_is_still_the_submit() -> None:
    events = [turn("t", submit(answer="A"), submit(answer="B"), question="q", answer="B")]
    assert keep_steps(events, flat(("t", *FINISH))).events[0] is events[0]


def test_runs_do_not_inherit_each_others_inputs() -> None:
    events = [
        turn("one", call("a"), question="q1"),
        turn("done", submit(answer="A"), answer="A"),
        turn("two", call("b"), question="q2"),
    ]
    edited = {key: value for key, value in flat_view(events).trajectory.items() if key.endswith("_2")}
    assert keep_steps(events, edited) == ([events[2]], {}, "")


def test_an_abandoned_runs_inputs_go_with_it() -> None:
    events = [turn("one", call("a"), question="q1", context="c1"), turn("two", call("b"), question="q2")]
    edited = {key: value for key, value in flat_view(events).trajectory.items() if key.endswith("_1")}
    assert keep_steps(events, edited) == ([events[1]], {}, "")


def test_a_finished_run_that_is_gone_leaves_no_inputs() -> None:
    events = [turn("one", call("a"), question="q"), turn("done", submit(answer="A"), answer="A")]
    assert keep_steps(events, {}) == ([], {}, "")


def test_chat_stays() -> None:
    chat = {"question": "hi", "answer": "hello"}
    assert keep_steps([chat, *EVENTS], {}).events == [chat]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_is_edited_nothing_else_is_lost_and_nothing_given_changes(data: st.DataObject) -> None:
    edited = {key: value for key, value in view().items() if data.draw(st.booleans(), label=key)}
    for key in data.draw(st.lists(st.sampled_from(sorted(view())), max_size=3)):
        edited[key] = f"edited {key}"
    edited |= data.draw(st.dictionaries(st.sampled_from(["note", "thought_77"]), st.just("a note")))
    order = data.draw(st.permutations(list(edited)))
    edited = {key: edited[key] for key in order}
    before = copy.deepcopy((EVENTS, edited))
    kept = keep_steps(EVENTS, edited)
    assert (EVENTS, edited) == before
    said = repr(shown(kept.events)) + kept.remainder
    for key, value in edited.items():
        assert str(value) in said, key
    assert "q" in (kept.inputs.get("question"), *(event.get("question") for event in kept.events))
    for event in kept.events:
        calls, results = event["tool_calls"]["tool_calls"], event["tool_calls"]["tool_call_results"]
        ids = [(each["call_id"], each["name"]) for each in results["tool_call_results"]]
        assert [(each["id"], each["name"]) for each in calls] == ids
