"""A trajectory is found in a record whatever it is stored as, and comes back as it was stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shims.strategies import json_values, trajectories
from stored_files import FINISH, RECORD, STEP, TRAJECTORY, calls, events, forward, there_and_back

from react_migrate.stored.errors import RejectedError

SUBMITTED = ("submit", {"answer": "A"}, {"answer": "A"})
FOUND = ("search", {"q": "a"}, "found a")


def chat_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


CHAT = [
    {"role": "system", "content": "You can search."},
    {"role": "user", "content": "q?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [chat_call("c1", "search", '{"q": "a"}'), chat_call("c2", "search", '{"q": "b"}')],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "found b"},
    {"role": "tool", "tool_call_id": "c1", "content": "found a"},
    {"role": "assistant", "content": "A"},
]

STEPS = [
    {"thought": "t", "tool_name": "search", "tool_args": {"q": "a"}, "observation": "found a"},
    {"thought": "d", "tool_name": "finish", "tool_args": {}, "observation": "Completed."},
]
TURNS = [
    {
        "thought": "both",
        "tool_calls": [{"name": "search", "arguments": '{"q": "a"}'}, {"name": "look", "arguments": "{}"}],
        "observations": ["found a", {"seen": 1}],
    },
    {"thought": "one", "tool_calls": [{"name": "search", "arguments": '{"q":"c"}'}], "observations": [None]},
]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(RECORD, id="wrapped"),
        pytest.param({"question": "q?", "answer": "A", "run": TRAJECTORY}, id="under another name"),
        pytest.param({"question": "q?", "answer": "A", **TRAJECTORY}, id="bare among other fields"),
        pytest.param({"answer": "A", "meta": {"trajectory": TRAJECTORY}}, id="nested"),
        pytest.param({"answer": "A", "trajectory": json.dumps(TRAJECTORY)}, id="JSON text"),
        pytest.param(
            {"answer": "A", "trajectory": {**TRAJECTORY, "tool_args_0": '{"q": "a"}', "tool_args_1": "{}"}},
            id="arguments as JSON text",
        ),
        pytest.param(
            {"answer": "A", **{key: str(value) for key, value in TRAJECTORY.items()}},
            id="all values as str()",
        ),
        pytest.param({"answer": "A", "trajectory": STEPS}, id="list of steps"),
        pytest.param(
            {
                "answer": "A",
                "log": [
                    {"id": 1, "tool": "search", "args": '{"q": "a"}', "result": "found a", "thought": "t"},
                    {"id": 2, "tool": "finish", "args": {}, "result": "Completed.", "thought": "d"},
                ],
            },
            id="list of steps with other names, extra keys and arguments as JSON text",
        ),
    ],
)
def test_one_run_stored_in_many_shapes(record: Any) -> None:
    assert calls(record) == [FOUND, SUBMITTED]
    assert [event["next_thought"] for event in events(record)] == ["t", "d"]
    back = there_and_back(record)
    assert json.dumps(back) == json.dumps(record)  # the order of keys, too


@pytest.mark.parametrize(
    "record",
    [TRAJECTORY, STEPS, TURNS, CHAT, {"trajectory": TRAJECTORY}, {**STEP, "note": 1, **FINISH}],
    ids=str,
)
def test_a_record_may_be_the_trajectory_itself(record: Any) -> None:
    assert calls(record)[0] == FOUND
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_fields_among_the_steps_stay_in_their_order() -> None:
    record = {"id": 7, "observation_0": "found a", "score": 1, **STEP, "end": None}
    new = forward(record)
    assert list(new) == ["id", "history", "score", "end"]
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_sorted_keys() -> None:
    """Then `_10` stands before `_2`, as in the tags of a tracker."""
    steps = [{key.replace("_0", f"_{n}"): value for key, value in STEP.items()} for n in range(12)]
    trajectory = {key: f"{value}" for step in steps for key, value in step.items()}
    record = {"trajectory": dict(sorted(trajectory.items()))}
    assert calls(record) == [FOUND] * 12
    assert json.dumps(there_and_back(record)) == json.dumps(record)


@pytest.mark.parametrize("args", ["{'q': open('x')}", "{" * 5000, "not a dict", "{1: 2}", "{'q': {1, 2}}"])
def test_arguments_that_are_no_data_stay_the_text_they_are(args: str) -> None:
    record = {"trajectory": {**STEP, "tool_args_0": args}}
    assert calls(record) == [("search", {"args": args}, "found a")]
    assert there_and_back(record) == record


def test_turns_with_several_calls_stay_turns() -> None:
    record = {"question": "q?", "turns": TURNS, "answer": "A"}
    first, second, last = events(record)
    assert [call["name"] for call in first["tool_calls"]["tool_calls"]] == ["search", "look"]
    assert calls(record) == [FOUND, ("look", {}, {"seen": 1}), ("search", {"q": "c"}, None), SUBMITTED]
    assert (first["question"], first["next_thought"], second["next_thought"]) == ("q?", "both", "one")
    assert last["answer"] == "A"
    assert json.dumps(there_and_back(record)) == json.dumps(record)


@pytest.mark.parametrize(
    "turn",
    [
        {"reasoning": "t", "calls": [{"tool": "search", "args": {"q": "a"}, "result": "found a"}]},
        {"actions": [{"name": "search", "input": {"q": "a"}, "id": "7"}], "results": ["found a"], "n": 1},
        {"tool_calls": [chat_call("c1", "search", '{"q":"a"}')], "observation": "found a"},
    ],
)
def test_turns_spelled_in_other_ways(turn: Any) -> None:
    record = {"log": [turn, {"thought": "the end"}]}
    assert calls(record) == [FOUND]
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_a_tool_of_the_users_that_is_called_submit_ends_nothing() -> None:
    record = {
        "turns": [{**TURNS[0], "tool_calls": [{"name": "submit", "arguments": "{}"}] * 2}],
        "answer": "A",
    }
    first, last = events(record)
    assert first["react_migrate"]["own_submit"] is True
    assert last["answer"] == "A"
    assert there_and_back(record) == record


def test_chat_messages_become_a_conversation() -> None:
    later = [{"role": "user", "content": "and?"}, {"role": "assistant", "content": "B", "refusal": None}]
    record = {"id": 1, "messages": [*CHAT, *later]}
    first, last, second = events(record)
    assert first["question"] == "q?"
    assert [call["id"] for call in first["tool_calls"]["tool_calls"]] == ["c1", "c2"]
    assert calls(record)[:2] == [FOUND, ("search", {"q": "b"}, "found b")]
    assert (last["answer"], second["question"], second["answer"]) == ("A", "and?", "B")
    ids = [call["id"] for event in events(record) for call in event["tool_calls"]["tool_calls"]]
    assert len(set(ids)) == len(ids)
    assert json.dumps(there_and_back(record)) == json.dumps(record)
    named = events(record, inputs=("task",), outputs=("report",))
    assert (named[0]["task"], named[1]["report"]) == ("q?", "A")


def test_the_same_run_twice_in_a_conversation_has_other_ids() -> None:
    """Native calling pairs calls and results by id."""
    messages = [CHAT[1], {**CHAT[2], "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}, CHAT[5]]
    ids = [
        call["id"]
        for event in events({"messages": messages * 2})
        for call in event["tool_calls"]["tool_calls"]
    ]
    assert len(set(ids)) == len(ids) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"tool_calls": [chat_call("c1", "search", "no json")]},
        {"tool_calls": [chat_call("c1", "search", '{"q": "a"}'), chat_call("c3", "gone", "{}")]},
        {"content": [{"type": "text", "text": "parts"}]},
        {"content": "a thought"},
        {"tool_calls": None, "function_call": {"name": "search", "arguments": '{ "q":"a" }'}},
    ],
    ids=str,
)
def test_chat_messages_of_all_sorts_come_back(change: dict[str, Any]) -> None:
    record = {"messages": [*CHAT[:2], {**CHAT[2], **change}, *CHAT[3:]]}
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_a_plain_chat_is_no_trajectory() -> None:
    with pytest.raises(RejectedError, match="no trajectory that could be recognised"):
        forward({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]})


@pytest.mark.parametrize(
    "item",
    [
        {"name": "search", "args": {"q": "str"}, "description": "finds"},
        {"next_thought": "t", "next_tool_name": "search", "next_tool_args": {}},
    ],
)
def test_calls_that_were_not_made_are_no_steps(item: Any) -> None:
    """A list of the agent's tools, or of what a model proposed."""
    assert calls({"items": [item], "steps": STEPS}) == [FOUND, ("submit", {}, "Completed.")]
    with pytest.raises(RejectedError):
        forward({"items": [item]})


