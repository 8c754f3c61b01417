"""Parquet: a column of JSON text or of Arrow's nested types, and every other column untouched."""

from __future__ import annotations

import datetime
import decimal
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stored_files import STEP, TRAJECTORY, convert, stored

OTHERS = {
    "when": pa.array(
        [datetime.datetime(2024, 1, 1), None, datetime.datetime(2025, 1, 1)], pa.timestamp("us", "UTC")
    ),
    "price": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("2.20")], pa.decimal128(9, 2)),
    "raw": pa.array([b"\xff", None, b""], pa.binary()),
    "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
    "small": pa.array([1, None, 3], pa.int8()),
}
OTHER_STEP = {"thought_0": "t", "tool_name_0": "look", "tool_args_0": {"at": 7}, "observation_0": None}


def write(path: Path, trajectories: Any, **options: Any) -> pa.Table:
    table = pa.table(
        {
            "when": OTHERS["when"],
            "question": ["q1", "q2", "q3"],
            "trajectory": trajectories,
            **{name: OTHERS[name] for name in ("price", "raw", "kind", "small")},
            "answer": ["A1", None, "A3"],
        }
    )
    pq.write_table(table, path, **options)
    return pq.read_table(path)


def histories(path: Path) -> list[list[dict[str, Any]]]:
    return [json.loads(text)["messages"] for text in pq.read_table(path)["history"].to_pylist()]


TEXTS = [json.dumps(STEP), json.dumps(TRAJECTORY, separators=(",", ":")), json.dumps(TRAJECTORY, indent=7)]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_column_of_json_text(kind: pa.DataType, tmp_path: Path) -> None:
    table = write(tmp_path / "in.parquet", pa.array(TEXTS, kind), row_group_size=2, compression="zstd")
    done = convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == 0, done.stderr
    new = pq.read_table(tmp_path / "out.parquet")
    assert new.column_names == ["history" if name == "trajectory" else name for name in table.column_names]
    for name in (*OTHERS, "question", "answer"):
        assert new[name].equals(table[name])
    assert new["history"].type == kind
    first, second, _ = histories(tmp_path / "out.parquet")
    assert (first[0]["question"], second[-1]["react_migrate"]["finish"]) == ("q1", True)
    assert first[-1]["answer"] == "A1"
    metadata = pq.ParquetFile(tmp_path / "out.parquet").metadata
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert convert(tmp_path / "out.parquet", "-o", tmp_path / "back.parquet", "--reverse").exit_code == 0
    back = pq.read_table(tmp_path / "back.parquet")
    assert back.equals(table)
    assert back.schema.equals(table.schema, check_metadata=True)


def test_a_column_of_arrow_s_own_type(tmp_path: Path) -> None:
    """There every run has the fields of all runs."""
    longer = {**TRAJECTORY, "tool_name_1": "look", "tool_args_1": {"at": 8}}
    runs = pa.array([STEP, longer, OTHER_STEP])
    assert runs.to_pylist()[0]["tool_args_0"] == {"q": "a", "at": None}
    assert runs.to_pylist()[0]["tool_name_1"] is None
    table = write(tmp_path / "in.parquet", runs)
    done = convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == 0, done.stderr
    found = histories(tmp_path / "out.parquet")
    assert [len(events) for events in found] == [2, 2, 2]
    calls = [events[0]["tool_calls"]["tool_calls"][0]["args"] for events in found]
    assert calls == [{"q": "a"}, {"q": "a"}, {"at": 7}]
    result = found[2][0]["tool_calls"]["tool_call_results"]["tool_call_results"][0]
    assert result["value"] is None
    assert convert(tmp_path / "out.parquet", "-o", tmp_path / "back.parquet", "--reverse").exit_code == 0
    back = pq.read_table(tmp_path / "back.parquet")
    assert back.schema.equals(table.schema, check_metadata=True)
    assert back.equals(table)


def test_a_column_of_lists_of_steps(tmp_path: Path) -> None:
    steps = [
        {"thought": "t", "tool": "f", "args": {"a": 1}, "result": "r"},
        {"tool": "g", "args": {"b": "x"}},
    ]
    table = write(tmp_path / "in.parquet", pa.array([steps, steps[:1], steps * 2]))
    assert convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet").exit_code == 0
    assert [len(events) for events in histories(tmp_path / "out.parquet")] == [3, 1, 5]
    assert convert(tmp_path / "out.parquet", "-o", tmp_path / "back.parquet", "--reverse").exit_code == 0
    assert pq.read_table(tmp_path / "back.parquet").equals(table)


