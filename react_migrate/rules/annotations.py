"""Strings that stand where a type is meant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow.scopes import terminal

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


def in_annotation(file: AnalysedFile, string: ast.Constant) -> bool:
    """Whether a string is (part of) a type, as in `x: list["T"]`, `cast("T", x)`, `bound="T"`."""
    inner: ast.AST = string
    node: ast.AST = string
    while True:
        parent = file.parents.get(node)
        if isinstance(parent, (ast.arg, ast.AnnAssign)):
            return parent.annotation is node
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return parent.returns is node
        if isinstance(parent, ast.keyword):
            return parent.arg == "bound"
        if isinstance(parent, ast.Call):
            return terminal(parent.func) == "cast" and parent.args[:1] == [node]
        if isinstance(parent, ast.Subscript) and not _is_type_in(parent, inner):
            return False
        if parent is None or isinstance(parent, ast.stmt):
            return False
        inner, node = node, parent


def _is_type_in(generic: ast.Subscript, inner: ast.AST) -> bool:
    """Whether a part of `generic[...]` is a type: not in `Literal`, nor behind the first in `Annotated`."""
    name = terminal(generic.value)
    if name == "Annotated" and isinstance(generic.slice, ast.Tuple):
        return generic.slice.elts[0] is inner
    return name != "Literal"
