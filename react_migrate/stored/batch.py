"""A whole command: every input is converted, and then all outputs appear."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from react_migrate.files import reason
from react_migrate.report.escape import shown
from react_migrate.stored.document import convert_document
from react_migrate.stored.errors import StoredError
from react_migrate.stored.formats import Format, unpacked_name
from react_migrate.stored.lines import LineConverter, LinesResult
from react_migrate.stored.opening import STDIN, Input, opened
from react_migrate.stored.output import STDOUT, Output, output_at
from react_migrate.stored.parquet import convert_parquet
from react_migrate.stored.plan import Task, planned
from react_migrate.stored.progress import Advance, progress
from react_migrate.stored.rejects import Rejects
from react_migrate.stored.settings import Settings
from react_migrate.stored.table import convert_table
from react_migrate.stored.tally import Tally
from react_migrate.stored.workers import batches_of, convert_parallel, spans_of

_WORTH_WORKERS = 64 << 20  # bytes of input; below, starting processes takes longer than it saves
_PART = 1 << 16  # bytes that one process reads at a time: what stays in the processor's cache
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
    """What was done. outputs: the names of what was written. passed_over: files with names of no data."""

    tally: Tally
    outputs: list[str]
    rejects: Rejects
    passed_over: int = 0


def run(request: Request) -> Outcome:
    """Convert everything. Files appear when all of them are complete, or not at all.

    Raises:
        StoredError: it could not be done; no file has appeared. (What went to standard output has.)
        KeyboardInterrupt: the same, when interrupted.
    """
    plan = planned(request.inputs, request.output, request.output_is_folder)
    rejects = Rejects(request.rejects, request.output)
    outcome = Outcome(Tally(), [], rejects, plan.passed_over)
    outputs: list[Output] = []
    try:
        with _terminable(), progress(_size(plan.tasks), wanted=request.show_progress) as advance:
            for task in plan.tasks:
                _run_task(task, request, outcome, outputs, advance)
            for output in outputs:
                output.finish()
            rejects.finish()
            for output in outputs:
                output.commit()
            rejects.commit()
    except BaseException:
        if request.output == STDOUT:  # what was converted is gone, so the rest must stay
            rejects.finish()
            rejects.commit()
        raise
    finally:
        for output in outputs:
            output.discard()
        rejects.discard()
    outcome.outputs += [output.name for output in outputs]
    return outcome


def _run_task(
    task: Task, request: Request, outcome: Outcome, outputs: list[Output], advance: Advance
) -> None:
    """Convert some inputs into one output, which is added to `outputs` unless there is nothing to write."""
    output: Output | None = None
    for path in task.sources:
        with opened(path) as source:
            _check_names(task, source)
            if output is None:
                output = _opened_output(task, request)
                outputs.append(output)
            conversion = _Conversion(source, output, request, outcome, advance)
            if not conversion.run(as_lines=len(task.sources) > 1 or _is_named_lines(task.target)):
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


def _is_named_lines(path: Path) -> bool:
    return unpacked_name(path.name).endswith((".jsonl", ".ndjson", ".jsonlines"))


class _Conversion:
    """The conversion of one input."""

    def __init__(
        self, source: Input, output: Output, request: Request, outcome: Outcome, advance: Advance
    ) -> None:
        self._source = source
        self._output = output
        self._request = request
        self._outcome = outcome
        self._advance = advance
        self._number = 1  # of the next record, or line
        self._read = 0  # bytes of the file as it lies on disk

    def run(self, *, as_lines: bool) -> bool:
        """Whether there is an output. `as_lines`: write JSONL where the input is one JSON document."""
        source, settings = self._source, self._request.settings
        if source.format is Format.LINES:
            self._convert_lines()
        elif source.format is Format.TABLE:
            convert_table(source, self._output, settings, self._note)
        elif source.format is Format.PARQUET:
            convert_parquet(source, self._output, settings, self._note)
        else:
            return self._convert_document(as_lines=as_lines)
        return True

    def _convert_lines(self) -> None:
        source, settings = self._source, self._request.settings
        jobs = self._request.jobs or (_cpus() if (source.size or 0) >= _WORTH_WORKERS else 1)
        if jobs > 1:
            path = source.plain_path
            spans = path is not None and self._output.plain_path is not None
            batches = spans_of(path, source.stream) if path and spans else batches_of(source.stream)
            convert_parallel(batches, self._output, settings, jobs, self._note)
            return
        converter = LineConverter(settings)
        while lines := source.stream.readlines(_PART):
            with self._output.writing() as write:
                result = converter.convert(lines, write)
            self._note(result)

    def _convert_document(self, *, as_lines: bool) -> bool:
        document = convert_document(self._source, self._request.settings)
        self._note(document.result)
        pieces = document.lines() if as_lines else iter([document.text()])
        with self._output.writing() as write:
            for piece in pieces:
                write(piece)
        return as_lines or document.whole is not None

    def _note(self, result: LinesResult) -> None:
        self._outcome.tally.add(result.reports)
        self._outcome.rejects.add(
            self._source.name, _UNITS[self._source.format], self._number, result.rejects
        )
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


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
