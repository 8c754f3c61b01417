"""Output appears when it is complete, or not at all, whatever happens on the way."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pty
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from stored_files import RECORD, RUNS, convert, store, stored

COMMAND = [sys.executable, "-m", "react_migrate", "convert"]
BAD = {"no": "trajectory"}


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_standard_input_and_output() -> None:
    done = convert("-", "-o", "-", stdin=RUNS.read_bytes())
    assert done.exit_code == 0
    assert len(done.stdout_bytes.splitlines()) == 7
    assert "7 records: 7 converted" in done.stderr
    back = convert("-", "-o", "-", "--reverse", "-q", stdin=done.stdout_bytes)
    assert [json.loads(line) for line in back.stdout_bytes.splitlines()] == stored(RUNS)
    assert back.stderr == ""


def test_several_inputs_become_one_file(tmp_path: Path) -> None:
    one, two = store(tmp_path / "a.jsonl", [RECORD]), store(tmp_path / "b.jsonl", [BAD, RECORD])
    (tmp_path / "c.json").write_text(json.dumps([RECORD], indent=2))
    done = convert(one, two, tmp_path / "c.json", "-o", tmp_path / "all.jsonl")
    assert done.exit_code == 1
    assert f"{two}:1: has no trajectory" in done.stderr
    assert len(stored(tmp_path / "all.jsonl")) == 3
    (reject,) = stored(tmp_path / "all.jsonl.rejects.jsonl")
    assert (reject["source"], reject["line"], reject["record"]) == (str(two), 1, BAD)


def test_several_inputs_that_cannot_be_one_file(tmp_path: Path) -> None:
    one = store(tmp_path / "a.jsonl", [RECORD])
    (tmp_path / "b.csv").write_text("id,trajectory\n")
    for output in ("out.json", "out.jsonl"):
        done = convert(one, tmp_path / "b.csv", "-o", tmp_path / output)
        assert done.exit_code == 2
        assert (
            "name an output that ends in .jsonl, or in a slash" in done.stderr
            or "stays what it is" in done.stderr
        )
    assert names(tmp_path) == ["a.jsonl", "b.csv"]


def test_a_folder_becomes_a_folder(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name in ("b/two.jsonl", "a.jsonl", ".hidden/x.jsonl", "b/.x.jsonl", "old.rejects.jsonl"):
        (runs / name).parent.mkdir(parents=True, exist_ok=True)
        store(runs / name, [RECORD])
    (runs / "README.md").write_text("# Runs")
    (runs / "loop").symlink_to(runs)
    for _ in range(2):  # the second time its own output is there already
        done = convert(runs, "-o", runs / "converted")
        assert done.exit_code == 0, done.stderr
        assert names(runs / "converted") == ["a.jsonl", "b/two.jsonl"]
        assert "2 other files in the folders were passed over" in done.stderr
    done = convert(runs, "-o", tmp_path / "all.jsonl")
    assert len(stored(tmp_path / "all.jsonl")) == 4  # these two, and what became of them


@pytest.mark.parametrize("output", ["new/", "there", "there/"])
def test_a_file_becomes_a_file_in_a_folder(output: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    source = store(tmp_path / "in.jsonl", [RECORD])
    assert convert(source, "-o", f"{tmp_path}/{output}").exit_code == 0
    assert (tmp_path / output / "in.jsonl").is_file()


@pytest.mark.parametrize(
    ("inputs", "output", "reason"),
    [
        (["in.jsonl"], "in.jsonl", "in.jsonl is an input; name another output"),
        (["in.jsonl"], "link.jsonl", "link.jsonl is an input"),
        (["in.jsonl", "in.jsonl"], "out/", "two inputs would both become"),
        (["-"], "out/", "standard input has no name"),
        (["gone.jsonl"], "out.jsonl", "gone.jsonl: does not exist"),
        (["in.jsonl"], "gone/out.jsonl", "gone/out.jsonl could not be written: does not exist"),
        (["in.jsonl"], "in.jsonl/out.jsonl", "a part of its path is a file"),
        (["empty"], "out", "there is no file of stored runs in what was given"),
        (["in\x1b.jsonl"], "out.jsonl", r"in\x1b.jsonl: does not exist"),
    ],
)
def test_what_cannot_be_done_says_why(inputs: list[str], output: str, reason: str, tmp_path: Path) -> None:
    store(tmp_path / "in.jsonl", [RECORD])
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.jsonl").symlink_to("in.jsonl")
    before = (tmp_path / "in.jsonl").read_bytes()
    sources = [name if name == "-" else tmp_path / name for name in inputs]
    done = convert(*sources, "-o", f"{tmp_path}/{output}", stdin=b"")
    assert done.exit_code == 2
    assert reason in done.stderr
    assert names(tmp_path) == ["in.jsonl", "link.jsonl"]
    assert (tmp_path / "in.jsonl").read_bytes() == before


def test_a_failure_in_the_second_of_two_leaves_nothing_in_their_common_file(tmp_path: Path) -> None:
    store(tmp_path / "a.jsonl", [RECORD, BAD])
    (tmp_path / "b.json").write_text("[{")
    done = convert(tmp_path / "a.jsonl", tmp_path / "b.json", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 2
    assert names(tmp_path) == ["a.jsonl", "b.json"]


def test_inputs_that_become_a_file_each_do_not_stop_each_other(tmp_path: Path) -> None:
    """What was told or counted of one that breaks off in the middle is taken back."""
    store(tmp_path / "a.jsonl", [BAD, RECORD])
    lines = [BAD] * 200_000 + [RECORD] * 10
    packed = gzip.compress("".join(json.dumps(each) + "\n" for each in lines).encode(), 1)
    (tmp_path / "b.jsonl.gz").write_bytes(packed[:-9])
    store(tmp_path / "d.jsonl", [RECORD, RECORD])
    sources = [tmp_path / name for name in ("a.jsonl", "b.jsonl.gz", "c.jsonl", "d.jsonl")]
    done = convert(*sources, "-o", tmp_path / "out", "--rejects", tmp_path / "bad.jsonl")
    assert done.exit_code == 2
    assert names(tmp_path / "out") == ["a.jsonl", "d.jsonl"]
    assert len(stored(tmp_path / "out" / "d.jsonl")) == 2
    assert [each["source"] for each in stored(tmp_path / "bad.jsonl")] == [str(tmp_path / "a.jsonl")]
    assert "4 records: 3 converted to histories, 1 rejected." in done.stderr
    assert "2 inputs could not be converted at all" in done.stderr
    assert f"Error: {tmp_path / 'b.jsonl.gz'} is cut off" in done.stderr
    assert f"Error: {tmp_path / 'c.jsonl'}: does not exist" in done.stderr


def test_rejects_that_find_no_room_while_they_are_held_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "full" / "gone"))
    source = store(tmp_path / "in.jsonl", [BAD] * 40_000)
    done = convert(source, "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 2
    assert f"held back in {tmp_path}/full/gone: does not exist" in done.stderr
    assert names(tmp_path) == ["in.jsonl"]


def test_an_existing_output_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    source = store(tmp_path / "in.jsonl", [RECORD])
    (tmp_path / "real.jsonl").write_text("old")
    (tmp_path / "real.jsonl").chmod(0o640)
    (tmp_path / "out.jsonl").symlink_to("real.jsonl")
    assert convert(source, "-o", tmp_path / "out.jsonl").exit_code == 0
    assert (tmp_path / "out.jsonl").is_symlink()
    assert len(stored(tmp_path / "real.jsonl")) == 1
    assert stat.S_IMODE((tmp_path / "real.jsonl").stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        convert(source, "-o", tmp_path / "new.jsonl")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.jsonl").stat().st_mode) == 0o640


def test_a_failed_run_leaves_an_existing_output_alone(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text("[")
    (tmp_path / "out.json").write_text("old")
    assert convert(tmp_path / "in.json", "-o", tmp_path / "out.json").exit_code == 2
    assert (tmp_path / "out.json").read_text() == "old"
    assert names(tmp_path) == ["in.json", "out.json"]


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    assert convert(RUNS, "-o", pipe).exit_code == 0
    assert len(reader.communicate()[0].splitlines()) == 7
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_rejects_have_a_file_of_their_own(tmp_path: Path) -> None:
    source = store(tmp_path / "in.jsonl", [BAD, RECORD] * 8)
    done = convert(source, "-o", tmp_path / "out.jsonl", "--rejects", tmp_path / "bad.jsonl")
    assert done.exit_code == 1
    assert done.stderr.count("in.jsonl:") == 5
    assert "... and 3 records more" in done.stderr
    assert "16 records: 8 converted to histories, 8 rejected." in done.stderr
    assert f"Rejected records are in {tmp_path}/bad.jsonl" in done.stderr
    assert [each["line"] for each in stored(tmp_path / "bad.jsonl")] == list(range(1, 17, 2))


def test_rejects_are_kept_without_being_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = store(tmp_path / "in.jsonl", [BAD])
    for name in ("out.jsonl.rejects.jsonl", "out.jsonl.rejects-2.jsonl"):
        assert name in convert(source, "-o", tmp_path / "out.jsonl").stderr
    monkeypatch.chdir(tmp_path)
    done = convert("-", "-o", "-", stdin=source.read_bytes())
    assert "Rejected records are in react-migrate.rejects.jsonl" in done.stderr
    assert stored(tmp_path / "react-migrate.rejects.jsonl")[0]["source"] == "standard input"
    assert convert(store(tmp_path / "good.jsonl", [RECORD]), "-o", "out.jsonl").exit_code == 0
    assert len(list(tmp_path.glob("*rejects*"))) == 3


def test_rejects_that_cannot_be_written_fail_the_job(tmp_path: Path) -> None:
    source = store(tmp_path / "in.jsonl", [BAD, RECORD])
    done = convert(source, "-o", tmp_path / "out.jsonl", "--rejects", tmp_path / "no" / "bad.jsonl")
    assert done.exit_code == 2
    assert "no/bad.jsonl could not be written" in done.stderr
    assert names(tmp_path) == ["in.jsonl"]


def large(folder: Path, records: int = 20_000) -> Path:
    """A file that takes a moment."""
    path = folder / "large.jsonl"
    path.write_bytes(json.dumps(RECORD).encode() + b"\n")
    path.write_bytes(path.read_bytes() * records)
    return path


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_a_full_disk(jobs: str, ending: str, tmp_path: Path) -> None:
    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    command = [*COMMAND, large(tmp_path), "-o", tmp_path / f"out{ending}", "-j", jobs]
    done = subprocess.run(command, preexec_fn=small_disk, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "could not be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert names(tmp_path) == ["large.jsonl"]


def test_a_full_device(tmp_path: Path) -> None:
    for redirected in (False, True):
        with Path("/dev/full").open("wb") as full:
            command = [*COMMAND, RUNS, "-o", "-" if redirected else "/dev/full"]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert "the disk is full; free some space and run again" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_broken_pipe(jobs: str, tmp_path: Path) -> None:
    command = [*COMMAND, large(tmp_path), "-o", "-", "-j", jobs]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    told = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 2
    assert told == "Error: standard output was closed by its reader before everything was written.\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_nothing_behind(
    number: signal.Signals, code: int, jobs: str, tmp_path: Path
) -> None:
    """Of a terminal, Ctrl-C goes to all processes of the group."""
    pipe = tmp_path / "in.jsonl"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, pipe, "-o", tmp_path / "out.jsonl", "-j", jobs],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    with pipe.open("wb") as file:
        file.write(json.dumps(RECORD).encode() + b"\n" + b" " * 3_000_000)
        file.flush()
        wait_for(lambda: any(path.suffix == ".tmp" for path in tmp_path.iterdir()))
        time.sleep(0.3)  # workers start
        os.killpg(process.pid, number)
        told = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == code
    assert told == ("Interrupted: nothing was written.\n" if number == signal.SIGINT else "")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def wait_for(condition: Any) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_progress_bar_in_a_terminal(tmp_path: Path) -> None:
    """Only for work that takes longer than a second, and only on standard error."""
    ours, theirs = pty.openpty()
    slow = (
        "import sys, time; from react_migrate.stored import progress; progress._PATIENCE = 0.0;"
        "from react_migrate.cli import main; main()"
    )
    command = [sys.executable, "-c", slow, "convert", large(tmp_path), "-o", tmp_path / "out.jsonl"]
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.PIPE)
        os.close(theirs)
        told = b""
        with contextlib.suppress(OSError):  # at the end, because the other end is closed
            while True:
                told += terminal.read(4096)
    assert process.stdout is not None
    assert process.stdout.read() == b""
    process.stdout.close()
    assert process.wait() == 0
    assert b"MB" in told
    assert b"20,000 converted to histories" in told


def test_without_a_terminal_there_is_no_bar(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, RUNS, "-o", tmp_path / "out.jsonl"], capture_output=True, check=False)
    assert b"\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 3


def test_memory_stays_flat(tmp_path: Path) -> None:
    def peak(records: int) -> int:
        """Of a whole run, in MB; beyond what the parent process brings along."""
        command = [*COMMAND, large(tmp_path, records), "-o", tmp_path / "out.jsonl", "-j", "1"]
        measure = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stderr=-3);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
        )
        done = subprocess.run(
            [sys.executable, "-c", measure, *map(str, command)], capture_output=True, check=True
        )
        return int(done.stdout)

    assert peak(100_000) < peak(2_000) + 15
