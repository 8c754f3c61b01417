"""Parameters: what the calls of a function pass for them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.flow import callers, containers, hints
from react_migrate.flow.frames import Binding, Frame, first_parameter
from react_migrate.flow.scopes import FunctionNode
from react_migrate.flow.values import (
    NOTHING,
    Class,
    Container,
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
    evidence = hints.instance_of(flow, arg.annotation, _outside(frame)) if arg.annotation else None
    if evidence and not any(isinstance(value, Unknown) for value in evidence):
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


@dataclass
class _Given:
    """The arguments of a call, laid out: by position, by keyword, and what `*` and `**` may add."""

    positional: list[Values]
    named: dict[str, Values]
    more_positional: Values | None = None
    more_named: Values | None = None


def lay_out(flow: Evaluator, binding: Binding) -> _Given:
    """All arguments that a binding passes, those of partials first."""
    given = _Given([], {})
    if binding.receiver is not None:
        given.positional.append(one(binding.receiver))
    given.positional.extend(binding.given)
    for fixed in binding.fixed:
        _add(flow, given, fixed.node.args[1:], fixed.node.keywords, fixed.frame)
    site = binding.site
    if site is None:
        return given
    arguments = site.node.args[binding.skip :]
    if binding.mapped:
        given.positional += [containers.elements(flow, flow.values(a, site.frame)) for a in arguments]
    else:
        _add(flow, given, arguments, site.node.keywords, site.frame)
    return given


def _add(
    flow: Evaluator, given: _Given, args: list[ast.expr], keywords: list[ast.keyword], frame: Frame
) -> None:
    for argument in args:
        if not isinstance(argument, ast.Starred):
            if given.more_positional is None:
                given.positional.append(flow.values(argument, frame))
            else:
                given.more_positional |= flow.values(argument, frame)
            continue
        spread = flow.values(argument.value, frame)
        fixed = [containers.laid_out(flow, value) for value in spread]
        if len(fixed) == 1 and fixed[0] is not None and given.more_positional is None:
            given.positional.extend(fixed[0])
        else:
            given.more_positional = (given.more_positional or frozenset()) | containers.elements(flow, spread)
    for keyword in keywords:
        if keyword.arg is not None:
            given.named[keyword.arg] = flow.values(keyword.value, frame)
            continue
        for value in flow.values(keyword.value, frame):
            named = containers.by_name(flow, value)
            for name, values in (named or {}).items():
                given.named[name] = given.named.get(name, frozenset()) | values
            if named is None:
                more = containers.held(flow, value) if isinstance(value, (Container, Items)) else one(value)
                given.more_named = (given.more_named or frozenset()) | more


def _given(flow: Evaluator, binding: Binding, node: FunctionNode, arg: ast.arg) -> Values | None:
    """What a call gives for one parameter, or None where its default holds."""
    args = node.args
    given = lay_out(flow, binding)
    positional = [*args.posonlyargs, *args.args]
    if arg is args.vararg:
        rest = given.positional[len(positional) :]
        if given.more_positional is None:
            return one(Items(union(rest), tuple(rest)))
        return one(Items(union(rest) | given.more_positional))
    if arg is args.kwarg:
        taken = {p.arg for p in (*args.args, *args.kwonlyargs)}
        named = tuple((name, values) for name, values in given.named.items() if name not in taken)
        every = union(values for _, values in named) | (given.more_named or frozenset())
        return one(Items(every, () if given.more_named is None else None, named))
    if arg in positional:
        position = positional.index(arg)
        if position < len(given.positional):
            return given.positional[position]
        if given.more_positional is not None:
            return given.more_positional | given.named.get(arg.arg, frozenset())
    if arg.arg in given.named:
        return given.named[arg.arg]
    return given.more_named


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
    if name in given.named:
        return given.named[name]
    if position < len(given.positional):
        return given.positional[position]
    return given.more_positional or given.more_named
