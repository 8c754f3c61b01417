"""Which names a module binds and uses, read from its `ast`: enough to add and to drop imports safely."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator

_TYPING_CALLS = frozenset(
    {"cast", "TypeVar", "NewType", "ForwardRef", "NamedTuple", "TypedDict", "assert_type"}
)


def parse(text: str) -> ast.Module:
    """`ast.parse` without the warnings, which are about the code and not for our user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def bindings(tree: ast.AST) -> Counter[str]:
    """How often each name is bound anywhere in `tree`, in whatever scope and by whatever means."""
    return Counter(name for node in ast.walk(tree) for name in bound_by(node))


def bound_by(node: ast.AST) -> Iterator[str]:
    """The names that one node binds (or unbinds, or declares to be another scope's) by itself."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (local_name(node, alias) for alias in node.names)
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        if node.name:
            yield node.name
    elif isinstance(node, ast.MatchMapping):
        if node.rest:
            yield node.rest
    elif type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):  # ast has them from 3.12 on
        yield str(getattr(node, "name", ""))


def local_name(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The name that one part of an import statement binds ("*" for a star)."""
    if alias.asname:
        return alias.asname
    return alias.name.split(".")[0] if isinstance(statement, ast.Import) else alias.name


def uses(tree: ast.AST) -> Counter[str]:
    """How often each name is read in `tree`, or stands in text that Python or its tools read as code.

    That text is: string annotations and other strings where types stand, `__all__`, and doctests.
    """
    return Counter(name for node in ast.walk(tree) for name in used_by(node))


def used_by(node: ast.AST) -> Iterator[str]:
    """The names that one node reads by itself, or that stand in text that it makes code."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    for part in _code_in_text(node):
        yield from _words(part)


def _code_in_text(node: ast.AST) -> Iterator[ast.AST]:
    """Subtrees of `node` whose strings are code."""
    if isinstance(node, ast.arg | ast.AnnAssign):
        if node.annotation:
            yield node.annotation
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.returns:
            yield node.returns
    elif isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _TYPING_CALLS:
            yield node
    elif isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            yield node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" in node.value:
        yield node


def _words(part: ast.AST) -> Iterator[str]:
    for node in ast.walk(part):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\w+", node.value)


def function_lines(tree: ast.Module) -> Iterator[range]:
    """The lines of every function of the module, outer ones before those inside them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


def column(line: str, offset: int) -> int:
    """The column (from 1, in characters) that `ast` calls `offset` (from 0, in UTF-8 bytes)."""
    return len(line.encode()[:offset].decode(errors="replace")) + 1
