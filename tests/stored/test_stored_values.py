"""Values that JSON can carry come back equal; what it cannot carry has a clear outcome."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shims.strategies import json_values
from stored_files import RECORD, STEP, TRAJECTORY, convert, store, stored

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.jsontext import dump, parse


def both_ways(line: bytes, folder: Path) -> tuple[bytes, bytes]:
    """The bytes of a file with this one line, converted, and converted back."""
    source, new, back = folder / "in.jsonl", folder / "out.jsonl", folder / "back.jsonl"
    source.write_bytes(line + b"\n")
    done = convert(source, "-o", new)
    assert done.exit_code == 0, done.stderr
    done = convert(new, "-o", back, "--reverse")
    assert done.exit_code == 0, done.stderr
    return new.read_bytes(), back.read_bytes()


def line_with(number: str) -> bytes:
    """A record with a literal of JSON as an observation, as an argument and as another field."""
    step = json.dumps(STEP).replace('"found a"', number).replace('"a"', number)
    return f'{{"question": "q", "id": {number}, "trajectory": {step}, "answer": "A"}}'.encode()


@pytest.mark.parametrize(
    "number",
    [
        "9223372036854775807",
        "-9223372036854775809",
        "18446744073709551616",
        "1" + "0" * 400,
        '[1, {"n": 123456789012345678901234567890}]',
        "0.1234567890123456789",
        "1e308",
        "5e-324",
        "-0.0",
        "1.0",
        '"\\ud800"',
        '"\\u0000\\u001b[31m\\u2028"',
        '"2024-01-01T00:00:00.0000000000000000001Z"',
        '{"": {}}',
    ],
)
def test_values_come_back_equal(number: str, tmp_path: Path) -> None:
    new, back = both_ways(line_with(number), tmp_path)
    record, wanted = json.loads(new), json.loads(line_with(number))
    call = record["history"]["messages"][0]["tool_calls"]
    value = json.loads(number)
    for found in (
        record["id"],
        call["tool_calls"][0]["args"]["q"],
        call["tool_call_results"]["tool_call_results"][0]["value"],
    ):
        assert repr(found) == repr(value)
    assert repr(json.loads(back)) == repr(wanted)


def test_of_equal_keys_the_last_counts(tmp_path: Path) -> None:
    line = b'{"id": 1, "trajectory": {"thought_0": "no", "tool_name_0": "no"}, "id": 2, "trajectory": %b}'
    step = json.dumps(STEP)[:-1].encode() + b', "observation_0": "no", "observation_0": "found b"}'
    for number in (b"1", b"1" + b"0" * 20):  # read by orjson, and by the standard library
        new, back = both_ways((line % step).replace(b'"id": 2', b'"id": ' + number), tmp_path)
        record = json.loads(new)
        assert record["id"] == int(number)
        assert record["history"]["messages"][0]["tool_calls"]["tool_calls"][0]["name"] == "search"
        assert json.loads(back)["trajectory"] == {**STEP, "observation_0": "found b"}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [{"x": [math.nan, 1]}]], ids=str)
def test_nan_is_null_in_the_history_and_comes_back(value: Any, tmp_path: Path) -> None:
    record = {"loss": math.nan, "question": "q", "trajectory": {**STEP, "observation_0": value}}
    new, back = both_ways(json.dumps(record).encode(), tmp_path)
    converted = json.loads(new)
    assert math.isnan(converted["loss"])  # other fields are nobody's business
    json.dumps(converted["history"], allow_nan=False)  # the history is JSON
    assert repr(json.loads(back)) == repr(record)


def test_nan_within_json_text(tmp_path: Path) -> None:
    record = {"trajectory": json.dumps({**STEP, "observation_0": math.nan}), "n": 1}
    new, back = both_ways(json.dumps(record).encode(), tmp_path)
    json.dumps(json.loads(json.loads(new)["history"]), allow_nan=False)
    assert json.loads(back) == record


@pytest.mark.parametrize(
    "style", [{}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"indent": 2}, {"indent": 7}]
)
def test_json_text_comes_back_letter_by_letter(style: Any, tmp_path: Path) -> None:
    record = {"trajectory": json.dumps({**TRAJECTORY, "observation_0": "größe"}, **style), "id": 1}
    new, back = both_ways(json.dumps(record).encode(), tmp_path)
    assert isinstance(json.loads(new)["history"], str)
    assert json.loads(back) == record


@pytest.mark.parametrize("depth", [100, 300, 600])
def test_deep_values_are_converted(depth: int, tmp_path: Path) -> None:
    deep = "[" * depth + "]" * depth
    _, back = both_ways(line_with(deep), tmp_path)
    assert json.loads(back) == json.loads(line_with(deep))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (line_with("[" * 100_000 + "]" * 100_000), "is nested too deep"),
        (line_with('{"b":' * 100_000 + "1" + "}" * 100_000), "is nested too deep"),
        (line_with("1" * 5000), "has a number that Python cannot read"),
        (line_with("1e400"), "has a number that Python cannot read: 1e400 is larger than any float"),
        (line_with('"\xff"').replace(b"\xc3\xbf", b"\xff"), "is not UTF-8: byte 0xff at position"),
        (b'{"trajectory": "\xed\xa0\x80"}', "is not UTF-8: byte 0xed"),
        (line_with("1")[:-5], "is not JSON"),
        (line_with("nul"), "is not JSON: Expecting value"),
        (b'{"a": 1} {"b": 2}', "is not JSON: Extra data"),
        (b"\x1b[2J\x1b]0;owned\x07", r"is not JSON: Expecting value, character 1, near `\x1b[2J"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_lines_that_cannot_be_converted_are_rejected_whole(line: bytes, reason: str, tmp_path: Path) -> None:
    good = json.dumps(RECORD).encode()
    (tmp_path / "in.jsonl").write_bytes(good + b"\n" + line + b"\n\n" + good)
    done = convert(
        tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--rejects", tmp_path / "rejects.jsonl"
    )
    assert done.exit_code == 1
    assert "\x1b" not in done.stderr
    assert f"in.jsonl:2: {reason}" in done.stderr
    assert len(stored(tmp_path / "out.jsonl")) == 2
    (reject,) = (tmp_path / "rejects.jsonl").read_bytes().splitlines()
    assert kept(reject) == line


def kept(reject: bytes) -> bytes:
    """The bytes of a rejected line."""
    if b'"record": ' in reject:
        return reject.split(b'"record": ', 1)[1][:-1]
    content = json.loads(reject)
    assert content["line"] == 2
    return content["text"].encode() if "text" in content else base64.b64decode(content["base64"])


def test_a_line_of_100_megabytes(tmp_path: Path) -> None:
    record = {**RECORD, "trajectory": {**TRAJECTORY, "observation_0": "größe \n" * 12_500_000}}
    source = store(tmp_path / "in.jsonl", [RECORD, record, RECORD])
    assert source.stat().st_size > 100_000_000
    assert convert(source, "-o", tmp_path / "out.jsonl").exit_code == 0
    _, new, _ = stored(tmp_path / "out.jsonl")
    result = new["history"]["messages"][0]["tool_calls"]["tool_call_results"]["tool_call_results"][0]
    assert result["value"] == record["trajectory"]["observation_0"]


@settings(max_examples=150, deadline=None)
@given(json_values | st.floats(allow_nan=False, allow_infinity=False) | st.text())
def test_what_is_parsed_is_dumped_again(value: Any) -> None:
    text = json.dumps(value)
    assert repr(parse(text).value) == repr(parse(text.encode()).value) == repr(value)
    assert repr(json.loads(dump(parse(text).value))) == repr(value)
    assert repr(json.loads(dump(value, indent=True))) == repr(value)


def test_a_byte_order_mark_is_no_content() -> None:
    assert parse(b"\xef\xbb\xbf[1]").value == [1]


def test_parsing_says_where_and_why() -> None:
    with pytest.raises(RejectedError, match=r"Expecting ',' delimiter, character 9, near `\{\"a\": 1 2\}`"):
        parse(b'{"a": 1 2}')
