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
    """A finding for each cell that does not parse, and for other code left out that has a trigger."""
    for code in source.left_out:
        line, column = code.line, code.column
        if not code.error:
            mention = _first_mention(code, triggers)
            if mention is None:
                continue
            line, column = line + mention, 1
        if not is_ignored(CODE, source.line(line)):
            yield Finding(CODE, Span(line, column, line, column), _message(code), Fix.MANUAL)


def _message(code: LeftOut) -> str:
    if code.error:
        return f"this cell {BY_THIS_PYTHON}: {code.error}; correct it"
    if str(code.magic).startswith("%%"):
        return f"what `{code.magic}` does with this cell is not known{NOT_CHECKED}; look at it yourself"
    return f"the code in this `{code.magic}` line was not checked or changed; look at it yourself"


def _first_mention(left_out: LeftOut, triggers: Collection[bytes]) -> int | None:
    """The index of the first line that has a trigger."""
    lines = (line.encode(errors="replace") for line in split_lines(left_out.code))
    return next((i for i, line in enumerate(lines) if any(trigger in line for trigger in triggers)), None)
