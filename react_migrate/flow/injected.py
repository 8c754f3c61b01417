"""Parameters that a framework fills by itself: FastAPI's `agent=Depends(get_agent)`.

Written as a default, or in an annotation: `agent: Annotated[dspy.Module, Depends(get_agent)]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, calls
from react_migrate.flow.frames import Binding, Frame
from react_migrate.flow.scopes import FunctionNode, terminal
from react_migrate.flow.values import (
    Alias,
    CallSite,
    Function,
    Items,
    Library,
    Unknown,
    Value,
    Values,
    one,
    opened,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_MARKS = {
    "fastapi.Depends": "dependency",
    "fastapi.Security": "dependency",
    "fastapi.params.Depends": "dependency",
    "fast_depends.Depends": "dependency",
    "faststream.Depends": "dependency",
    "taskiq.TaskiqDepends": "dependency",
}
"""What marks such a parameter, by the argument that takes the function whose result it gets."""


def given(flow: Evaluator, node: FunctionNode, arg: ast.arg, outside: Frame) -> Values | None:
    """What a framework passes for a parameter; None if no framework does."""
    written = [(default, outside) for default in _default(node, arg)]
    if arg.annotation is not None:
        written += _metadata(flow, arg.annotation, outside)
    for mark, frame in written:
        if isinstance(mark, ast.Call):
            for function in flow.values(mark.func, frame):
                if isinstance(function, Library) and function.path in _MARKS:
                    return _result(flow, CallSite(mark, frame), _MARKS[function.path])
    return None


def _default(node: FunctionNode, arg: ast.arg) -> Iterator[ast.expr]:
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    if arg in positional:
        from_end = positional.index(arg) - len(positional)
        if len(args.defaults) >= -from_end:
            yield args.defaults[from_end]
    elif arg in args.kwonlyargs:
        default = args.kw_defaults[args.kwonlyargs.index(arg)]
        if default is not None:
            yield default


def _metadata(flow: Evaluator, annotation: ast.expr, outside: Frame) -> Iterator[tuple[ast.expr, Frame]]:
    """What stands behind the type in `Annotated[type, ...]`, also under a name of its own."""
    if isinstance(annotation, ast.Subscript):
        if terminal(annotation.value) == "Annotated" and isinstance(annotation.slice, ast.Tuple):
            yield from ((element, outside) for element in annotation.slice.elts[1:])
    elif isinstance(annotation, (ast.Name, ast.Attribute)):
        for value in flow.values(annotation, outside):
            if isinstance(value, Alias):
                yield from _metadata(flow, value.node, value.frame)


def _result(flow: Evaluator, mark: CallSite, keyword: str) -> Values | None:
    functions = arguments.first(flow, Binding(mark), keyword)
    found = union([_of(flow, function) for function in functions])
    return calls.step(found, Binding(mark), "filled in by the framework") or None


def _of(flow: Evaluator, function: Value) -> Values:
    result = opened(calls.apply(flow, function, Binding(None)))
    is_generator = isinstance(function, Function) and bool(
        function.frame.file.index.scopes[function.node].yields
    )
    if is_generator:  # the framework takes what it yields
        return union(value.every if isinstance(value, Items) else one(value) for value in result)
    return result or one(Unknown("what the framework fills in is not followed"))
