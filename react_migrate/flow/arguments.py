"""Parameters: what the calls of a function pass for them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import callers, hints, injected
from react_migrate.flow.frames import Binding, Frame, first_parameter
from react_migrate.flow.layout import lay_out
from react_migrate.flow.scopes import FunctionNode
from react_migrate.flow.values import (
    NOTHING,
    Class,
    Instance,
    Items,
    NoValue,
    Unknown,
    Values,
    one,
    union,
    via,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator


def parameter(flow: Evaluator, arg: ast.arg, frame: Frame) -> Values:
    """What a parameter may hold in a frame: of its one call, or of all the calls in the project."""
    node = frame.scope.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    if frame.binding is not None:
        return _from_call(flow, frame.binding, node, arg, frame)
    receiver = _receiver(flow, node, arg, frame)
    if receiver is not None:
        return receiver
    filled_in = injected.given(flow, node, arg, _outside(frame))
    if filled_in is not None:
        return filled_in | union(
            [_from_call(flow, each, node, arg, frame) for each in callers.bindings(flow, frame)]
        )
    evidence = hints.instance_of(flow, arg.annotation, _outside(frame)) if arg.annotation else None
    if evidence and hints.tells(evidence):
        return via(evidence, frame.file, arg, f"parameter `{arg.arg}` is annotated so")
    called = list(callers.bindings(flow, frame))
    passed = union([_from_call(flow, binding, node, arg, frame) for binding in called])
    reason = callers.beyond(flow, frame, arg, called)
    if reason is None:
        return passed
    return passed | (_default_written(flow, node, arg, frame) or NOTHING) | one(Unknown(reason))


def _outside(frame: Frame) -> Frame:
    return frame.parent if frame.parent is not None else frame


def _receiver(flow: Evaluator, node: FunctionNode, arg: ast.arg, frame: Frame) -> Values | None:
    """`self` (and `cls`) of a method that nobody in particular calls."""
    outer = frame.scope.parent
    if outer is None or not isinstance(outer.node, ast.ClassDef) or arg.arg != first_parameter(node):
        return None
    marks = {d.id for d in getattr(node, "decorator_list", ()) if isinstance(d, ast.Name)}
    if "staticmethod" in marks:
        return None
    assert frame.parent is not None
    home = frame.parent.parent
    assert home is not None
    cls = Class(outer.node, home)
    return one(cls) if "classmethod" in marks or arg.arg == "cls" else one(Instance(cls))


def _from_call(flow: Evaluator, binding: Binding, node: FunctionNode, arg: ast.arg, frame: Frame) -> Values:
    def compute() -> Values:
        given = _given(flow, binding, node, arg)
        if given is None:
            return _default(flow, node, arg, frame)
        site = binding.site
        return via(given, site.frame.file, site.node, f"passed as `{arg.arg}`") if site is not None else given

    return flow.ask(("argument", binding, arg), compute)


def _default(flow: Evaluator, node: FunctionNode, arg: ast.arg, frame: Frame) -> Values:
    written = _default_written(flow, node, arg, frame)
    if written is not None:
        return written
    if arg is node.args.vararg or arg is node.args.kwarg:
        return one(Items(frozenset(), ()))
    return one(Unknown(f"`{arg.arg}` is not given by a call that is seen"))


def _default_written(flow: Evaluator, node: FunctionNode, arg: ast.arg, frame: Frame) -> Values | None:
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = []
    if args.defaults:
        pairs += zip(positional[-len(args.defaults) :], args.defaults, strict=True)
    pairs += zip(args.kwonlyargs, args.kw_defaults, strict=True)
    for parameter_, default in pairs:
        if parameter_ is arg and default is not None:
            return flow.values(default, _outside(frame))
    return None


def _given(flow: Evaluator, binding: Binding, node: FunctionNode, arg: ast.arg) -> Values | None:
    """What a call gives for one parameter, or None where its default holds."""
    args = node.args
    given = lay_out(flow, binding)
    positional = [*args.posonlyargs, *args.args]
    if arg is args.vararg:
        rest = given.since(len(positional))
        more = given.more_positional
        return one(Items(union(rest), tuple(rest)) if more is None else Items(union(rest) | more))
    if arg is args.kwarg:
        taken = {p.arg for p in (*args.args, *args.kwonlyargs)}
        named = tuple((name, values) for name, values in given.named.items() if name not in taken)
        every = union([values for _, values in named]) | (given.more_named or NOTHING)
        return one(Items(every, () if given.more_named is None else None, named))
    if arg in positional:
        found = given.at(positional.index(arg))
        if found is not None:
            return found
        if given.more_positional is not None:
            return given.more_positional | (given.by_keyword(arg.arg) or NOTHING)
    found = given.by_keyword(arg.arg)
    return found if found is not None else given.more_named


def first(flow: Evaluator, binding: Binding, keyword: str | None = None) -> Values:
    """A call's first argument, or the one it gives under a keyword; `NoValue` when it gives neither."""
    if binding.site is not None and keyword is not None:
        for candidate in binding.site.node.keywords:
            if candidate.arg == keyword:
                return flow.values(candidate.value, binding.site.frame)
    return nth(flow, binding, 0)


def nth(flow: Evaluator, binding: Binding, position: int) -> Values:
    """A call's argument by position; `NoValue` when there are fewer."""
    if binding.site is None:
        return binding.given[position] if position < len(binding.given) else one(NoValue())
    arguments = binding.site.node.args[binding.skip :]
    if position < len(arguments) and not any(isinstance(a, ast.Starred) for a in arguments[: position + 1]):
        return flow.values(arguments[position], binding.site.frame)
    return one(NoValue())


def by_field(flow: Evaluator, binding: Binding, name: str, position: int) -> Values | None:
    """What a call gives for a field of the class it makes an object of; None when it leaves it out."""
    given = lay_out(flow, binding)
    for found in (given.by_keyword(name), given.at(position)):
        if found is not None:
            return found
    return given.more_positional or given.more_named
