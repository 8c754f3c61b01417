"""Several processes give what one gives."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_files import RECORD, TRAJECTORY, convert, store, stored

from react_migrate.stored import workers
from react_migrate.stored.lines import LinesResult
from react_migrate.stored.settings import Settings
from react_migrate.stored.workers import spans_of


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Some megabytes of records of all lengths, some of them bad."""
    records: list[Any] = []
    for number in range(3000):
        record = {"id": number, **RECORD, "question": "q" * (number % 1500)}
        records.append({"id": number} if number % 700 == 3 else record)
    records[1500]["trajectory"] = {**TRAJECTORY, "observation_0": "long" * 700_000}  # longer than a part
    return store(tmp_path / "in.jsonl", records)


@pytest.mark.parametrize("packed_input", [False, True])
@pytest.mark.parametrize("output", ["out.jsonl", "out.jsonl.gz", "-"])
def test_the_same_records_in_the_same_order(
    source: Path, packed_input: bool, output: str, tmp_path: Path
) -> None:
    if packed_input:
        packed = tmp_path / "in.jsonl.gz"
        packed.write_bytes(gzip.compress(source.read_bytes()))
        source = packed
    contents, rejects, told = [], [], []
    for jobs in (1, 3):
        target = output if output == "-" else tmp_path / output
        done = convert(source, "-o", target, "--rejects", tmp_path / "rejects.jsonl", "-j", jobs)
        assert done.exit_code == 1, done.stderr
        raw = done.stdout_bytes if output == "-" else Path(target).read_bytes()
        contents.append(gzip.decompress(raw) if output.endswith(".gz") else raw)
        rejects.append(stored(tmp_path / "rejects.jsonl"))
        told.append(done.stderr)
    assert contents[0] == contents[1]
    assert rejects[0] == rejects[1]
    assert told[0] == told[1]
    assert [reject["line"] for reject in rejects[0]] == [number + 1 for number in range(3, 3000, 700)]
    ids = [json.loads(line)["id"] for line in contents[0].splitlines()]
    assert ids == sorted(ids)
    assert len(ids) + len(rejects[0]) == 3000


@given(
    st.lists(st.sampled_from([b"a", b"bcd", b"\n"])).map(b"".join),
    st.integers(1, 20),
    st.integers(1, 30),
)
def test_parts_of_a_file_are_whole_lines_and_all_of_it(data: bytes, part: int, read: int) -> None:
    lines: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "_PART", part)
        patch.setattr(workers, "_READ", read)
        for span in spans_of(Path("f"), io.BytesIO(data)):
            lines += workers._lines(io.BytesIO(data), span)
    assert lines == io.BytesIO(data).readlines()


def test_a_worker_that_is_killed(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    real = workers._Conversion._receive

    def kill_first(self: Any, worker: Any, message: Any) -> None:
        real(self, worker, message)
        if not killed:
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)

    monkeypatch.setattr(workers._Conversion, "_receive", kill_first)
    done = convert(source, "-o", tmp_path / "out.jsonl", "-j", "2")
    assert done.exit_code == 2
    assert "a worker process ended before its work was done" in done.stderr
    assert "--jobs 1" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_workers_end_with_the_process_that_started_them(source: Path, tmp_path: Path) -> None:
    """Even if it is killed and cannot say so."""
    script = f"""
import multiprocessing, os, signal, sys
from pathlib import Path
from react_migrate.stored import batch, workers
from react_migrate.stored.settings import Settings
def killed(self, worker, message):
    print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
workers._Conversion._receive = killed
if __name__ == "__main__":
    batch.run(batch.Request((Path({str(source)!r}),), Path({str(tmp_path / "out.jsonl")!r}), jobs=2))
"""
    path = tmp_path / "script.py"
    path.write_text(script)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    children = [int(pid) for pid in done.stdout.split()]
    assert len(children) == 2
    for pid in children:  # `run` waited for their standard error, so they have closed it
        assert not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes()


def test_an_input_that_vanishes(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = workers.spans_of

    def gone(path: Path, file: Any) -> Iterator[workers.Span]:
        spans = list(real(path, file))
        source.unlink()
        yield from spans

    monkeypatch.setattr("react_migrate.stored.conversion.spans_of", gone)
    done = convert(source, "-o", tmp_path / "out.jsonl", "-j", "2")
    assert done.exit_code == 2
    assert "in.jsonl: does not exist" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_small_inputs_start_no_process(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_workers(*arguments: Any) -> None:
        raise AssertionError("a process for a few megabytes")

    monkeypatch.setattr("react_migrate.stored.conversion.convert_parallel", no_workers)
    assert convert(source, "-o", tmp_path / "out.jsonl").exit_code == 1


def test_results_survive_the_way_between_processes() -> None:
    import pickle

    from react_migrate.stored.lines import LineConverter

    out: list[bytes] = []
    line = json.dumps(RECORD).encode() + b"\n"
    result = LineConverter(Settings()).convert([line, b"\n", b"{}\n"] * 4, out.append)
    copy: LinesResult = pickle.loads(pickle.dumps(result))
    assert copy.lines == 12
    assert sum(copy.reports.values()) == len(out) == 4
    assert [reject.at for reject in copy.rejects] == [2, 5, 8, 11]
