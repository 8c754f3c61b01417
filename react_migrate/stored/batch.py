"""A whole command: every input is converted, and then all outputs appear.

Inputs that become a file each do not stop each other. What becomes one file, becomes it whole or not at all.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from react_migrate.files import reason
from react_migrate.report.escape import shown
from react_migrate.stored.conversion import convert_input
from react_migrate.stored.errors import StoredError
from react_migrate.stored.formats import Format, is_lines_name, unpacked_name
from react_migrate.stored.lines import LinesResult
from react_migrate.stored.opening import STDIN, Input, opened
from react_migrate.stored.output import Output, output_at
from react_migrate.stored.plan import Task, planned
from react_migrate.stored.progress import Advance, progress
from react_migrate.stored.rejects import Rejects
from react_migrate.stored.settings import Settings
from react_migrate.stored.tally import Tally

_UNITS = {Format.LINES: "line", Format.DOCUMENT: "record", Format.TABLE: "line", Format.PARQUET: "row"}


@dataclass(frozen=True)
class Request:
    """What the command was asked for. jobs: processes, None to choose. rejects: where to, None to choose."""

    inputs: tuple[Path, ...]
    output: Path
    settings: Settings = field(default_factory=Settings)
    output_is_folder: bool = False
    rejects: Path | None = None
    jobs: int | None = None
    show_progress: bool = True


@dataclass
class Outcome:
    """What was done.

    outputs: the names of what was written. failed: why inputs were not converted at all, a sentence each.
    passed_over: files with names of no data.
    """

    tally: Tally
    outputs: list[str]
    rejects: Rejects
    passed_over: int = 0
    failed: list[str] = field(default_factory=list)


def run(request: Request) -> Outcome:
    """Convert everything. Files appear when all of them are complete, or not at all.

    One that cannot be made although others can does not appear, and `Outcome.failed` says why.

    Raises:
        StoredError: nothing could be done; no file has appeared. (What went to standard output has.)
        KeyboardInterrupt: the same, when interrupted.
    """
    plan = planned(request.inputs, request.output, request.output_is_folder)
    rejects = Rejects(request.rejects, request.output)
    outcome = Outcome(Tally(), [], rejects, plan.passed_over)
    outputs: list[Output] = []
    try:
        with _terminable(), progress(_size(plan.tasks), wanted=request.show_progress) as advance:
            for task in plan.tasks:
                with _collecting(outcome.failed) if len(plan.tasks) > 1 else contextlib.nullcontext():
                    _run_task(task, request, outcome, outputs, advance)
            for output in outputs:
                output.finish()
            rejects.finish()
            for output in outputs:
                output.commit()
            rejects.commit()
    finally:
        for output in outputs:
            output.discard()
        rejects.discard()
    outcome.outputs += [output.name for output in outputs]
    return outcome


def _run_task(
    task: Task, request: Request, outcome: Outcome, outputs: list[Output], advance: Advance
) -> None:
    """Convert some inputs into one output, which is added to `outputs` unless there is nothing to write.

    If that fails there is no trace of it in the outcome either.
    """
    output: Output | None = None
    tally = Tally()
    try:
        for path in task.sources:
            with opened(path) as source:
                _check_names(task, source)
                if output is None:
                    output = _opened_output(task, request)
                    outputs.append(output)
                as_lines = len(task.sources) > 1 or is_lines_name(task.target.name)
                take = _Notes(source, tally, outcome.rejects, advance).take
                if not convert_input(source, output, request.settings, request.jobs, take, as_lines=as_lines):
                    _without(output, outputs)
    except StoredError:
        outcome.rejects.drop()
        if output is not None:
            _without(output, outputs)
        raise
    outcome.rejects.keep()
    outcome.tally.update(tally)


@contextlib.contextmanager
def _collecting(reasons: list[str]) -> Iterator[None]:
    """Let a failure be one among others."""
    try:
        yield
    except StoredError as error:
        reasons.append(str(error))


def _without(output: Output, outputs: list[Output]) -> None:
    output.discard()
    outputs.remove(output)


def _opened_output(task: Task, request: Request) -> Output:
    if task.target != request.output:  # in a folder of outputs
        try:
            task.target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoredError(f"{shown(task.target.parent)}: {reason(error)}") from error
    return output_at(task.target)


def _check_names(task: Task, source: Input) -> None:
    """Converted records keep their format, but for JSON, which can become JSONL. Raises `StoredError`."""
    ending = Path(unpacked_name(task.target.name)).suffix
    table = source.format if source.format in (Format.TABLE, Format.PARQUET) else None
    wanted = {".csv": Format.TABLE, ".tsv": Format.TABLE, ".parquet": Format.PARQUET}.get(ending)
    is_json_name = ending in (".json", ".jsonl", ".ndjson", ".jsonlines")
    if (wanted is not None and wanted is not table) or (table is not None and is_json_name):
        raise StoredError(
            f"{source.name} is {source.format.value}, which stays what it is, but {shown(task.target)} has "
            "the name of something else"
        )
    if len(task.sources) > 1 and (table is not None or ending == ".json"):
        raise StoredError(
            "several inputs become one JSONL file, if they are JSON or JSONL, or a file each in a folder: "
            "name an output that ends in .jsonl, or in a slash"
        )


class _Notes:
    """Keeps count, collects rejects and moves the progress bar on while one input is converted."""

    def __init__(self, source: Input, tally: Tally, rejects: Rejects, advance: Advance) -> None:
        self._source = source
        self._tally = tally
        self._rejects = rejects
        self._advance = advance
        self._number = 1  # of the next record, or line
        self._read = 0  # bytes of the file as it lies on disk

    def take(self, result: LinesResult) -> None:
        """What became of the next records."""
        unit = _UNITS[self._source.format]
        self._tally.add(result.reports)
        self._rejects.add(self._source.name, unit, self._number, result.rejects)
        self._number += result.lines
        if self._source.size is not None:
            position = self._source.raw.tell()
            self._advance(position - self._read)
            self._read = position


def _size(tasks: list[Task]) -> int | None:
    """How many bytes there are to read, as far as that is known before."""
    sources = [source for task in tasks for source in task.sources]
    if STDIN in sources:
        return None
    return sum(source.stat().st_size for source in sources if source.is_file())


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Lets a polite kill leave nothing half-made behind, too."""

    def stop(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: signals are somebody else's business
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
