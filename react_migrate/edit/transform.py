"""The single pass over a module's tree that makes all edits."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from react_migrate.edit.imports import rewrite_block, rewrite_module, rewrite_suite
from react_migrate.edit.moves import local_names
from react_migrate.edit.names import PACKAGE, Names, Shims
from react_migrate.edit.scopes import function_lines
from react_migrate.finding import Edit, MoveImport, Span

Positions: TypeAlias = Mapping[cst.CSTNode, CodeRange]
_IMPORTS = frozenset({"Import", "ImportFrom"})


class EditError(Exception):
    """The edits to a file could not be made, or their result did not stand the checks; a bug of ours."""


class Editor(cst.CSTTransformer):
    """Makes edits and moves at the nodes they were resolved to; see `resolve`."""

    def __init__(
        self,
        positions: Positions,
        shims: Shims,
        edits: dict[cst.CSTNode, Edit],
        moves: dict[cst.CSTNode, list[MoveImport]],
    ):
        super().__init__()
        self._positions = positions
        self._shims = shims
        self._edits = edits
        self._moves = moves
        self.imports_at: int | None = (
            None  # the statement at or above which names of react_shims are imported
        )
        self._lines = sorted(positions[node].start.line for node in (*edits, *moves))

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Only statements that hold an edit are looked into."""
        if isinstance(node, cst.BaseStatement):
            where = self._positions[node]
            first = _first_line(node, self._positions)
            at = bisect.bisect_left(self._lines, first)
            return at < len(self._lines) and self._lines[at] <= where.end.line
        return True

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        edit = self._edits.get(original_node)
        if edit is not None:
            names = Names(self._shims, edit.span.line, _names_in(original_node))
            rewritten = edit.rewrite(updated_node, names)
            return _in_parentheses_of(updated_node, rewritten)
        if isinstance(original_node, cst.IndentedBlock) and isinstance(updated_node, cst.IndentedBlock):
            return rewrite_block(original_node, updated_node, self._moves, self._shims)
        if isinstance(original_node, cst.SimpleStatementSuite) and isinstance(
            updated_node, cst.SimpleStatementSuite
        ):
            return rewrite_suite(original_node, updated_node, self._moves, self._shims)
        if isinstance(original_node, cst.Module) and isinstance(updated_node, cst.Module):
            lines = [_first_line(statement, self._positions) for statement in original_node.body]
            edited, self.imports_at = rewrite_module(
                original_node, updated_node, self._moves, self._shims, lines
            )
            return edited
        return updated_node


def transform(
    module: cst.Module, shims: Shims, edits: Iterable[Edit | MoveImport]
) -> tuple[cst.Module, list[CodeRange]]:
    """The edited module, and the ranges of the old one that may differ in it."""
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    positions: Positions = wrapper.resolve(PositionProvider)
    changes, moves = _resolve(positions, edits)
    _announce(positions, shims, moves)
    editor = Editor(positions, shims, changes, moves)
    edited = wrapper.module.visit(editor)
    ranges = [_changing(node, positions) for node in changes]
    ranges += [_whole_lines(positions[node]) for node in moves]
    if editor.imports_at is not None:
        ranges.append(_around(editor.imports_at, module, positions))
    return edited, ranges


def _resolve(
    positions: Positions, edits: Iterable[Edit | MoveImport]
) -> tuple[dict[cst.CSTNode, Edit], dict[cst.CSTNode, list[MoveImport]]]:
    """The nodes that edits and moves speak about."""
    edit_at: dict[tuple[Span, str], Edit] = {}
    moves_at: dict[Span, list[MoveImport]] = {}
    for one in edits:
        if isinstance(one, MoveImport):
            same = moves_at.setdefault(one.span, [])
            same += [one] if one not in same else []
        elif edit_at.setdefault((one.span, one.node), one) is not one:
            raise EditError(f"two edits of the same {one.node} at {_place(one.span)}")
    changes: dict[cst.CSTNode, Edit] = {}
    moves: dict[cst.CSTNode, list[MoveImport]] = {}
    for node, where in positions.items():
        span = Span(where.start.line, where.start.column + 1, where.end.line, where.end.column + 1)
        kind = type(node).__name__
        if (span, kind) in edit_at:
            changes[node] = edit_at.pop((span, kind))
        elif kind in _IMPORTS and span in moves_at:
            moves[node] = moves_at.pop(span)
    lost = [f"{kind} at {_place(span)}" for span, kind in edit_at] + [
        f"import at {_place(span)}" for span in moves_at
    ]
    if lost:
        raise EditError(f"nothing to edit where an edit was asked for: {', '.join(lost)}")
    return changes, moves


def _announce(positions: Positions, shims: Shims, moves: Mapping[cst.CSTNode, Sequence[MoveImport]]) -> None:
    """Tell `shims` which import statements will import its names once the moves are made."""
    functions = list(function_lines(shims.tree))
    for node, here in moves.items():
        where = positions[node]
        around = [lines for lines in functions if where.start.line in lines]
        for move in here:
            if move.to is None or move.to[0] != PACKAGE:
                continue
            local = move.bound or shims.local(move.to[1])
            if around:
                shims.scoped(move.to[1], local, range(where.end.line + 1, around[-1].stop))
            elif move.bound is None:
                shims.renamed(move.to[1], local_names(node)[move.name])


def _names_in(node: cst.CSTNode) -> frozenset[str]:
    """What is named by a node that is nothing but names: a name, or a string with code in it."""
    if isinstance(node, cst.Name):
        return frozenset({node.value})
    if isinstance(node, cst.SimpleString):
        return frozenset(re.findall(r"(?<![\w.])\w+(?![\w.])", node.value))
    return frozenset()


def _in_parentheses_of(old: cst.CSTNode, new: Any) -> Any:
    """`new` in the parentheses that `old` had: they may be what lets it span lines."""
    if (
        isinstance(old, cst.BaseExpression)
        and isinstance(new, cst.BaseExpression)
        and old.lpar
        and not new.lpar
    ):
        return new.with_changes(lpar=old.lpar, rpar=old.rpar)
    return new


def _first_line(statement: cst.CSTNode, positions: Positions) -> int:
    decorated = isinstance(statement, cst.FunctionDef | cst.ClassDef) and statement.decorators
    return positions[decorated[0] if decorated else statement].start.line


def _changing(node: cst.CSTNode, positions: Positions) -> CodeRange:
    """The range of an edited node; of a compound statement its header, for its body has its own edits."""
    where = positions[node]
    if isinstance(node, cst.BaseCompoundStatement) and isinstance(node.body, cst.BaseSuite):
        return CodeRange(where.start, positions[node.body].start)
    return where


def _whole_lines(where: CodeRange) -> CodeRange:
    return CodeRange((where.start.line, 0), (where.end.line + 1, 0))


def _around(index: int, module: cst.Module, positions: Positions) -> CodeRange:
    """Where the import lines of a module change: above its statement `index`, or there if that is one."""
    start = end = positions[module.body[index - 1]].end.line if index else 0
    if index < len(module.body):
        statement = module.body[index]
        is_import = any(isinstance(small, cst.Import | cst.ImportFrom) for small in statement.children)
        end = positions[statement].end.line if is_import else _first_line(statement, positions) - 1
    return CodeRange((start + 1, 0), (end + 1, 0))


def _place(span: Span) -> str:
    return f"{span.line}:{span.column}"
