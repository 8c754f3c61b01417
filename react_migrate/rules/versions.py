"""Code that chooses between `ReActV2` and `ReAct` by hand. Shared by RM101 and RM103."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.flow.index import Scope
from react_migrate.flow.values import Library

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


@dataclass(frozen=True, eq=False)
class Switch:
    """One choice. A `plain` one is V2 where DSPy has it and V1 elsewhere, and nothing more."""

    node: ast.expr
    plain: bool


def switches(file: AnalysedFile) -> Iterator[Switch]:
    """`dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct`, `getattr(dspy, "ReActV2", dspy.ReAct)`."""
    for string, scope in file.index.strings.get("ReActV2", ()):
        call = file.parents.get(string)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if len(call.args) < 2 or not _is(file, call.args[0], scope, "dspy"):
            continue
        if call.func.id == "getattr" and len(call.args) == 3:
            yield Switch(call, _is(file, call.args[2], scope, "dspy.ReAct"))
        parent = file.parents.get(call)
        if call.func.id == "hasattr" and isinstance(parent, ast.IfExp) and parent.test is call:
            new = _is(file, parent.body, scope, "dspy.ReActV2")
            yield Switch(parent, new and _is(file, parent.orelse, scope, "dspy.ReAct"))


def _is(file: AnalysedFile, node: ast.expr, scope: Scope, path: str) -> bool:
    values = file.values(node, scope)
    return bool(values) and all(isinstance(value, Library) and value.path == path for value in values)
