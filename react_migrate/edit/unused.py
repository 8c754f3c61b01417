"""Imports that nothing uses any more after the edits, and did before."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Iterator

from react_migrate.edit.scopes import bindings, column, local_name, scopes, statements, uses
from react_migrate.finding import MoveImport, Span
from react_migrate.source import split_lines


def newly_unused(
    before: ast.Module, text: str, ours: Container[str], used_elsewhere: Container[str] = ()
) -> Iterator[MoveImport]:
    """How to take out of `text` every import that its edits left without a use.

    `before` is the module as it was; `ours` are the names that were imported only for the edits. An import
    stays when its name is bound twice in its scope, or is one `used_elsewhere`, when it is a feature test (in
    a `try`), a re-export (`as` the same name, `__all__`), or says `noqa`.
    """
    after = ast.parse(text)
    lines = split_lines(text)
    used_before = {path: uses(scope) for path, scope in scopes(before)}
    for path, scope in scopes(after):
        used = uses(scope)
        bound = bindings(scope)
        for statement, parent in statements(scope):
            if not isinstance(statement, ast.Import | ast.ImportFrom) or isinstance(parent, ast.Try):
                continue
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            if any("noqa" in line for line in lines[first - 1 : last]):
                continue
            for alias in statement.names:
                name = local_name(statement, alias)
                if used[name] or name in used_elsewhere or bound[name] > 1 or alias.asname == alias.name:
                    continue
                if used_before.get(path, Counter())[name] or name in ours:
                    yield MoveImport(_span(statement, lines), alias.name)


def _span(node: ast.stmt, lines: list[str]) -> Span:
    end = node.end_lineno or node.lineno
    start = column(lines[node.lineno - 1], node.col_offset)
    return Span(node.lineno, start, end, column(lines[end - 1], node.end_col_offset or 0))