def test_rejected_rows_are_left_out_of_all_columns(tmp_path: Path) -> None:
    table = write(tmp_path / "in.parquet", pa.array([TEXTS[0], "no trajectory", TEXTS[2]]))
    done = convert(
        tmp_path / "in.parquet", "-o", tmp_path / "out.parquet", "--rejects", tmp_path / "bad.jsonl"
    )
    assert done.exit_code == 1
    assert "in.parquet, row 2: has no trajectory" in done.stderr
    new = pq.read_table(tmp_path / "out.parquet")
    assert new["small"].to_pylist() == [1, 3]
    assert new["when"].to_pylist() == [table["when"].to_pylist()[0], table["when"].to_pylist()[2]]
    (reject,) = stored(tmp_path / "bad.jsonl")
    assert (reject["row"], reject["record"]["question"]) == (2, "q2")


def test_the_metadata_of_pandas_names_the_new_column(tmp_path: Path) -> None:
    column = {
        "name": "trajectory",
        "field_name": "trajectory",
        "pandas_type": "object",
        "numpy_type": "object",
    }
    pandas = {"index_columns": [], "columns": [column, {"name": "x", "field_name": "x"}]}
    metadata = {b"pandas": json.dumps(pandas).encode(), b"huggingface": b"{}", b"mine": b"1"}
    table = pa.table({"trajectory": TEXTS, "x": [1, 2, 3]}).replace_schema_metadata(metadata)
    pq.write_table(table, tmp_path / "in.parquet")
    assert convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet").exit_code == 0
    found = pq.read_schema(tmp_path / "out.parquet").metadata
    assert [each["field_name"] for each in json.loads(found[b"pandas"])["columns"]] == ["history", "x"]
    assert (b"huggingface" in found, found[b"mine"]) == (False, b"1")
    assert convert(tmp_path / "out.parquet", "-o", tmp_path / "back.parquet", "--reverse").exit_code == 0
    assert (
        pq.read_schema(tmp_path / "back.parquet").metadata == pq.read_schema(tmp_path / "in.parquet").metadata
    )


@pytest.mark.parametrize("rows", [0, 3])
def test_files_with_nothing_to_convert(rows: int, tmp_path: Path) -> None:
    pq.write_table(pa.table({"trajectory": ["x"] * rows, "n": [1] * rows}), tmp_path / "in.parquet")
    done = convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == (1 if rows else 0)
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 0


def test_what_parquet_cannot(tmp_path: Path) -> None:
    write(tmp_path / "in.parquet", TEXTS)
    for arguments, stdin, reason in (
        (
            ["-", "-o", tmp_path / "out.parquet"],
            (tmp_path / "in.parquet").read_bytes(),
            "which can only be read from",
        ),
        ([tmp_path / "in.parquet", "-o", "-"], None, "which can only be written to a file"),
        (
            [tmp_path / "in.parquet", "-o", tmp_path / "o.parquet", "--inputs", "when"],
            None,
            "column 'when' has a type",
        ),
    ):
        done = convert(*arguments, stdin=stdin)
        assert done.exit_code == 2
        assert reason in done.stderr
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "in.parquet").read_bytes()[:-9])
    done = convert(tmp_path / "cut.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == 2
    assert "cut.parquet cannot be read as Parquet" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.parquet", "in.parquet"]


def test_without_pyarrow_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "in.parquet", TEXTS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == 2
    assert "in.parquet is Parquet, which needs pyarrow: pip install 'react-migrate[parquet]'" in done.stderr


def test_memory_stays_flat(tmp_path: Path) -> None:
    text = json.dumps({**STEP, "observation_0": "x" * 2000})
    peaks = []
    for rows in (15_000, 60_000):
        table = pa.table({"trajectory": [text + " " * (n % 7) for n in range(rows)]})
        pq.write_table(table, tmp_path / "in.parquet", row_group_size=5_000, use_dictionary=False)
        command = [sys.executable, "-m", "react_migrate", "convert", tmp_path / "in.parquet", "-o"]
        measure = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stderr=-3);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
        )
        arguments = [*map(str, command), str(tmp_path / "out.parquet")]
        done = subprocess.run([sys.executable, "-c", measure, *arguments], capture_output=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 45  # the file is 90 MB larger
