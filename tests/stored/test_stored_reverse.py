"""The way back, also for histories that no conversion made."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from stored_files import RECORD, STEP, TRAJECTORY, convert, forward, store, stored

from react_migrate.stored.backward import to_trajectory
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.jsontext import Parsed
from react_migrate.stored.settings import Settings


def backward(record: Any, **settings: Any) -> Any:
    return to_trajectory(Parsed(record), Settings(reverse=True, **settings)).record


def v2_event(*calls: tuple[str, dict[str, Any], Any], **fields: Any) -> dict[str, Any]:
    """An event as V2's `toDict()` stores it: calls without ids."""
    results = [
        {"call_id": f"call_0_{n}", "name": name, "value": value, "is_error": False}
        for n, (name, _, value) in enumerate(calls)
    ]
    return {
        **{key: value for key, value in fields.items() if key != "answer"},
        "next_thought": "t",
        "tool_calls": {
            "tool_calls": [{"name": name, "args": args} for name, args, _ in calls],
            "tool_call_results": {"tool_call_results": results},
        },
        **({"answer": fields["answer"]} if "answer" in fields else {}),
    }


SEARCH = ("search", {"q": "a"}, "found a")
SUBMIT = ("submit", {"answer": "A"}, {"answer": "A"})
V2_RUN = [v2_event(SEARCH, question="q?"), v2_event(SUBMIT, answer="A")]
FLAT = {**STEP, "thought_1": "t", "tool_name_1": "finish", "tool_args_1": {}, "observation_1": "Completed."}


def test_a_v2_prediction_becomes_what_v1_would_have_stored() -> None:
    record = {
        "question": "q?",
        "history": {"messages": V2_RUN},
        "termination_reason": "submit",
        "answer": "A",
    }
    assert backward(record) == {
        "question": "q?",
        "trajectory": FLAT,
        "termination_reason": "submit",
        "answer": "A",
    }


def test_inputs_that_only_the_history_has_become_fields() -> None:
    record = {"history": {"messages": V2_RUN}, "termination_reason": "submit", "answer": "A"}
    assert list(backward(record)) == ["question", "trajectory", "termination_reason", "answer"]


def test_a_history_by_itself() -> None:
    assert backward({"messages": V2_RUN}) == FLAT


def test_only_the_last_run_of_a_conversation_and_a_word_about_it(tmp_path: Path) -> None:
    later = [v2_event(("search", {"q": "b"}, "found b"), question="and?"), *V2_RUN[1:]]
    source = store(tmp_path / "in.jsonl", [{"history": {"messages": [*V2_RUN, *later]}, "answer": "A"}])
    done = convert(source, "-o", tmp_path / "out.jsonl", "--reverse")
    (record,) = stored(tmp_path / "out.jsonl")
    assert record["trajectory"]["observation_0"] == "found b"
    assert len(record["trajectory"]) == 8
    assert "in 1 record earlier runs of a conversation were left out" in done.stderr


def test_a_history_that_v2_went_on_with_keeps_its_field_and_shape() -> None:
    record = forward(
        {"question": "q?", "log": [{"tool": "search", "args": {}, "result": "r"}], "answer": "A"}
    )
    record["history"]["messages"] += V2_RUN
    assert backward(record)["log"] == [
        {"tool": "search", "args": {"q": "a"}, "result": "found a", "thought": "t"},
        {"tool": "finish", "args": {}, "result": "Completed.", "thought": "t"},
    ]


def test_names_for_what_no_history_remembers() -> None:
    record = {"h": {"messages": V2_RUN}, "history": {"messages": []}, "question": "q?"}
    assert list(backward(record, history_field="h", trajectory="run")) == ["run", "history", "question"]
    with pytest.raises(RejectedError, match="a field 'question' already; choose another one with --traj"):
        backward(record, history_field="h", trajectory="question")


def test_what_the_history_remembers_wins_over_names_given() -> None:
    record = forward({"run": TRAJECTORY})
    assert backward(record, trajectory="other") == {"run": TRAJECTORY}


def test_records_that_are_there_already_stay_as_they_are(tmp_path: Path) -> None:
    converted = forward(RECORD)
    source = store(tmp_path / "in.jsonl", [RECORD, converted])
    done = convert(source, "-o", tmp_path / "new.jsonl")
    assert "2 records: 1 converted to histories, 1 unchanged, as they had histories already." in done.stderr
    assert stored(tmp_path / "new.jsonl")[1] == converted
    done = convert(source, "-o", tmp_path / "old.jsonl", "--reverse")
    assert "1 unchanged, as they had trajectories already" in done.stderr
    assert stored(tmp_path / "old.jsonl") == [RECORD, RECORD]


@pytest.mark.parametrize(
    "record",
    [
        {"question": "q"},
        {"history": {"messages": [{"question": "q", "answer": "a"}]}},
        {"history": [1]},
        [],
        None,
        {"history": {"messages": [{"tool_calls": "x"}]}},
    ],
    ids=str,
)
def test_what_has_no_history(record: Any) -> None:
    with pytest.raises(RejectedError, match="no history of tool calls"):
        backward(record)


def test_damaged_memories_do_no_harm() -> None:
    """Stored data may have been edited, or be somebody's joke."""
    original = {"question": "q?", "log": [{"tool": "search", "args": {}, "result": "r", "n": 1}]}
    history = forward(original)["history"]
    for damage in (
        {"kind": 7},
        {"kind": "nonsense"},
        {"layout": []},
        {"layout": {"thought": "tool_name"}},
        {"difference": {"items": {"0": 1, "x": {}}}},
        {"difference": {"items": []}},
        {"field": 1},
        {"keys": [1], "field": None},
        {"text": "no style"},
        {"text": 7},
        {"exact_text": 7},
    ):
        damaged = copy.deepcopy(history)
        damaged["messages"][-1]["react_migrate"]["stored"].update(damage)
        record = backward({"question": "q?", "history": damaged})
        assert all(isinstance(key, str) for key in record), damage
        json.dumps(record)


def test_results_that_were_no_json_come_back_as_the_text_that_the_model_saw() -> None:
    """As `dump_history` notes them. The stand-ins that `load_history` makes of them would need pydantic."""
    event = v2_event(("today", {}, "2024-05-01"), ("ratio", {}, None), question="q?")
    value = ["tool_calls", "tool_call_results", "tool_call_results"]
    notes = [
        {"at": [*value, 0, "value"], "type": "datetime.date"},
        {"at": [*value, 1, "value"], "float": "inf"},
        "damaged",
    ]
    event["react_migrate"] = {"values": notes}
    trajectory = backward({"history": {"messages": [event]}})["trajectory"]
    assert (trajectory["observation_0"], trajectory["observation_1"]) == ("2024-05-01", float("inf"))