def test_trajectories_of_code_act_are_refused() -> None:
    trajectory = {"generated_code_0": "1", "code_output_0": "1", "observation_0": "1"}
    for record in ({"trajectory": trajectory}, {"question": "q", "run": trajectory}, trajectory):
        with pytest.raises(RejectedError, match="trajectory of a CodeAct"):
            forward(record)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"trajectory": None}, "in its field 'trajectory': it is null"),
        ({"trajectory": "Prediction(\n    trajectory={})"}, "the repr of a Prediction"),
        ({"trajectory": "{'thought_0': 't'}"}, "Python's repr of a dict is none"),
        ({"trajectory": {"state_list": [1]}}, "an object in none of the shapes flat, messages, turns, steps"),
        ({"a": TRAJECTORY, "b": TRAJECTORY}, "more than one trajectory, in 'a', 'b': name one with --traj"),
        ({"question": "q"}, "name its field with --trajectory if it has one"),
        ({"trajectory": TRAJECTORY, "history": 1}, "a field 'history' already; choose another"),
        (7, "no trajectory"),
    ],
)
def test_what_cannot_be_converted_says_why(record: Any, reason: str) -> None:
    with pytest.raises(RejectedError, match=reason):
        forward(record)


@pytest.mark.parametrize("kind", ["flat", "steps", "turns", "messages"])
def test_a_shape_can_be_forced(kind: str) -> None:
    record = {"a": TRAJECTORY, "b": STEPS, "c": TURNS, "d": CHAT}
    new = forward(record, kind=kind)
    assert [key for key in "abcd" if key not in new] == [
        {"flat": "a", "steps": "b", "turns": "c", "messages": "d"}[kind]
    ]
    with pytest.raises(RejectedError):
        forward({"trajectory": "text"}, kind=kind)


