"""How fast `react-migrate convert` is, against what any program pays that reads and writes the same JSON.

    python benchmarks/convert.py [--size MB] [--folder FOLDER]

(where react-migrate and react-shims can be imported, on Linux). Prints, all measured in one run:

- One core: the *floor*, `orjson.dumps(orjson.loads(line))` for every line, over the conversion of the same
  lines; in memory, and from a file into a file on both sides. Processor time, medians of rounds that take
  turns, so that other work on the machine counts as little as possible.
- Two processes, on a file of 800 MB: the speedup of `--jobs 2` over `--jobs 1`, over the speedup that a plain
  loop of arithmetic, of the same length, gets from a second process.
- Memory, on a file of `--size`: the most that all processes of the command hold.

Exits with 1 when a promise is broken: 0.5 of the floor for records with large observations and 0.25 for short
steps, 85 % of the plain loop's speedup, 200 MB.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from react_migrate.stored.batch import Request, run
from react_migrate.stored.lines import LineConverter
from react_migrate.stored.settings import Settings

ROUNDS = 9
LONG_ROUNDS = 5
SENTENCE = "the agent looked up flights from Zürich to Berlin and found that all of them leave at noon"
WORDS = SENTENCE.split()


class Kind(NamedTuple):
    """Records of one kind: how long a thought and an observation is in characters, and what is promised."""

    name: str
    thought: int
    observation: int
    promise: float


KINDS = (Kind("short steps", 200, 200, 0.25), Kind("large observations", 200, 20_000, 0.5))
SPEEDUP_PROMISE = 0.85
SPEEDUP_SIZE = 800  # MB
MEMORY_PROMISE = 200  # MB


def text(random_words: random.Random, length: int) -> str:
    words: list[str] = []
    while length > 0:
        words.append(random_words.choice(WORDS))
        length -= len(words[-1]) + 1
    return " ".join(words)


def record(kind: Kind, seed: int) -> dict[str, Any]:
    """A run as V1 leaves it behind, three to seven steps long."""
    random_words = random.Random(seed)
    trajectory: dict[str, Any] = {}
    steps = random_words.randint(2, 6)
    for number in range(steps):
        trajectory[f"thought_{number}"] = text(random_words, kind.thought)
        trajectory[f"tool_name_{number}"] = random_words.choice(["search", "fetch", "book"])
        trajectory[f"tool_args_{number}"] = {"query": text(random_words, 30), "limit": seed % 50}
        trajectory[f"observation_{number}"] = text(random_words, kind.observation)
    last = {"thought": "That is all.", "tool_name": "finish", "tool_args": {}, "observation": "Completed."}
    trajectory.update({f"{name}_{steps}": value for name, value in last.items()})
    return {
        "id": seed,
        "question": text(random_words, 80),
        "trajectory": trajectory,
        "reasoning": text(random_words, kind.thought),
        "answer": text(random_words, 40),
    }


def lines_of(kind: Kind, megabytes: float) -> list[bytes]:
    lines: list[bytes] = []
    while sum(map(len, lines[-1:])) * len(lines) < megabytes * 1e6:
        lines.append(json.dumps(record(kind, len(lines))).encode() + b"\n")
    return lines


def processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def wall_seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(ours: Callable[[], object], floor: Callable[[], object]) -> float:
    """How fast we are, as a part of the floor's speed."""
    ours(), floor()
    pairs = [(processor_seconds(ours), processor_seconds(floor)) for _ in range(ROUNDS)]
    return statistics.median(floor_time / our_time for our_time, floor_time in pairs)


def in_memory(lines: Sequence[bytes]) -> float:
    converter = LineConverter(Settings())

    def nothing(line: bytes) -> None:
        """As the floor does not write, either."""

    def floor() -> None:
        for line in lines:
            orjson.dumps(orjson.loads(line))

    return ratio(lambda: converter.convert(lines, nothing), floor)


