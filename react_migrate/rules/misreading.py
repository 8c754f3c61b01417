"""Loops that take the keys of V1's flat dict for steps: they were wrong on V1 already."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.flow.known import REACT
from react_migrate.flow.scopes import COMPREHENSIONS, How, Scope, terminal
from react_migrate.flow.values import Trajectory

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

Loop = ast.For | ast.AsyncFor | ast.comprehension
_SAME_ELEMENTS = frozenset(("list", "tuple", "iter", "reversed"))


def misread(file: AnalysedFile) -> set[ast.expr]:
    """The expressions whose elements a loop takes apart as if they were steps, whatever they are."""
    return {iterated for _, iterated, _ in _loops(file)}


def keys_asked_of_elements(file: AnalysedFile, node: ast.expr) -> set[str]:
    """The keys that loops over `node` ask its elements for: "code" of `for step in node: step["code"]`."""
    return {
        key
        for loop, iterated, name in _loops(file)
        if iterated is node
        for part in ast.walk(_whole(file, loop))
        if (key := key_asked(part, name)) is not None
    }


def key_asked(node: ast.AST, name: str) -> str | None:
    """The key of `name["key"]` and `name.get("key")`."""
    if isinstance(node, ast.Subscript):
        asked, key = node.value, node.slice
    elif isinstance(node, ast.Call) and terminal(node.func) == "get" and node.args:
        asked, key = getattr(node.func, "value", node.func), node.args[0]
    else:
        return None
    is_named = isinstance(asked, ast.Name) and asked.id == name
    return key.value if is_named and isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def misread_names(file: AnalysedFile) -> Iterator[ast.Name]:
    """Those of them that are names, and stand for the trajectory of a ReAct prediction."""
    for loop, iterated, _ in _loops(file) if file.within_reach else ():
        if not isinstance(iterated, ast.Name):
            continue
        scope = next(scope for node, scope in file.index.nodes[type(loop)] if node is loop)
        if _has_other_values(file, iterated, scope):
            continue
        values = file.values(iterated, scope)
        if values and all(isinstance(value, Trajectory) and value.module in REACT for value in values):
            yield iterated


def _has_other_values(file: AnalysedFile, name: ast.Name, scope: Scope) -> bool:
    """Whether it is seen at once that a name also stands for something else: for `[]` in `x or []`."""
    if name.id not in scope.bound:
        return False
    definitions = file.reaching(scope).loads.get(name, ())
    return any(one.how is How.VALUE and not one.path and _may_be_made(one.node) for one in definitions)


def _may_be_made(node: ast.AST) -> bool:
    """Whether an expression may give what it makes itself, where a trajectory is something that it gets."""
    if isinstance(node, ast.BoolOp):
        return any(map(_may_be_made, node.values if isinstance(node.op, ast.Or) else node.values[-1:]))
    if isinstance(node, ast.IfExp):
        return _may_be_made(node.body) or _may_be_made(node.orelse)
    if isinstance(node, ast.Constant):
        return node.value is not None
    return isinstance(
        node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.JoinedStr, ast.BinOp, *COMPREHENSIONS)
    )


def _loops(file: AnalysedFile) -> Iterator[tuple[Loop, ast.expr, str]]:
    """Loops whose variable is taken apart, what they iterate over, and the variable."""
    taken_apart = _names_taken_apart(file)
    for kind in (ast.For, ast.AsyncFor, ast.comprehension):
        for loop, _ in file.index.nodes[kind]:
            assert isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension))
            iterated, target = _unwrapped(loop.iter, loop.target)
            if not isinstance(target, ast.Name) or target.id not in taken_apart:
                continue
            if any(_takes_apart(part, target.id) for part in ast.walk(_whole(file, loop))):
                yield loop, iterated, target.id


def _whole(file: AnalysedFile, loop: Loop) -> ast.AST:
    return file.parents[loop] if isinstance(loop, ast.comprehension) else loop


def _names_taken_apart(file: AnalysedFile) -> set[str]:
    """The names in a file that are taken apart anywhere: most loops need no closer look."""
    attributes = (node for found in file.index.attributes.values() for node, _ in found)
    subscripts = (node for node, _ in file.index.nodes[ast.Subscript])
    return {
        node.value.id
        for node in (*attributes, *subscripts)
        if isinstance(node, (ast.Attribute, ast.Subscript))
        and isinstance(node.value, ast.Name)
        and _takes_apart(node, node.value.id)
    }


def _unwrapped(iterated: ast.expr, target: ast.expr) -> tuple[ast.expr, ast.expr]:
    """`x` and `step` of `for number, step in enumerate(list(x))`."""
    while isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.args:
        if iterated.func.id == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        elif iterated.func.id not in _SAME_ELEMENTS:
            break
        iterated = iterated.args[0]
    return iterated, target


def _takes_apart(node: ast.AST, name: str) -> bool:
    """`step["thought"]`, `step.get("thought")`, `step.thought`: what no key of the dict, a string, has."""
    value = getattr(node, "value", None)
    if not isinstance(value, ast.Name) or value.id != name:
        return False
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Attribute) and not hasattr(str, node.attr)
