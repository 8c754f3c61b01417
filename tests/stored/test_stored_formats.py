"""Formats are told by content, and every one keeps its own."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from stored_files import RECORD, STEP, TRAJECTORY, convert, store, stored

from react_migrate.stored.errors import StoredError
from react_migrate.stored.formats import Format, format_of
from react_migrate.stored.jsontext import Parsed

OTHER = {"question": "größe?", "trajectory": STEP, "answer": None}
RECORDS = [RECORD, OTHER]
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()


def restored(path: Path) -> bytes:
    """A converted file's bytes after the way back."""
    back = path.with_name(f"back-{path.name}")
    done = convert(path, "-o", back, "--reverse")
    assert done.exit_code == 0, done.stderr
    return back.read_bytes()


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (LINES, "a.jsonl", Format.LINES),
        (LINES, "a.json", Format.LINES),
        (LINES, "a.txt", Format.LINES),
        (b"\xef\xbb\xbf\r\n " + LINES, "a", Format.LINES),
        (b'{"a": 1}', "a.json", Format.DOCUMENT),
        (b'{"a": 1}\n', "a.jsonl", Format.LINES),
        (b"[1]", "a.jsonl", Format.DOCUMENT),
        (b"[\n  {\n", "a.jsonl", Format.DOCUMENT),
        (b'[{"a": 1},\n{"a": 2}]', "a", Format.DOCUMENT),
        (b'{\n"a": {\n', "a.jsonl", Format.DOCUMENT),
        (b'{"a": [\n1\n]}', "a", Format.DOCUMENT),
        (b'{"a": "cut\n{"a": 1}\n', "a", Format.LINES),
        (b'{"a": [\n{"a": 1}\n', "a.jsonl", Format.LINES),
        (b'{"a": nonsense}\n{"a": 1}\n', "a", Format.LINES),
        (b"[1]\n[2]\n", "a", Format.LINES),
        (b"INFO started\n" + LINES, "a.jsonl", Format.LINES),
        (b"", "a.csv", Format.LINES),
        (b"id,trajectory\n", "a", Format.TABLE),
        (b"id;trajectory\n", "a.txt", Format.TABLE),
        (b"trajectory\n", "a.csv", Format.TABLE),
        (b'id,text\n1,"a\nb"\n', "a", Format.TABLE),
        (b"PAR1\x15", "a", Format.PARQUET),
    ],
)
def test_the_format_is_told_by_the_content(content: bytes, name: str, expected: Format) -> None:
    assert format_of(content, name, whole=True) is expected


@pytest.mark.parametrize(
    ("begins", "name", "expected"),
    [
        (b'[{"a": "' + b"x" * 1000, "a.json", Format.DOCUMENT),
        (b'[{"a": "' + b"x" * 1000, "a.jsonl", Format.LINES),
        (b'{"a": "' + b"x" * 1000, "a.json", Format.LINES),
    ],
)
def test_a_first_line_without_an_end_in_sight(begins: bytes, name: str, expected: Format) -> None:
    assert format_of(begins, name, whole=False) is expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x80\x04\x95", "is a pickle, which is never opened here"),
        (b"PK\x03\x04", "is a zip archive; unpack it first"),
        (b"\xff\xfe{\x00", "is UTF-16; save it as UTF-8 first"),
        (b"SQLite format 3\x00", "is an SQLite database"),
        (b"\x7fELF\x02\x01\x01\x00,,", "is none of the formats JSON, JSONL, CSV and Parquet"),
        (b"# Notes\n", "is none of the formats"),
        (b"# Notes, of me\n\nOn this, that, and more.\n", "is none of the formats"),
    ],
)
def test_what_is_nothing_of_the_kind(content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "runs").write_bytes(content)
    done = convert(tmp_path / "runs", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert f"runs {reason}" in done.stderr
    assert not (tmp_path / "out").exists()
    with pytest.raises(StoredError, match=reason):
        format_of(content, "runs", whole=True)


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_packed_files_stay_packed_if_the_name_says_so(kind: str, ending: str, tmp_path: Path) -> None:
    pack = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}[ending]
    unpack = {"": bytes, ".gz": gzip.decompress, ".zst": unpacked_zstd}[ending]
    content = LINES if kind == "jsonl" else json.dumps(RECORDS).encode()
    source = tmp_path / "runs"  # the content says that it is packed
    source.write_bytes(pack(content))
    packed, plain = tmp_path / f"out.{kind}{ending}", tmp_path / f"plain.{kind}"
    assert convert(source, "-o", packed).exit_code == convert(source, "-o", plain).exit_code == 0
    assert unpack(packed.read_bytes()) == plain.read_bytes()
    back = unpack(restored(packed))
    read = [json.loads(line) for line in back.splitlines()] if kind == "jsonl" else json.loads(back)
    assert read == RECORDS


def unpacked_zstd(packed: bytes) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(packed).read()


