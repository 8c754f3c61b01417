"""Discover -> prefilter -> flow -> rules -> edit -> verify -> write: what `check` and `rewrite` do.

A file that fails at any step gets a finding that says so (RM0..) and is left as it was; the others go on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from react_migrate.files import read
from react_migrate.finding import Span
from react_migrate.interpreter import without_gc
from react_migrate.job import Job, Options, is_notebook, load
from react_migrate.project import discover
from react_migrate.source import NotParsedError, OtherLanguageError, Place, Source, SourceError

if TYPE_CHECKING:
    from react_migrate.flow import Program

__all__ = ["Job", "Options", "Run", "run", "run_text"]


@dataclass
class Run:
    """The files that something is to be said about, by path.

    `checked` counts the files that could be read, `skipped` what was found but is not a file, or not Python.
    """

    jobs: list[Job] = field(default_factory=list)
    checked: int = 0
    skipped: int = 0
    interrupted: bool = False

    def add(self, job: Job) -> None:
        """Take the job in if there is anything to say about its file."""
        if job.left or job.fixed or job.changed:
            self.jobs.append(job)

    def fail(self, path: Path, error: SourceError, options: Options) -> None:
        """Say why a file could not be had; one in another language was only met on the way."""
        if isinstance(error, OtherLanguageError):
            self.skipped += 1
            return
        job = Job(path, options)
        if isinstance(error, NotParsedError):
            job.fail("RM001", str(error), Span(error.line, error.column, error.line, error.column))
        else:
            job.fail("RM002", str(error))
        self.add(job)


@dataclass(frozen=True)
class Unread:
    """A file of the project that can have no finding itself; decoded if the analysis comes to need it."""

    path: Path
    raw: bytes

    @property
    def text(self) -> str:
        return self._source.text

    @cached_property
    def code(self) -> bytes:
        try:
            return self._source.code if is_notebook(self.path) else self.raw
        except SourceError:  # it is none of those that findings are wanted of
            return b""

    def locate(self, line: int) -> Place:
        return self._source.locate(line)

    def line(self, number: int) -> str:
        return self._source.line(number)

    @cached_property
    def _source(self) -> Source:
        return load(self.path, self.raw)


def run(paths: Sequence[Path], options: Options) -> Run:
    """Check, and fix as `options` say, all Python files at or below `paths`.

    Ctrl-C ends it early: what was written by then is in the result.
    """
    result = Run()
    try:
        _work(*_gather(paths, options, result), options, result)
    except KeyboardInterrupt:
        result.interrupted = True
    result.jobs.sort(key=lambda job: job.path.parts)
    return result


def program_of(paths: Sequence[Path], options: Options) -> Program:
    """The analysed files at or below `paths`, to ask about; files that cannot be read are passed over."""
    from react_migrate.flow import Program

    candidates, others, named = _gather(paths, options, Run())
    return Program.build(candidates, others, named)


def _gather(
    paths: Sequence[Path], options: Options, result: Run
) -> tuple[list[Source], list[Unread], Collection[Path]]:
    """The files to look at, those that only have a part in the analysis, and which were named one by one."""
    found = discover(paths, options.exclude)
    result.skipped = found.skipped
    for path, why in found.problems:
        result.fail(path, SourceError(why), options)
    candidates: list[Source] = []
    others: list[Unread] = []
    for path in found.files:
        file = _open(path, None if path in found.named else options.triggers)
        result.checked += not isinstance(file, SourceError)
        if isinstance(file, SourceError):
            result.fail(path, file, options)
        elif isinstance(file, Unread):
            others.append(file)
        else:
            candidates.append(file)
    return candidates, others, found.named


def run_text(path: Path, raw: bytes, options: Options) -> Run:
    """The same for bytes that are not in a file (any more): standard input, as `path`. Nothing is written."""
    result = Run()
    try:
        source = load(path, raw)
    except SourceError as error:
        result.fail(path, error, options)
    else:
        result.checked = 1
        _work([source], (), {path}, replace(options, write=False), result)
        for job in result.jobs:
            job.applied = options.write and job.changed
    return result


def _open(path: Path, triggers: Collection[bytes] | None) -> Source | Unread | SourceError:
    """The file, decoded if it holds one of `triggers` or these are None; or why it cannot be had."""
    try:
        raw = read(path)
        if triggers is None or any(trigger in raw for trigger in triggers):
            source = load(path, raw)
            if triggers is None or _is_candidate(source, triggers):
                return source
    except SourceError as error:
        return error
    return Unread(path, raw)


def _is_candidate(source: Source, triggers: Collection[bytes]) -> bool:
    """Whether it is code that has one of the triggers, and not what a notebook keeps beside it."""
    return any(trigger in source.code for trigger in triggers)


def _work(
    candidates: Sequence[Source],
    others: Sequence[Unread],
    named: Collection[Path],
    options: Options,
    run: Run,
) -> None:
    if not candidates:
        return
    jobs = [Job.of(source, options) for source in candidates]
    _check_and_edit(jobs, others, named)
    for job in jobs:
        if options.annotate and not job.failed:
            job.annotate()
        if options.write and job.changed:
            job.write()
        run.add(job)


def _check_and_edit(jobs: Sequence[Job], others: Sequence[Unread], named: Collection[Path]) -> None:
    """Everything that happens in memory: findings, edits, and a second look at what was edited."""
    from react_migrate.flow import Program

    with without_gc():
        program = Program.build([job.before for job in jobs if job.before is not None], others, named)
        for job in jobs:
            to_fix = job.check(program)
            if to_fix:
                job.edit(to_fix)
        program.forget()
        if any(job.changed for job in jobs):
            program = Program.build([job.after for job in jobs if job.after is not None], others, named)
            for job in jobs:
                if job.changed:
                    job.check_again(program)
            program.forget()
