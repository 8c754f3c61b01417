"""Where in a module `from react_shims import ...` goes: where isort would put it, and before it is used."""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import libcst as cst

from react_migrate.edit.moves import dotted
from react_migrate.edit.names import PACKAGE
from react_migrate.notebook import is_boundary, is_stand_in

Statement: TypeAlias = cst.BaseStatement | cst.BaseSmallStatement
Body: TypeAlias = Sequence[Statement]


class Layout(enum.Enum):
    """How a new import line stands to what is around it."""

    INSIDE = "below another import of its section"
    FIRST = "first of a section that is there already"
    ALONE = "a section of its own"


class Spot(NamedTuple):
    """A new line goes above the statement of this index, laid out so."""

    at: int
    layout: Layout


def place(body: Body, limit: int, anchors: Sequence[int]) -> Spot:
    """Where in `body` the import goes.

    `limit`: index of the first statement that needs the names. `anchors`: statements whose section is
    preferred (the imports that the new one replaces); without any it is that of the first import of dspy,
    then the first section of other packages. Imports inside `if` and `try` are passed over.
    """
    low = _after_preamble(body)
    found = next((i for i in anchors if low <= i < limit), None)
    if found is None:
        found = next((i for i in range(low, min(limit, len(body))) if _imports_from(body[i]) == "dspy"), None)
    if found is None:
        return _in_leading_block(body, low, max(low, limit))
    return _sorted_into(body, found, low, limit)


def _in_leading_block(body: Body, low: int, limit: int) -> Spot:
    """The place among the first imports of a module that does not import dspy: at its top, or in the cell of
    a notebook that has them."""
    low = end = _imports_of_notebook(body, low, limit)
    while end < min(limit, len(body)) and _is_import_block(body[end]):
        end += 1
    at = low
    for index in range(low, end):
        package = _imports_from(body[index])
        if package and not package.startswith(".") and package not in sys.stdlib_module_names:
            return _sorted_into(body, index, low, limit)
        if package is None or package in sys.stdlib_module_names:
            at = index + 1
    return Spot(at, Layout.ALONE)


def _imports_of_notebook(body: Body, low: int, limit: int) -> int:
    """Where the imports of a notebook start that are before `limit`; without any, the first statement of the
    cell of `limit` itself. Of what is not a notebook, or within its first cell, `low`."""
    ends = [i for i in range(low, min(limit, len(body))) if ends_cell(body[i])]
    if not ends:
        return low
    start = next((i for i in range(low, limit) if _is_import_block(body[i])), None)
    if start is None:
        start = next(i for i in range(ends[-1] + 1, limit + 1) if i == limit or not is_stand_in_line(body[i]))
    return start


def _sorted_into(body: Body, member: int, low: int, limit: int) -> Spot:
    """After the last import that sorts before ours in the section of the import `member`."""
    start, stop = _section(body, member)
    before = [i + 1 for i in range(max(start, low), min(stop, limit)) if _sort_key(body[i]) <= (1, PACKAGE)]
    if before:
        return Spot(before[-1], Layout.INSIDE)
    return Spot(max(start, low), Layout.FIRST)


def _section(body: Body, index: int) -> tuple[int, int]:
    """The run of import lines without blank lines around `index`, as a half-open range."""
    start, stop = index, index + 1
    while start > 0 and not starts_with_blank(body[start]) and _imports_from(body[start - 1]) is not None:
        start -= 1
    while stop < len(body) and not starts_with_blank(body[stop]) and _imports_from(body[stop]) is not None:
        stop += 1
    return start, stop


def _after_preamble(body: Body) -> int:
    """The first index after the docstring, `from __future__` imports and what is no Python in a notebook."""
    for index, statement in enumerate(body):
        is_first = index == 0 and is_docstring(statement)
        if not (is_first or is_stand_in_line(statement) or _imports_from(statement) == "__future__"):
            return index
    return len(body)


def is_stand_in_line(statement: Statement) -> bool:
    """Whether a line of a notebook's module stands for what is no Python, or for the end of a cell."""
    return is_stand_in(_literal(statement))


def ends_cell(statement: Statement) -> bool:
    """Whether a line of a notebook's module stands for the end of a cell."""
    return is_boundary(_literal(statement))


def _literal(statement: Statement) -> str:
    """The integer that is all there is in a line; "" when that is anything else."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        only = statement.body[0]
        if isinstance(only, cst.Expr) and isinstance(only.value, cst.Integer):
            return only.value.value
    return ""


def is_docstring(statement: Statement) -> bool:
    """Whether a module's first statement is its docstring."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)


def starts_with_blank(statement: Statement) -> bool:
    """Whether a blank line stands above (its comments and) the statement."""
    lines = getattr(statement, "leading_lines", ())
    return any(line.comment is None for line in lines)


def _first_import(statement: Statement) -> cst.Import | cst.ImportFrom | None:
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    first = statement.body[0]
    return first if isinstance(first, cst.Import | cst.ImportFrom) else None


def _module(statement: Statement) -> str | None:
    node = _first_import(statement)
    if node is None:
        return None
    if isinstance(node, cst.ImportFrom):
        return "." * len(node.relative) + (dotted(node.module) if node.module else "")
    return dotted(node.names[0].name)


def _imports_from(statement: Statement) -> str | None:
    """The top-level package an import line imports from; "." for relative ones; None for other statements."""
    module = _module(statement)
    return module if module is None else "." if module.startswith(".") else module.split(".")[0]


def _sort_key(statement: Statement) -> tuple[int, str]:
    return int(isinstance(_first_import(statement), cst.ImportFrom)), (_module(statement) or "").casefold()


def _is_import_block(statement: Statement) -> bool:
    """An import line, or an `if` or `try` that starts with one."""
    if isinstance(statement, cst.If | cst.Try):
        return bool(statement.body.body) and _is_import_block(statement.body.body[0])
    return _first_import(statement) is not None or isinstance(statement, cst.Import | cst.ImportFrom)
