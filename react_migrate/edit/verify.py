"""Checks on an edited text that do not rely on how it was edited."""

from __future__ import annotations

import ast
import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence

from libcst.metadata import CodeRange

from react_migrate.edit.transform import EditError
from react_migrate.source import split_lines


def same_outside(before: str, after: str, ranges: Iterable[CodeRange]) -> None:
    """Raise `EditError` unless `after` is `before` with nothing but the text in `ranges` changed.

    Blank lines that touch a range belong to it. What stands in a range may have become anything; the pieces
    between ranges must follow each other in `after`, whole.
    """
    position = 0
    pieces = list(_pieces(before, ranges))
    if not after.startswith(pieces[0]) or not after.endswith(pieces[-1]):
        raise EditError("the text changed above the first or below the last edit")
    for piece in pieces:
        found = after.find(piece, position)
        if found < 0:
            line = before.count("\n", 0, before.find(piece)) + 1
            raise EditError(f"the text changed outside the edits, after line {line}")
        position = found + len(piece)


def _pieces(text: str, ranges: Iterable[CodeRange]) -> Iterator[str]:
    lines = split_lines(text)
    starts = [0, *itertools.accumulate(map(len, lines))]
    last = 0
    for start, stop in sorted(_bounds(one, lines, starts) for one in ranges):
        yield text[last : max(start, last)]
        last = max(last, stop)
    yield text[last:]


def _bounds(one: CodeRange, lines: Sequence[str], starts: Sequence[int]) -> tuple[int, int]:
    """The offsets of a range; one of whole lines takes the blank lines around it in."""
    first, last = one.start.line - 1, min(one.end.line - 1, len(lines))
    if one.start.column == 0 and one.end.column == 0:
        while first > 0 and not lines[first - 1].strip():
            first -= 1
        while last < len(lines) and not lines[last].strip():
            last += 1
    return starts[first] + one.start.column, starts[last] + one.end.column


def compiles(before: str, after: str) -> None:
    """Raise `EditError` if `after` does not parse, or does not compile although `before` does."""
    problem = _problem(after, parse_only=True) or _problem(after)
    if problem and (_problem(after, parse_only=True) or not _problem(before)):
        raise EditError(f"the edited text is not valid Python any more: {problem}")


def _problem(text: str, parse_only: bool = False) -> str | None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | (ast.PyCF_ONLY_AST if parse_only else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<edited>", "exec", flags=flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"
    return None