def file_to_file(lines: Sequence[bytes], folder: Path) -> float:
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_bytes(b"".join(lines))

    def floor() -> None:
        with source.open("rb") as file, target.open("wb") as out:
            for line in file:
                out.write(orjson.dumps(orjson.loads(line)))
                out.write(b"\n")
            os.fsync(out.fileno())

    return ratio(lambda: convert(source, target, jobs=1), floor)


def convert(source: Path, target: Path, *, jobs: int) -> None:
    run(Request((source,), target, jobs=jobs, show_progress=False))


def count(steps: int) -> int:
    total = 0
    for number in range(steps):
        total += number & 3
    return total


def count_in(processes: int, steps: int) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=count, args=(steps // processes,)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def speedups(source: Path, target: Path) -> tuple[float, float, float]:
    """Of the conversion and of the plain loop, each with two processes over one, and the one over the other.

    The last is the median of rounds in which all four are timed, so that other work on the machine meets all
    of them.
    """
    convert(source, target, jobs=1)
    seconds = wall_seconds(partial(convert, source, target, jobs=1))
    steps = int(seconds / wall_seconds(partial(count, 2_000_000)) * 2_000_000)
    rounds = []
    for _ in range(LONG_ROUNDS):
        one, plain_one, two, plain_two = (
            wall_seconds(work)
            for jobs in (1, 2)
            for work in (partial(convert, source, target, jobs=jobs), partial(count_in, jobs, steps))
        )
        rounds.append((one / two, plain_one / plain_two))
    ours, plain = (statistics.median(each) for each in zip(*rounds, strict=True))
    return ours, plain, statistics.median(ours / plain for ours, plain in rounds)


def peak_megabytes(source: Path, target: Path, jobs: int) -> float:
    """Of the whole command: the sum over its processes of the most that each held."""
    command = [
        sys.executable,
        "-m",
        "react_migrate",
        "convert",
        str(source),
        "-o",
        str(target),
        "-q",
        "-j",
        str(jobs),
    ]
    process = subprocess.Popen(command)
    peaks: dict[str, float] = {}
    while process.poll() is None:
        for pid in (str(process.pid), *children(process.pid)):
            peaks[pid] = max(peaks.get(pid, 0), held(pid))
        time.sleep(0.05)
    assert process.returncode == 0
    return sum(peaks.values())


def children(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:  # it has just ended
        return []


def held(pid: str) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) / 1e3 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def write_many(path: Path, lines: bytes, megabytes: int) -> None:
    with path.open("wb") as file:
        for _ in range(max(1, megabytes * 1_000_000 // len(lines))):
            file.write(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure react-migrate convert.")
    parser.add_argument("--size", type=int, default=400, help="MB of the file to measure memory with")
    parser.add_argument("--folder", help="where to put it; by default where temporary files go")
    arguments = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        source, target = folder / "large.jsonl", folder / "large.out.jsonl"
        for kind in KINDS:
            lines = lines_of(kind, 4)
            found = in_memory(lines)
            kept = kept and found >= kind.promise
            print(f"{kind.name}: {sum(map(len, lines)) / len(lines):,.0f} bytes a record")
            print(f"  one core, in memory:    {found:.2f} of the floor (promised {kind.promise})")
            print(f"  one core, file to file: {file_to_file(lines, folder):.2f} of the floor")
        short = b"".join(lines_of(KINDS[0], 4))
        write_many(source, short, SPEEDUP_SIZE)
        ours, plain, share = speedups(source, target)
        kept = kept and share >= SPEEDUP_PROMISE
        print(f"two processes: {ours:.2f} times as fast as one, a plain loop {plain:.2f} times;", end=" ")
        print(f"{share:.0%} (promised {SPEEDUP_PROMISE:.0%})")
        write_many(source, short, arguments.size)
        for jobs in (1, 2):
            found = peak_megabytes(source, target, jobs)
            kept = kept and found < MEMORY_PROMISE
            size = source.stat().st_size / 1e6
            print(f"{size:,.0f} MB, --jobs {jobs}: {found:.0f} MB of memory (promised {MEMORY_PROMISE})")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
