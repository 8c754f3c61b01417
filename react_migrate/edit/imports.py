"""The import lines of a block after all moves, and of a module after all names were asked for."""

from __future__ import annotations

import bisect
import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import libcst as cst

from react_migrate.edit.moves import Import, add_names, dotted, from_import, take_out
from react_migrate.edit.names import PACKAGE, Shims
from react_migrate.edit.placement import Layout, Spot, ends_cell, is_stand_in_line, place
from react_migrate.finding import MoveImport

Moves: TypeAlias = Mapping[cst.CSTNode, Sequence[MoveImport]]
Line: TypeAlias = cst.SimpleStatementLine
_BLANK = cst.EmptyLine(indent=False)
_ANY_LINE = sys.maxsize


@dataclass
class Block:
    """Statements put in a row; the comments and blank lines of one that is gone go to the next."""

    body: list[cst.BaseStatement] = field(default_factory=list)
    _carried: list[cst.EmptyLine] = field(default_factory=list)
    _dropped: bool = False

    def add(self, statement: cst.BaseStatement) -> None:
        if self._dropped:
            lines = _leading_lines(statement)
            if _starts_blank(lines) and not _without_first_blanks(self._carried):
                self._carried = []
            lines = [*self._carried, *lines]
            if not self.body or ends_cell(self.body[-1]):
                lines = _without_first_blanks(lines)
            if ends_cell(statement):
                lines = _without_first_blanks(lines[::-1])[::-1]
            statement = statement.with_changes(leading_lines=lines)
            self._carried, self._dropped = [], False
        self.body.append(statement)

    def drop(self, line: Line) -> None:
        self._carried += line.leading_lines
        self._dropped = True

    def left_over(self) -> list[cst.EmptyLine]:
        """Comments of a statement that is gone, when none followed it."""
        while self._carried and self._carried[-1].comment is None:
            self._carried.pop()
        return self._carried


def rewrite_suite(
    original: cst.SimpleStatementSuite, updated: cst.SimpleStatementSuite, moves: Moves, shims: Shims
) -> cst.SimpleStatementSuite:
    """`if x: import a` and the like: everything stays on its line."""
    body = _in_line(original.body, updated.body, moves, shims)
    return updated.with_changes(body=body or [cst.Pass()])


def rewrite_block(
    original: cst.IndentedBlock, updated: cst.IndentedBlock, moves: Moves, shims: Shims
) -> cst.IndentedBlock:
    """An indented block with its moves made; `pass` when nothing is left in it."""
    block = Block()
    for before, after in zip(original.body, updated.body, strict=True):
        lines = _rewrite_line(before, after, moves, shims)
        for line in lines:
            block.add(line)
        if not lines:
            block.drop(cst.ensure_type(after, Line))
    if not block.body:
        block.add(Line([cst.Pass()]))
    return updated.with_changes(body=block.body, footer=[*block.left_over(), *updated.footer])


def rewrite_module(
    original: cst.Module, updated: cst.Module, moves: Moves, shims: Shims, lines: Sequence[int]
) -> tuple[cst.Module, int | None]:
    """The module with the moves of its own statements made and one import of everything that `shims` wants.

    Also gives the index of the statement at or above which that import is. `lines` are the first lines of the
    module's statements.
    """
    rows: list[list[cst.BaseStatement]] = []
    for index, (before, after) in enumerate(zip(original.body, updated.body, strict=True)):
        below = lines[index + 1] if index + 1 < len(lines) else _ANY_LINE
        rows.append(_rewrite_line(before, after, moves, shims, below))
    at = None
    if shims.wanted or shims.package is not None:
        moved = [i for i, line in enumerate(original.body) if any(small in moves for small in _smalls(line))]
        first = min([*shims.wanted.values(), *([] if shims.package is None else [shims.package])])
        limit = len(lines) if first == _ANY_LINE else max(0, bisect.bisect_right(lines, first) - 1)
        limit = min([limit, *(_run_end(original, index) for index in moved)])
        updated, at = _import_wanted(original, updated, rows, shims, limit, moved)
    block = Block()
    for row, statement in zip(rows, updated.body, strict=True):
        for line in row:
            block.add(line)
        if not row:
            block.drop(cst.ensure_type(statement, Line))
    return updated.with_changes(body=block.body, footer=[*block.left_over(), *updated.footer]), at


