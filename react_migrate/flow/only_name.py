"""The one name of a container that nothing hands on: whatever is added to it is added by this name.

Most lists and dicts are made, filled and gone through under one name. To know this of one saves the question,
at every `append` and `[key] = ` in its file, whether it is this one that is added to.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow.scopes import terminal

if TYPE_CHECKING:
    from react_migrate.flow.program import AnalysedFile

_LOOKERS = frozenset(
    (
        *("all", "any", "bool", "dict", "enumerate", "frozenset", "isinstance", "iter", "len", "list", "max"),
        *("min", "print", "repr", "reversed", "set", "sorted", "str", "sum", "tuple", "zip"),
    )
)
"""Builtins that do not give back the container itself."""
_TAKERS = frozenset(("extend", "extendleft", "update", "join"))
"""Methods that take the elements of their argument, and not the argument."""
_CONDITIONS = (ast.If, ast.While, ast.IfExp, ast.Assert)


def only_name(file: AnalysedFile, made: ast.expr) -> str | None:
    """The last name (`x`, and of `self.x` too) by which its file knows what an expression makes; None where
    it may have others."""
    parent = file.parents.get(made)
    if isinstance(parent, ast.keyword) and parent.arg == "default_factory":  # `x: list = field(...)`
        made_by = file.parents[parent]
        parent = file.parents.get(made_by)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        name = terminal(parent.targets[0])
    elif isinstance(parent, ast.AnnAssign):
        name = terminal(parent.target)
    else:
        return None
    return name if name is not None and _is_never_handed_on(file, name) else None


def _is_never_handed_on(file: AnalysedFile, name: str) -> bool:
    known = file.kept.get(name)
    if known is None:
        index = file.index
        places = [node for node, _ in (*index.names.get(name, ()), *index.attributes.get(name, ()))]
        known = name not in index.strings and not any(_is_handed_on(file, node) for node in places)
        file.kept[name] = known
    return known


def _is_handed_on(file: AnalysedFile, node: ast.Name | ast.Attribute) -> bool:
    """Whether the value may get another name by the way it is used here."""
    if not isinstance(node.ctx, ast.Load):
        return False
    parent = file.parents.get(node)
    if isinstance(parent, ast.Call):
        taker = terminal(parent.func)
        known = _LOOKERS if isinstance(parent.func, ast.Name) else _TAKERS
        return taker not in known or (taker in _LOOKERS and taker in file.scope.bound)
    if isinstance(parent, (ast.Attribute, ast.Subscript)):
        return parent.value is not node
    if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
        return parent.iter is not node
    if isinstance(parent, ast.keyword):
        return parent.arg is not None
    if isinstance(parent, _CONDITIONS):
        return parent.test is not node
    return not isinstance(parent, (ast.Compare, ast.FormattedValue, ast.UnaryOp, ast.Starred, ast.Expr))
