"""Which fields of a record become inputs and outputs, and which field the history gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stored_files import RECORD, STEP, TRAJECTORY, convert, events, forward, store, stored, there_and_back

OTHERS = {
    "id": 1,
    "timestamp": "now",
    "model": "m",
    "score": 0.5,
    "gold": "G",
    "lm_usage": {"x": {"tokens": 3}},
}


def guessed(record: Any, **settings: Any) -> tuple[list[str], list[str]]:
    """The inputs and outputs that a record's history holds."""
    found = events(record, **settings)
    keys = ("next_thought", "tool_calls", "react_migrate")
    submitted = list(found[-1]["tool_calls"]["tool_calls"][-1]["args"])
    return [key for key in found[0] if key not in (*keys, *submitted)], submitted


@pytest.mark.parametrize(
    ("record", "inputs", "outputs"),
    [
        (RECORD, ["question"], ["answer"]),
        ({**OTHERS, **RECORD, "comment": "c"}, ["question"], ["answer"]),
        # V1's prediction beside its inputs, with names of the user's own
        (
            {
                "id": 1,
                "city": "Bern",
                "days": 3,
                "trajectory": TRAJECTORY,
                "reasoning": "r",
                "plan": "p",
                "cost": 1,
            },
            ["city", "days"],
            ["plan"],
        ),
        (
            {"trajectory": TRAJECTORY, "reasoning": "r", "summary": "s", "risk": "low"},
            [],
            ["summary", "risk"],
        ),
        ({"city": "Bern", "trajectory": TRAJECTORY, "answer": "A"}, ["city"], ["answer"]),
        ({"trajectory": TRAJECTORY, "answer": "A", "question": "q"}, ["question"], ["answer"]),
        (
            {"inputs": {"city": "Bern"}, "outputs": {"plan": "p", "id": 1}, "trajectory": TRAJECTORY},
            ["city"],
            ["plan"],
        ),
        (
            {
                "example": {"question": "q", "answer": "gold"},
                "prediction": {"trajectory": TRAJECTORY, "reasoning": "r", "answer": "A"},
                "score": 1,
            },
            ["question"],
            ["answer"],
        ),
        (
            {"run": {"question": "q", "trajectory": TRAJECTORY, "answer": "A"}, "n": 1},
            ["question"],
            ["answer"],
        ),
        ({"note": "n", "trajectory": TRAJECTORY}, [], []),
        # dspy.Evaluate: example, prediction and the metric's score
        (
            {
                "city": "Bern",
                "example_plan": "gold",
                "trajectory": TRAJECTORY,
                "reasoning": "r",
                "pred_plan": "p",
                "risk": 0.1,
                "is_good": True,
            },
            ["city"],
            ["plan", "risk"],
        ),
        (
            {
                "city": "Bern",
                "example_plan": "gold",
                "trajectory": TRAJECTORY,
                "reasoning": "r",
                "pred_plan": "p",
                "exact_match": True,
            },
            ["city"],
            ["plan"],
        ),
        ({"question": "q", **TRAJECTORY, "answer": "A"}, ["question"], ["answer"]),
    ],
    ids=lambda value: ",".join(value)[:40],
)
def test_the_guess(record: Any, inputs: list[str], outputs: list[str]) -> None:
    assert guessed(record) == (inputs, outputs)
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_the_gold_answer_of_an_example_is_not_taken() -> None:
    record = {"example": {"question": "q", "answer": "gold"}, "trajectory": TRAJECTORY, "answer": "A"}
    assert events(record)[-1]["answer"] == "A"


def test_named_fields_also_nested_ones_and_with_dots_in_their_names() -> None:
    record = {"a": {"b": "nested"}, "c.d": "dotted", "e": "out", "question": "q", "trajectory": TRAJECTORY}
    assert guessed(record, inputs=("a.b", "c.d"), outputs=("e",)) == (["b", "c.d"], ["e"])
    assert guessed(record, inputs=(), outputs=()) == ([], [])


def test_the_guess_is_reported(tmp_path: Path) -> None:
    other = {"city": "Bern", "trajectory": TRAJECTORY, "reasoning": "r", "plan": "p"}
    source = store(tmp_path / "in.jsonl", [RECORD, RECORD, other, {"trajectory": TRAJECTORY}])
    told = convert(source, "-o", tmp_path / "out.jsonl").stderr
    assert "4 records: 4 converted to histories." in told
    assert "inputs, guessed: question (2); city (1); 1 record without. --inputs names them." in told
    assert "outputs, guessed: answer (2); plan (1); 1 record without. --outputs names them." in told


def test_named_fields_are_reported_and_missing_ones_counted(tmp_path: Path) -> None:
    source = store(tmp_path / "in.jsonl", [RECORD, {"trajectory": TRAJECTORY}])
    done = convert(source, "-o", tmp_path / "out.jsonl", "--inputs", "question, user", "--outputs", "answer")
    assert "inputs: question (1); 1 record without." in done.stderr
    assert "guessed" not in done.stderr
    assert "2 records had no field 'user'" in done.stderr
    assert "1 record had no field 'answer'" in done.stderr


def test_names_that_a_history_cannot_hold_are_a_reject(tmp_path: Path) -> None:
    source = store(tmp_path / "in.jsonl", [{**RECORD, "tool_calls": 1}])
    done = convert(source, "-o", tmp_path / "out.jsonl", "--inputs", "tool_calls")
    assert done.exit_code == 1
    assert "an input named 'tool_calls' cannot be stored" in done.stderr


@pytest.mark.parametrize("field", ["run", "a.b", "x.y"])
def test_a_named_trajectory_and_another_name_for_the_history(field: str) -> None:
    record = {"run": {"x": 1}, "a": {"b": {}}, "x.y": {}, "trajectory": STEP, "history": "old", "z": 1}
    holder = record["a"] if field == "a.b" else record
    holder[field.removeprefix("a.")] = TRAJECTORY
    new = forward(record, trajectory=field, history_field="h")
    place = new["a"] if field == "a.b" else new
    assert list(place) == ["h" if key == field.removeprefix("a.") else key for key in holder]
    assert json.dumps(there_and_back(record, trajectory=field, history_field="h")) == json.dumps(record)


def test_every_other_field_is_unchanged(tmp_path: Path) -> None:
    record = {"list": [1, {"a": None}], **OTHERS, **RECORD, "text": "[not a list", "empty": {}}
    source = store(tmp_path / "in.jsonl", [record] * 3)
    convert(source, "-o", tmp_path / "out.jsonl")
    for new in stored(tmp_path / "out.jsonl"):
        assert list(new) == ["history" if key == "trajectory" else key for key in record]
        assert {**new, "trajectory": TRAJECTORY} == {**record, "history": new["history"]}


def test_a_record_without_the_named_trajectory(tmp_path: Path) -> None:
    source = store(tmp_path / "in.jsonl", [RECORD])
    done = convert(source, "-o", tmp_path / "out.jsonl", "--trajectory", "ru\x1bn")
    assert done.exit_code == 1
    assert r"in.jsonl:1: has no field 'ru\x1bn'" in done.stderr


@pytest.mark.parametrize(
    "options",
    [("--kind", "list"), ("--reverse", "--inputs", "a"), ("--reverse", "--outputs", "a"), ("--jobs", "0")],
    ids=str,
)
def test_options_that_make_no_sense(options: tuple[str, ...], tmp_path: Path) -> None:
    done = convert(store(tmp_path / "in.jsonl", [RECORD]), "-o", tmp_path / "out.jsonl", *options)
    assert done.exit_code == 2
    assert options[-2] in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