def _run_end(module: cst.Module, index: int) -> int:
    """The index after the run of lines from `index` on that only import: nothing in it can use a name."""
    for end in range(index, len(module.body)):
        smalls = _smalls(module.body[end])
        if not smalls or not all(isinstance(small, Import) for small in smalls):
            return end
    return len(module.body)


def _import_wanted(
    original: cst.Module,
    updated: cst.Module,
    rows: list[list[cst.BaseStatement]],
    shims: Shims,
    limit: int,
    moved: list[int],
) -> tuple[cst.Module, int]:
    """Put the import into `rows`, one per statement: merged, in place of one that is gone, or by itself.

    An import of the package itself stands above that of its names, or alone.
    """
    package = Line([cst.Import([cst.ImportAlias(cst.Name(PACKAGE))])]) if shims.package is not None else None
    for at, row in enumerate(rows[:limit]):
        for index, statement in enumerate(row):
            merged = _merged(statement, shims.wanted)
            if merged is not None:
                row[index : index + 1] = _below(package, _with_comments(merged, shims.comments))
                return updated, at
    names = Line([from_import(PACKAGE, shims.wanted)]) if shims.wanted else None
    line = _with_comments(names or cast(Line, package), shims.comments)
    above = package if names is not None else None
    spot = place(original.body, limit, moved)
    for index in moved:
        near = spot.at in (index, index + 1)
        if not rows[index] and index <= limit and (near or _has_comments(original.body[index])):
            old = cst.ensure_type(updated.body[index], Line).with_changes(body=line.body)
            rows[index] += _below(above, _with_comments(old, shims.comments))
            return updated, index
    if spot.at == len(rows):
        blank = [_BLANK] if spot.layout is Layout.ALONE and rows else []
        rows[-1] += _below(above, line.with_changes(leading_lines=blank))
        return updated, spot.at
    updated = _insert(updated, rows, spot, line)
    row = rows[spot.at]
    row[:1] = _below(above, cst.ensure_type(row[0], Line))
    return updated, spot.at


def _below(package: Line | None, names: Line) -> list[cst.BaseStatement]:
    """The import of names, with that of the package above it if there is one."""
    if package is None:
        return [names]
    lead = names.leading_lines
    return [package.with_changes(leading_lines=lead), names.with_changes(leading_lines=[])]


def _insert(module: cst.Module, rows: list[list[cst.BaseStatement]], spot: Spot, line: Line) -> cst.Module:
    """Put `line` above the statement at `spot`, and the blank lines where they belong."""
    row = rows[spot.at]
    above = _leading_lines(row[0])
    if spot.layout is Layout.ALONE:
        header = module.header
        if spot.at == 0:
            header, lead = _split_header(header)
            above = [*lead, *above]
        elif ends_cell(module.body[spot.at - 1]):
            lead, above = _split_header(above)
            line = line.with_changes(leading_lines=lead)
        elif not is_stand_in_line(module.body[spot.at - 1]):
            line = line.with_changes(leading_lines=[_BLANK])
        wanted = 2 if isinstance(row[0], cst.FunctionDef | cst.ClassDef) else 1
        if not ends_cell(row[0]):
            above = [_BLANK] * wanted + _without_first_blanks(above)
        row[0] = row[0].with_changes(leading_lines=above)
        module = module.with_changes(header=header)
    elif spot.layout is Layout.FIRST:
        blanks = max((i + 1 for i, empty in enumerate(above) if empty.comment is None), default=0)
        line = line.with_changes(leading_lines=above[:blanks])
        row[0] = row[0].with_changes(leading_lines=above[blanks:])
    row.insert(0, line)
    return module


def _split_header(header: Sequence[cst.EmptyLine]) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """The comments that are a file's own, and those (after a blank line) about its first statement."""
    blank = max((i for i, empty in enumerate(header) if empty.comment is None), default=len(header) - 1)
    return list(header[: blank + 1]), list(header[blank + 1 :])


def _merged(statement: cst.BaseStatement, wanted: Iterable[tuple[str, str]]) -> Line | None:
    """`statement` with the wanted names added, when it is an import from react_shims."""
    if isinstance(statement, Line):
        for small in statement.body:
            if isinstance(small, cst.ImportFrom) and _takes_names_of_ours(small):
                longer = add_names(small, wanted)
                return statement.with_changes(
                    body=[longer if one is small else one for one in statement.body]
                )
    return None


