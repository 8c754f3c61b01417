"""Imports that nothing uses any more after the edits, and did before."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Container, Iterator

from react_migrate.edit.scopes import bindings, column, local_name, parse, scopes, statements, uses
from react_migrate.finding import MoveImport, Span
from react_migrate.source import split_lines

_FEATURE_TESTS = frozenset({"Try", "TryStar", "With"})  # by name: ast has TryStar from Python 3.11 on


def newly_unused(
    before: ast.Module, text: str, ours: Container[str], used_elsewhere: Container[str] = ()
) -> Iterator[MoveImport]:
    """How to take out of `text` every import that its edits left without a use.

    `before` is the module as it was; `ours` are the names that were imported only for the edits. An import
    stays when its name has another meaning too in its scope, or is one `used_elsewhere`, when it is a feature
    test (in a `try`), a re-export (`as` the same name, `__all__`), or says `noqa`.
    """
    after = parse(text)
    lines = split_lines(text)
    used_before: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for path, scope in scopes(before):
        used_before[path] += uses(scope)
    for path, scope in scopes(after):
        imports = [
            statement
            for statement, parent in statements(scope)
            if isinstance(statement, ast.Import | ast.ImportFrom)
            and type(parent).__name__ not in _FEATURE_TESTS
        ]
        if not imports:
            continue
        used, bound = uses(scope), bindings(scope)
        same = Counter(
            (local_name(one, alias), _meaning(one, alias)) for one in imports for alias in one.names
        )
        for statement in imports:
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            if any("noqa" in line for line in lines[first - 1 : last]):
                continue
            for alias in statement.names:
                name = local_name(statement, alias)
                is_own = bound[name] == same[name, _meaning(statement, alias)] and alias.asname != alias.name
                if used[name] or name in used_elsewhere or not is_own:
                    continue
                if used_before[path][name] or name in ours:
                    yield MoveImport(_span(statement, lines), alias.name)


def _meaning(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """What the bound name stands for: `import a` and `import a.b` both bind `a`."""
    if isinstance(statement, ast.ImportFrom):
        return f"{'.' * statement.level}{statement.module or ''}:{alias.name}"
    return alias.name if alias.asname else alias.name.split(".")[0]


def _span(node: ast.stmt, lines: list[str]) -> Span:
    end = node.end_lineno or node.lineno
    start = column(lines[node.lineno - 1], node.col_offset)
    return Span(node.lineno, start, end, column(lines[end - 1], node.end_col_offset or 0))