@settings(max_examples=100, deadline=None)
@given(
    trajectories(), st.dictionaries(st.sampled_from(["question", "answer", "id"]), json_values), st.booleans()
)
def test_every_flat_trajectory_comes_back(trajectory: Any, fields: Any, as_text: bool) -> None:
    stored = json.dumps(trajectory) if as_text else trajectory
    record = json.loads(json.dumps({**fields, "trajectory": stored}))
    assert json.dumps(there_and_back(record, kind="flat")) == json.dumps(record)


step = st.fixed_dictionaries(
    {"tool": st.sampled_from(["search", "finish", "submit"]), "thought": st.text(max_size=5)},
    optional={"args": json_values, "result": json_values, "more": json_values},
)
turn = st.fixed_dictionaries(
    {
        "tool_calls": st.lists(
            st.fixed_dictionaries({"name": st.just("f"), "args": json_values}), min_size=1, max_size=3
        )
    },
    optional={"thought": st.none() | st.text(max_size=5), "observations": st.lists(json_values, max_size=4)},
)


@settings(max_examples=100, deadline=None)
@given(st.lists(step, min_size=1, max_size=4) | st.lists(turn, min_size=1, max_size=4))
def test_every_list_comes_back(items: Any) -> None:
    record = json.loads(json.dumps({"question": "q", "log": items}))
    kind = "steps" if "tool" in items[0] else "turns"
    assert json.dumps(there_and_back(record, trajectory="log", kind=kind)) == json.dumps(record)


message = (
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "tool"]), "content": json_values})
    | st.fixed_dictionaries(
        {"role": st.just("assistant")}, optional={"content": st.none() | st.text(max_size=5)}
    )
    | st.builds(
        lambda names: {"role": "assistant", "tool_calls": [chat_call(name, name, "{}") for name in names]},
        st.lists(st.sampled_from("abc"), min_size=1, max_size=3),
    )
    | st.builds(lambda name: {"role": "tool", "tool_call_id": name, "content": "r"}, st.sampled_from("abc"))
)


@settings(max_examples=150, deadline=None)
@given(st.lists(message, min_size=1, max_size=7))
def test_every_chat_comes_back(messages: Any) -> None:
    record = {"messages": [*messages, {"role": "assistant", "tool_calls": [chat_call("z", "f", "{}")]}]}
    assert json.dumps(there_and_back(record)) == json.dumps(record)
