"""Findings about the cells of a notebook that were left out, where that has to be said."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator

from react_migrate.finding import Finding, Fix, Span
from react_migrate.selection import is_ignored
from react_migrate.source import LeftOut, Source, split_lines

CODE = "RM004"
NOT_CHECKED = ", so it was not checked or changed"
BY_THIS_PYTHON = f"does not parse with Python {platform.python_version()}{NOT_CHECKED}"


def unchecked(source: Source, triggers: Collection[bytes]) -> Iterator[Finding]:
    """A finding for each cell that does not parse, and for each that a magic takes and that has a trigger."""
    for cell in source.left_out:
        if cell.error:
            yield from _finding(source, cell.line, cell.column, f"{BY_THIS_PYTHON}: {cell.error}; correct it")
            continue
        line = _first_mention(cell, triggers)
        if line is not None:
            message = (
                f"what `{cell.magic}` does with this code is not known{NOT_CHECKED}; look at it yourself"
            )
            yield from _finding(source, cell.line + line, 1, message)


def _first_mention(cell: LeftOut, triggers: Collection[bytes]) -> int | None:
    """The index of the first line that has a trigger."""
    lines = (line.encode(errors="replace") for line in split_lines(cell.code))
    return next((i for i, line in enumerate(lines) if any(trigger in line for trigger in triggers)), None)


def _finding(source: Source, line: int, column: int, message: str) -> Iterator[Finding]:
    if not is_ignored(CODE, source.line(line)):
        yield Finding(CODE, Span(line, column, line, column), message, Fix.MANUAL)
