"""Code that chooses between `ReActV2` and `ReAct` by hand. Shared by RM101 and RM103."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Library

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


@dataclass(frozen=True, eq=False)
class Switch:
    """One choice. A `plain` one is V2 where DSPy has it and V1 elsewhere, and nothing more."""

    node: ast.expr
    plain: bool


def switches(file: AnalysedFile) -> Iterator[Switch]:
    """`dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct`, also the other way round with `not`;
    `getattr(dspy, "ReActV2", dspy.ReAct)`, `getattr(dspy, "ReActV2", None) or dspy.ReAct`."""
    for string, scope in file.index.strings.get("ReActV2", ()):
        call = file.parents.get(string)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if len(call.args) < 2 or not _is(file, call.args[0], scope, "dspy"):
            continue
        if call.func.id == "getattr" and len(call.args) == 3:
            yield _with_default(file, call, scope)
        elif call.func.id == "hasattr":
            yield from _with_test(file, call, scope)


def _with_default(file: AnalysedFile, call: ast.Call, scope: Scope) -> Switch:
    parent = file.parents.get(call)
    if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.Or) and parent.values[0] is call:
        none = isinstance(call.args[2], ast.Constant) and call.args[2].value is None
        both = len(parent.values) == 2
        return Switch(parent, none and both and _is(file, parent.values[1], scope, "dspy.ReAct"))
    return Switch(call, _is(file, call.args[2], scope, "dspy.ReAct"))


def _with_test(file: AnalysedFile, call: ast.Call, scope: Scope) -> Iterator[Switch]:
    test: ast.AST = call
    parent = file.parents.get(call)
    negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    if negated and parent is not None:
        test, parent = parent, file.parents.get(parent)
    if isinstance(parent, ast.IfExp) and parent.test is test:
        old, new = (parent.body, parent.orelse) if negated else (parent.orelse, parent.body)
        plain = _is(file, new, scope, "dspy.ReActV2") and _is(file, old, scope, "dspy.ReAct")
        yield Switch(parent, plain)


def _is(file: AnalysedFile, node: ast.expr, scope: Scope, path: str) -> bool:
    values = file.values(node, scope)
    return bool(values) and all(isinstance(value, Library) and value.path == path for value in values)
