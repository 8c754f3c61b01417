"""Records of known forms are written by a template; it must give what the usual way gives, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from shims.strategies import json_values, trajectories
from stored_files import FINISH, RECORD, STEP, TRAJECTORY

from react_migrate.stored.digest import digest_of
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.forms import Forms
from react_migrate.stored.jsontext import dump, parse
from react_migrate.stored.lines import convert_record
from react_migrate.stored.settings import Settings


def usual(line: bytes, options: Settings) -> bytes | None:
    """What becomes of a line without any template."""
    try:
        converted = convert_record(parse(line), options, digest_of(line).decode())
    except RejectedError:
        return None
    return dump(converted.record, non_finite=converted.non_finite) + b"\n"


def line_of(record: Any) -> bytes:
    return json.dumps(record).encode() + b"\n"


def quick(records: list[Any], options: Settings | None = None) -> list[bool]:
    """Which of the records a template was used for, with a check that it did what it should."""
    options = options or Settings()
    forms = Forms(options)
    used = []
    for record in records:
        line = record if isinstance(record, bytes) else line_of(record)
        done = forms.convert(line)
        used.append(done is not None)
        if done is not None:
            assert done[0] == usual(line, options)
    return used


def test_a_form_is_known_from_its_third_record_on() -> None:
    """The first might be the only one, and the second is what the template is tried on."""
    others = [{**RECORD, "question": f"ü\n{n}", "answer": n * "\\"} for n in range(5)]
    assert quick([RECORD, *others]) == [False, False, True, True, True, True]


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        {"trajectory": STEP},
        {"trajectory": TRAJECTORY, "n": 1, "x": None, "tags": ["a"], "meta": {"a": [1.5]}, "answer": "A"},
        {
            "city": "Bern",
            "trajectory": {**STEP, "observation_0": [{"a": None}]},
            "reasoning": "r",
            "plan": {"b": 1},
        },
        {"question": "q", "trajectory": {**STEP, "tool_args_0": {}, "observation_0": None}, "answer": True},
        {"%s %b": "%", "trajectory": {**TRAJECTORY, "thought_0": "100 % %s"}},
        {"answer": {"tool_calls": [1]}, "trajectory": TRAJECTORY},
        {"question": ["tool_calls"], "trajectory": TRAJECTORY, "answer": [1]},
    ],
    ids=lambda record: ",".join(record),
)
def test_forms_that_have_a_template(record: Any) -> None:
    assert quick([record] * 4) == [False, False, True, True]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(
            {**RECORD, "trajectory": {**STEP, "observation_0": "Execution error in search: x"}}, id="error"
        ),
        pytest.param(
            {**RECORD, "trajectory": {**TRAJECTORY, "tool_args_1": {"answer": "A"}}}, id="finish with args"
        ),
        pytest.param(
            {**RECORD, "trajectory": {**TRAJECTORY, "observation_1": "other"}}, id="finish that failed"
        ),
        pytest.param({**RECORD, "trajectory": {**TRAJECTORY, "tool_name_0": "finish"}}, id="two finishes"),
        pytest.param(
            {**RECORD, "trajectory": {**TRAJECTORY, "tool_name_0": "submit"}}, id="a tool named submit"
        ),
        pytest.param(
            {**RECORD, "trajectory": {**STEP, "tool_name_0": "submit"}}, id="a last tool named submit"
        ),
        pytest.param(
            {**RECORD, "trajectory": {**STEP, "tool_args_0": {"n": 2**70}}}, id="large integer in arguments"
        ),
        pytest.param(
            {**RECORD, "trajectory": {**STEP, "observation_0": [2**70]}}, id="large integer in a list"
        ),
        pytest.param({**RECORD, "id": 2**70}, id="large integer elsewhere"),
        pytest.param({**RECORD, "x": float("nan")}, id="NaN"),
        pytest.param({**RECORD, "x": "\ud800"}, id="lone surrogate"),
        pytest.param({**RECORD, "trajectory": {**STEP, "tool_args_0": "{}"}}, id="arguments as text"),
        pytest.param({**RECORD, "trajectory": {**STEP, "thought_0": None}}, id="no thought"),
        pytest.param({**RECORD, "trajectory": dict(reversed(STEP.items()))}, id="other order"),
        pytest.param({**RECORD, "trajectory": {**STEP, "note": 1}}, id="foreign key"),
        pytest.param({**RECORD, "trajectory": {**STEP, "thought_1": "t"}}, id="partial step"),
        pytest.param({**RECORD, "trajectory": {}}, id="empty"),
        pytest.param({**RECORD, "trajectory": [STEP]}, id="list"),
        pytest.param({**RECORD, "history": 1}, id="history is taken"),
        pytest.param({**RECORD, **STEP}, id="steps beside the trajectory"),
        pytest.param({"inputs": {"a": 1}, "trajectory": TRAJECTORY}, id="inputs in a group"),
        pytest.param({**RECORD, "\x017\x02": 1}, id="key like a placeholder"),
        pytest.param(line_of(RECORD)[:-9], id="broken line"),
        pytest.param(b"[]\n", id="no object"),
        pytest.param(line_of({**RECORD, "x": "DEEP"}).replace(b'"DEEP"', b"[" * 300 + b"]" * 300), id="deep"),
    ],
)
def test_what_goes_the_usual_way(record: Any) -> None:
    """Even when all is as usual before, and the form is that of records with a template."""
    plain = [
        RECORD,
        {**RECORD, "trajectory": STEP},
        {**RECORD, "id": 1.5},
        {**RECORD, "x": "s"},
        {**RECORD, "x": 1.5},
    ]
    plain.append({**RECORD, "trajectory": {**STEP, "tool_args_0": {"n": 1.5}}})
    plain.append({**RECORD, "trajectory": {**STEP, "observation_0": [1]}})
    assert quick([*plain * 3, *[record] * 4])[-4:] == [False] * 4


@pytest.mark.parametrize("size", [10, 100_000])
def test_ids_tell_runs_apart_and_are_the_same_every_time(size: int) -> None:
    """Also runs of one length: they may follow each other in one history."""
    lines = [b'{"x": "%b"}' % (letter * size) for letter in (b"a", b"b")]
    assert digest_of(lines[0]) == digest_of(bytes(lines[0])) != digest_of(lines[1])
    assert all(len(digest_of(line)) == 16 and digest_of(line).isalnum() for line in lines)


def test_a_value_like_a_placeholder_is_a_value() -> None:
    record = {**RECORD, "question": "\x017\x02", "answer": "\x01digest\x02"}
    assert quick([record] * 4) == [False, False, True, True]


def test_records_whose_fields_join_to_the_same_keys_are_not_mixed_up() -> None:
    one = {"a": "1", "trajectory": {**STEP, **FINISH}}
    other = {"trajectory": {**STEP, **FINISH}, "a": "1"}
    assert quick([one, one, one, other, other, other]) == [False, False, True, False, False, True]


def test_other_settings() -> None:
    named = {"run": TRAJECTORY, "a": "x", "b": "y"}
    options = Settings(trajectory="run", history_field="h", inputs=("b",), outputs=("a",))
    assert quick([named] * 3, options) == [False, False, True]
    assert quick([RECORD] * 3, Settings(kind="flat")) == [False, False, True]
    assert quick([RECORD] * 3, Settings(kind="steps")) == [False] * 3
    assert quick([RECORD] * 3, Settings(reverse=True)) == [False] * 3


def test_the_number_of_forms_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_migrate.stored.forms._MOST_FORMS", 3)
    records = [{f"key{n}": 1, "trajectory": STEP} for n in range(10)]
    used = quick(records * 4)
    assert sum(used) == 6  # three forms, third and fourth time


fields = st.dictionaries(
    st.sampled_from(["question", "answer", "id", "reasoning", "city"]), json_values, max_size=4
)


@settings(max_examples=200)
@given(st.lists(st.tuples(fields, trajectories(), st.booleans()), min_size=1, max_size=3), st.data())
def test_whatever_comes_the_quick_way_is_the_usual_way(pieces: Any, data: st.DataObject) -> None:
    records = [
        {**first, "trajectory": trajectory} if at_end else {"trajectory": trajectory, **first}
        for first, trajectory, at_end in pieces
    ]
    order = data.draw(st.lists(st.sampled_from(records), min_size=3, max_size=8))
    if any(quick(order)):
        event("a template was used")