def _takes_names_of_ours(node: cst.ImportFrom) -> bool:
    if node.relative or node.module is None or isinstance(node.names, cst.ImportStar):
        return False
    return dotted(node.module) == PACKAGE


def _rewrite_line(
    before: cst.BaseStatement, after: cst.BaseStatement, moves: Moves, shims: Shims, below: int | None = None
) -> list[cst.BaseStatement]:
    """The lines that stand in place of one; none when all its imports are gone.

    `below` is given for a module's own statements: there, names of react_shims are left to its one import of
    them; it is the line from which on they are needed.
    """
    if not isinstance(after, Line) or not any(small in moves for small in _smalls(before)):
        return [after]
    if len(after.body) > 1:
        body = _in_line(_smalls(before), after.body, moves, shims, below)
        return [after.with_changes(body=body)] if body else []
    ((small,), (statement,)) = _smalls(before), after.body
    rest, comments = take_out(_as_import(statement), {move.name for move in moves[small]})
    added = [*_added(moves[small], shims, below)]
    lines = [after.with_changes(body=[rest])] if rest else []
    for one in added:
        if lines:
            lines.append(_with_comments(Line([one]), comments))
        else:
            lines.append(_with_comments(after.with_changes(body=[one]), comments))
        comments = ()
    if any(move.to for move in moves[small]):
        shims.comments += comments
    return [*lines]


def _in_line(
    before: Sequence[cst.BaseSmallStatement],
    after: Sequence[cst.BaseSmallStatement],
    moves: Moves,
    shims: Shims,
    below: int | None = None,
) -> list[cst.BaseSmallStatement]:
    body: list[cst.BaseSmallStatement] = []
    for old, new in zip(before, after, strict=True):
        if old not in moves:
            body.append(new)
            continue
        rest = take_out(_as_import(new), {move.name for move in moves[old]}).rest
        body += [*([rest] if rest else []), *_added(moves[old], shims, below)]
    if body and body[-1] is not after[-1]:
        body[-1] = body[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return body


def _added(moves: Iterable[MoveImport], shims: Shims, below: int | None) -> list[cst.ImportFrom]:
    """The imports that take the place of what moved, one per module; not those that `shims` will make."""
    modules: dict[str, list[tuple[str, str]]] = {}
    for move in moves:
        if move.to is None:
            continue
        module, name = move.to
        local = move.bound or (shims.local(name) if module == PACKAGE else name)
        if module == PACKAGE and below is not None:
            shims.want(name, local, below)
            shims.moved.add(local)
        else:
            modules.setdefault(module, []).append((name, local))
    return [from_import(module, names) for module, names in modules.items()]


def _with_comments(line: Line, comments: Sequence[cst.Comment]) -> Line:
    """The comments of moved names: one at the end of the line when that has none, the others above it."""
    if not comments:
        return line
    *above, last = comments
    if line.trailing_whitespace.comment is None:
        end = line.trailing_whitespace.with_changes(whitespace=cst.SimpleWhitespace("  "), comment=last)
        line = line.with_changes(trailing_whitespace=end)
    else:
        above = [*comments]
    leading = [*line.leading_lines, *(cst.EmptyLine(comment=one) for one in above)]
    return line.with_changes(leading_lines=leading)


def _as_import(node: cst.BaseSmallStatement) -> Import:
    assert isinstance(node, cst.Import | cst.ImportFrom), type(node)
    return node


def _smalls(statement: cst.BaseStatement) -> Sequence[cst.BaseSmallStatement]:
    return statement.body if isinstance(statement, Line) else ()


def _has_comments(statement: cst.BaseStatement) -> bool:
    if not isinstance(statement, Line):
        return False
    if statement.trailing_whitespace.comment is not None:
        return True
    return any(line.comment is not None for line in statement.leading_lines)


def _leading_lines(statement: cst.BaseStatement) -> list[cst.EmptyLine]:
    return list(cast(Sequence[cst.EmptyLine], getattr(statement, "leading_lines", ())))


def _starts_blank(lines: Sequence[cst.EmptyLine]) -> bool:
    return bool(lines) and lines[0].comment is None


def _without_first_blanks(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    return list(itertools.dropwhile(lambda line: line.comment is None, lines))
