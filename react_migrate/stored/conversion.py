"""One input of any format into one output."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

from react_migrate.stored.document import convert_document
from react_migrate.stored.formats import Format
from react_migrate.stored.lines import LineConverter, LinesResult
from react_migrate.stored.opening import Input
from react_migrate.stored.output import Output
from react_migrate.stored.parquet import convert_parquet
from react_migrate.stored.settings import Settings
from react_migrate.stored.table import convert_table
from react_migrate.stored.workers import batches_of, convert_parallel, spans_of

Take: TypeAlias = Callable[[LinesResult], None]

_WORTH_WORKERS = 64 << 20  # bytes of input; below, starting processes takes longer than it saves
_PART = 1 << 16  # bytes that one process reads at a time: what stays in the processor's cache


def convert_input(
    source: Input, output: Output, settings: Settings, jobs: int | None, take: Take, *, as_lines: bool
) -> bool:
    """Convert an input, and say whether there is an output.

    jobs: how many processes may share the work, None to choose. take: is called again and again with what
    became of the next records. as_lines: write JSONL where the input is one JSON document.

    Raises:
        StoredError: the input cannot be read, or the output cannot be written.
    """
    if source.format is Format.LINES:
        _convert_lines(source, output, settings, jobs, take)
    elif source.format is Format.TABLE:
        convert_table(source, output, settings, take)
    elif source.format is Format.PARQUET:
        convert_parquet(source, output, settings, take)
    else:
        return _convert_document(source, output, settings, take, as_lines=as_lines)
    return True


def _convert_lines(source: Input, output: Output, settings: Settings, jobs: int | None, take: Take) -> None:
    jobs = jobs or (_cpus() if (source.size or 0) >= _WORTH_WORKERS else 1)
    if jobs > 1:
        path = source.plain_path
        spans = spans_of(path, source.stream) if path is not None and output.plain_path is not None else None
        convert_parallel(spans or batches_of(source.stream), output, settings, jobs, take)
        return
    converter = LineConverter(settings)
    while lines := source.stream.readlines(_PART):
        with output.writing() as write:
            result = converter.convert(lines, write)
        take(result)


def _convert_document(
    source: Input, output: Output, settings: Settings, take: Take, *, as_lines: bool
) -> bool:
    document = convert_document(source, settings)
    take(document.result)
    with output.writing() as write:
        for piece in document.lines() if as_lines else (document.text(),):
            write(piece)
    return as_lines or document.whole is not None


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