@pytest.mark.parametrize("frames", [1, 3])
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_packed_files_in_several_parts(pack: Any, frames: int, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"".join(pack(LINES) for _ in range(frames)))
    assert convert(tmp_path / "in", "-o", tmp_path / "out.jsonl").exit_code == 0
    assert len(stored(tmp_path / "out.jsonl")) == 2 * frames


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("damage", ["cut", "cut early", "flipped"])
def test_damaged_packed_files_give_nothing(pack: Any, damage: str, tmp_path: Path) -> None:
    packed = bytearray(pack(LINES * 5000 + bytes(range(256)) * 100))
    if damage == "cut":
        del packed[-20:]
    elif damage == "cut early":
        del packed[40:]
    else:
        packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "in.gz").write_bytes(packed)
    done = convert(tmp_path / "in.gz", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: {tmp_path / 'in.gz'} is ")
    assert "in.gz is cut off: its compressed data ends too early" in done.stderr or damage == "flipped"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.gz"]


def test_without_zstd_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("zstandard", "compression.zstd"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "in.zst").write_bytes(zstandard.compress(LINES))
    done = convert(tmp_path / "in.zst", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 2
    assert "in.zst needs zstd, which is not installed: pip install 'react-migrate[zstd]'" in done.stderr
    done = convert(store(tmp_path / "in.jsonl", RECORDS), "-o", tmp_path / "out.jsonl.zst")
    assert done.exit_code == 2
    assert "out.jsonl.zst needs zstd" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "in.zst"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_document_of_records(indent: int | None, tmp_path: Path) -> None:
    source, new = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps(RECORDS, indent=indent))
    assert convert(source, "-o", new).exit_code == 0
    assert [list(record)[1] for record in json.loads(new.read_bytes())] == ["history", "history"]
    assert (new.read_bytes().count(b"\n") > 1) == (indent is not None)
    assert json.loads(restored(new)) == RECORDS


@pytest.mark.parametrize(
    "document",
    [
        {"runs": RECORDS, "made": "today"},
        RECORD,
        TRAJECTORY,
        [STEP_ITEM := {"tool": "search", "args": {}, "result": "r"}],
    ],
    ids=["list in an object", "record", "trajectory", "steps"],
)
def test_other_json_documents(document: Any, tmp_path: Path) -> None:
    source, new = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps(document))
    assert convert(source, "-o", new).exit_code == 0
    assert b'"messages"' in new.read_bytes()
    assert json.loads(restored(new)) == document


def test_a_json_document_can_become_lines(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps(RECORDS, indent=1))
    assert convert(source, "-o", tmp_path / "out.jsonl").exit_code == 0
    assert len(stored(tmp_path / "out.jsonl")) == 2


def test_rejected_records_of_a_json_document(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps([RECORD, {"no": 1}, OTHER, 7]))
    done = convert(source, "-o", tmp_path / "out.json", "--rejects", tmp_path / "rejects.jsonl")
    assert done.exit_code == 1
    assert "in.json, record 2: has no trajectory" in done.stderr
    assert len(json.loads((tmp_path / "out.json").read_bytes())) == 2
    assert [(each["record"], each["reason"][:6]) for each in stored(tmp_path / "rejects.jsonl")] == [
        ({"no": 1}, "has no"),
        (7, "has no"),
    ]


