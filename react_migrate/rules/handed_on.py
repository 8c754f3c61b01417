"""Keyword arguments that reach an RLM's constructor through `**kwargs` of functions in the project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from react_migrate.finding import Fix
from react_migrate.flow import classes
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Class, Function, Method, Value
from react_migrate.rules.rlm import called_by, called_like_a_class, is_constructor, makes_rlm

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile
    from react_migrate.flow.evaluate import Evaluator

Node = TypeVar("Node", bound=ast.AST)


def hands_on_to_rlm(file: AnalysedFile, call: ast.Call, scope: Scope, keyword: str) -> Fix | None:
    """Whether the keyword argument goes to an RLM's constructor through functions that spread their
    `**kwargs` into it. MANUAL where such a function also does something else with these."""
    if not file.within_reach_of_rlm:
        return None
    found = [_handed_on(file.program.flow, value, keyword, ()) for value in called_by(file, call, scope)]
    if not found or None in found:
        return None
    return Fix.MANUAL if Fix.MANUAL in found else Fix.SAFE


def _handed_on(flow: Evaluator, value: Value, keyword: str, through: tuple[ast.AST, ...]) -> Fix | None:
    """What `hands_on_to_rlm` says of one value; SAFE of the constructor itself, where the way ends."""
    if through and is_constructor(flow, value):
        return Fix.SAFE
    function = _function_of(flow, value)
    if function is None or function.node in through:
        return None
    args = function.node.args
    if args.kwarg is None or keyword in {arg.arg for arg in (*args.args, *args.kwonlyargs)}:
        return None
    spreads = list(_spreads(function, args.kwarg.arg))
    found = [_handed_on_by(function, call, keyword, (*through, function.node)) for call in spreads]
    if not found or None in found:
        return None
    only_spread = _times_named(function, args.kwarg.arg) == len(found)
    return Fix.SAFE if only_spread and Fix.MANUAL not in found else Fix.MANUAL


def _function_of(flow: Evaluator, value: Value) -> Function | None:
    if isinstance(value, Class):
        return classes.method(flow, value, "__init__")
    if isinstance(value, Method):
        return value.function if isinstance(value.function, Function) else None
    return value if isinstance(value, Function) else None


def _spreads(function: Function, name: str) -> Iterator[ast.Call]:
    """The calls in a function that `**name` is spread into."""
    for call, _ in _inside(function, function.frame.file.index.all_calls):
        spread = (keyword.value for keyword in call.keywords if keyword.arg is None)
        if any(isinstance(value, ast.Name) and value.id == name for value in spread):
            yield call


def _handed_on_by(
    function: Function, call: ast.Call, keyword: str, through: tuple[ast.AST, ...]
) -> Fix | None:
    file = function.frame.file
    scope = file.index.scopes[function.node]
    if isinstance(call.func, ast.Name) and call.func.id in scope.bound and not called_like_a_class(call):
        return None  # a callback or the like: to find out which leads through the whole project
    if makes_rlm(file, call, scope):
        return Fix.SAFE
    flow = file.program.flow
    found = [_handed_on(flow, value, keyword, through) for value in called_by(file, call, scope)]
    return found[0] if len(set(found)) == 1 else None


def _times_named(function: Function, name: str) -> int:
    """How often the body reads or rebinds its parameter."""
    read = sum(1 for _ in _inside(function, function.frame.file.index.names.get(name, ())))
    scope = function.frame.file.index.scopes[function.node]
    return read + len(scope.file.reaching(scope).everywhere.get(name, ())) - 1


def _inside(function: Function, found: Iterable[tuple[Node, Scope]]) -> Iterator[tuple[Node, Scope]]:
    """Those of the nodes that stand in the function, at whatever depth."""
    wanted = function.frame.file.index.scopes[function.node]
    for node, scope in found:
        current: Scope | None = scope
        while current is not None and current is not wanted:
            current = current.parent
        if current is not None:
            yield node, scope
