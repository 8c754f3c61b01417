"""Imports that nothing uses any more after the edits, and did before."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator

from react_migrate.edit.scopes import column, local_name, parse
from react_migrate.edit.usage import Path, Scope, statements, usages
from react_migrate.finding import MoveImport, Span
from react_migrate.source import split_lines

_FEATURE_TESTS = frozenset({"Try", "TryStar", "With"})  # by name: ast has TryStar from Python 3.11 on


def newly_unused(
    before: ast.Module,
    before_text: str,
    text: str,
    ours: Collection[str],
    used_elsewhere: Container[str] = (),
) -> Iterator[MoveImport]:
    """How to take out of `text` every import that its edits left without a use.

    `before` is the module as it was; `ours` are the names that were imported only for the edits. An import
    stays when its name has another meaning too in its scope, or is one `used_elsewhere`, when it is a feature
    test (in a `try`), a re-export (`as` the same name, `__all__`), or says `noqa`.
    """
    if not _suspects(before, before_text, text, ours):
        return
    lines = split_lines(text)
    in_comments = {name for line in lines for name in _names_in_type_comment(line)}
    used_before: dict[Path, Counter[str]] = defaultdict(Counter)
    for path, _, usage in usages(before):
        used_before[path] += usage.used
    for path, scope, usage in usages(parse(text)):
        imports = list(_imports(scope, lines))
        same = Counter((local_name(one, alias), _meaning(one, alias)) for one, alias in imports)
        for statement, alias in imports:
            name = local_name(statement, alias)
            has_other_meaning = usage.bound[name] > same[name, _meaning(statement, alias)]
            is_used = usage.used[name] or name in in_comments or name in used_elsewhere
            if is_used or has_other_meaning or alias.asname == alias.name:
                continue
            if used_before[path][name] or name in ours:
                yield MoveImport(_span(statement, lines), alias.name)


def _suspects(before: ast.Module, before_text: str, text: str, ours: Collection[str]) -> set[str]:
    """The imported names that the text has fewer times than before, and those of ours that it has only once.

    No other import can have lost its last use; and to count words is much faster than to look at scopes.
    """
    then, now = (Counter(re.findall(r"\w+", one)) for one in (before_text, text))
    statements = (node for node in ast.walk(before) if isinstance(node, ast.Import | ast.ImportFrom))
    imported = {local_name(statement, alias) for statement in statements for alias in statement.names}
    return {name for name in imported if now[name] < then[name]} | {name for name in ours if now[name] < 2}


def _imports(scope: Scope, lines: list[str]) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias]]:
    """The imports of a scope that may go, name by name."""
    for statement, parent in statements(scope):
        if not isinstance(statement, ast.Import | ast.ImportFrom) or type(parent).__name__ in _FEATURE_TESTS:
            continue
        if not any("noqa" in line for line in lines[statement.lineno - 1 : statement.end_lineno]):
            yield from ((statement, alias) for alias in statement.names)


def _names_in_type_comment(line: str) -> list[str]:
    _, _, comment = line.partition("# type:")
    return re.findall(r"\w+", comment)


def _meaning(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """What the bound name stands for: `import a` and `import a.b` both bind `a`."""
    if isinstance(statement, ast.ImportFrom):
        return f"{'.' * statement.level}{statement.module or ''}:{alias.name}"
    return alias.name if alias.asname else alias.name.split(".")[0]


def _span(node: ast.stmt, lines: list[str]) -> Span:
    end = node.end_lineno or node.lineno
    start = column(lines[node.lineno - 1], node.col_offset)
    return Span(node.lineno, start, end, column(lines[end - 1], node.end_col_offset or 0))