def test_a_document_too_deep_for_python_is_a_failure(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_bytes(b"[" * 100_000 + b"]" * 100_000)
    done = convert(source, "-o", tmp_path / "out.json")
    assert done.exit_code == 2
    assert "in.json is nested too deep" in done.stderr


def test_a_record_that_can_be_read_but_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether reading or writing gives up first depends on the Python and on who calls; here writing does."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    records = [RECORD, {**RECORD, "trajectory": {**STEP, "observation_0": deep}}]
    monkeypatch.setattr("react_migrate.stored.document.parse", lambda raw: Parsed(records))
    done = convert(store(tmp_path / "in.json", [[]]), "-o", tmp_path / "out.json")
    assert done.exit_code == 2
    assert "in.json, record 2 is nested too deep to be converted or kept; take it out first" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_a_rejected_document_gives_no_output(tmp_path: Path) -> None:
    """Also when it has a list that could be one of records, but is not."""
    code_act = {"trajectory": {"generated_code_0": "1"}, "tools": [{"name": "f"}, {"name": "g"}]}
    source = tmp_path / "in.json"
    source.write_text(json.dumps(code_act))
    done = convert(source, "-o", tmp_path / "out.json")
    assert done.exit_code == 1
    assert "1 record: 0 converted to histories, 1 rejected." in done.stderr
    assert stored(tmp_path / "out.json.rejects.jsonl")[0]["record"] == code_act
    assert not (tmp_path / "out.json").exists()


def test_a_broken_document_is_a_failure(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps(RECORDS, indent=2)[:-20])
    done = convert(source, "-o", tmp_path / "out.json")
    assert done.exit_code == 2
    assert "in.json is not JSON: " in done.stderr


def table(rows: list[list[Any]], **dialect: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, **dialect).writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize(
    "dialect", [{}, {"delimiter": ";"}, {"delimiter": "\t", "lineterminator": "\n"}], ids=str
)
def test_a_table_with_json_in_a_column(dialect: Any, tmp_path: Path) -> None:
    rows = [["id", "question", "trajectory", "answer"]]
    rows += [[str(n), 'a "q", or\ntwo; ü', json.dumps(TRAJECTORY), "A" * n] for n in range(600)]
    source, new = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(table(rows, **dialect))
    assert convert(source, "-o", new).exit_code == 0
    header, first, *_ = csv.reader(io.StringIO(new.read_bytes().decode(), newline=""), **dialect)
    assert header == ["id", "question", "history", "answer"]
    assert json.loads(first[2])["messages"][0]["question"] == rows[1][1]
    assert restored(new) == source.read_bytes()


def test_rejected_rows_of_a_table(tmp_path: Path) -> None:
    good = ["1", json.dumps(TRAJECTORY), ""]
    rows = [["id", "trajectory", "x"], good, ["2", "{'thought_0': 'repr'}", ""], ["3", "two\nlines"], good]
    source = tmp_path / "in.csv"
    source.write_bytes(table(rows) + b'4,"[]",\xff\r\n\r\n')
    done = convert(source, "-o", tmp_path / "out.csv", "--rejects", tmp_path / "rejects.jsonl")
    assert done.exit_code == 1
    assert "in.csv:3: has no trajectory" in done.stderr
    assert "in.csv:4: has 2 cells where the table has 3 columns" in done.stderr
    assert "in.csv:7: is not UTF-8: byte 0xff" in done.stderr
    assert [each["line"] for each in stored(tmp_path / "rejects.jsonl")] == [3, 4, 7]
    assert stored(tmp_path / "rejects.jsonl")[0]["record"] == {"id": "2", "trajectory": rows[2][1], "x": ""}
    assert len(list(csv.reader((tmp_path / "out.csv").read_text().splitlines()))) == 3


def test_all_rows_of_a_table_get_the_same_columns(tmp_path: Path) -> None:
    run = json.dumps(TRAJECTORY)
    (tmp_path / "in.csv").write_bytes(table([["a", "b"], [run, "x"], ["x", run], [run, "y"]]))
    done = convert(tmp_path / "in.csv", "-o", tmp_path / "out.csv")
    assert done.exit_code == 1
    assert "in.csv:3: would get other columns than the rows before it: a, history" in done.stderr
    header, *rows = csv.reader((tmp_path / "out.csv").read_text().splitlines())
    assert header == ["history", "b"]
    assert [row[1] for row in rows] == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,a\n1,2\n", "in.csv has more than one column 'a'"),
        (b'a,b\n"open', "in.csv is no CSV from line 2 on"),
    ],
)
def test_tables_that_are_none(content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    done = convert(tmp_path / "in.csv", "-o", tmp_path / "out.csv")
    assert done.exit_code == 2
    assert reason in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_a_table_with_a_column_for_every_key_is_refused(tmp_path: Path) -> None:
    rows = [list(STEP), ["t", "search", "{}", "found"]]
    (tmp_path / "in.csv").write_bytes(table(rows))
    done = convert(tmp_path / "in.csv", "-o", tmp_path / "out.csv")
    assert done.exit_code == 1
    assert "a table is converted if one column has the trajectory as JSON" in done.stderr


def test_a_table_without_rows(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"id,trajectory\n")
    assert convert(tmp_path / "in.csv", "-o", tmp_path / "out.csv").exit_code == 0
    assert (tmp_path / "out.csv").read_bytes() == b"id,trajectory\n"


def test_lines_of_all_sorts(tmp_path: Path) -> None:
    """Blank ones, Windows' ends, no end at all; separators of Unicode end no line."""
    text = json.dumps({**RECORD, "x": "\u2028\x85"}, ensure_ascii=False).encode()
    (tmp_path / "in.jsonl").write_bytes(b"\xef\xbb\xbf" + text + b"\r\n\n  \n" + text + b"\r\n" + text)
    assert convert(tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl").exit_code == 0
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert len(lines) == 4
    assert len({*lines[:3]}) <= 3
    assert all(json.loads(line)["x"] == "\u2028\x85" for line in lines[:3])


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_nothing_gives_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(content)
    done = convert(tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 0
    assert "0 records" in done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("source", "target"), [("in.jsonl", "out.csv"), ("in.jsonl", "out.parquet"), ("in.csv", "out.jsonl.gz")]
)
def test_formats_are_not_changed(source: str, target: str, tmp_path: Path) -> None:
    (tmp_path / source).write_bytes(LINES if source == "in.jsonl" else b"id,trajectory\n")
    done = convert(tmp_path / source, "-o", tmp_path / target)
    assert done.exit_code == 2
    assert "which stays what it is" in done.stderr
