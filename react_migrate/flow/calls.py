"""Calls: what running a value gives back."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from react_migrate.flow import classes, containers, hints, library, standins
from react_migrate.flow.frames import Binding, Frame, first_parameter
from react_migrate.flow.known import MODULES, RUN_METHODS
from react_migrate.flow.values import (
    NOTHING,
    CallSite,
    Class,
    Foreign,
    Function,
    Instance,
    Items,
    Library,
    Method,
    NoValue,
    Other,
    Partial,
    Record,
    StandIn,
    Super,
    Unknown,
    Value,
    Values,
    one,
    union,
    via,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator


def call(flow: Evaluator, node: ast.Call, frame: Frame) -> Values:
    """What a call expression gives."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(flow, node, frame)
    binding = Binding(CallSite(node, frame))
    return union([apply(flow, value, binding) for value in flow.values(node.func, frame)])


def apply(flow: Evaluator, value: Value, binding: Binding) -> Values:
    """What calling one value gives."""
    if isinstance(value, Function):
        return _returned(flow, value, binding)
    if isinstance(value, Class):
        made = binding.site if not binding.fixed else None
        return step(one(Instance(value, made)), binding, f"an object of `{value.node.name}` is made")
    if isinstance(value, Method):
        if isinstance(value.function, str):
            return library.method(flow, value.receiver, value.function, binding)
        return apply(flow, value.function, replace(binding, receiver=value.receiver))
    if isinstance(value, Partial):
        return apply(flow, value.function, replace(binding, fixed=(value.made, *binding.fixed)))
    if isinstance(value, Instance):
        return run(flow, value, "__call__", binding)
    if isinstance(value, Library):
        return library.call(flow, value, binding)
    if isinstance(value, (Unknown, Foreign)):
        return one(replace(value, asked=is_asking(binding)))
    if isinstance(value, StandIn):
        return one(StandIn(trail=value.trail))  # a mock, that gives another one
    if isinstance(value, Record):
        return standins.made(flow, binding, value.fields)
    return library.of_something(flow, binding) if isinstance(value, Other) else NOTHING


def is_asking(binding: Binding) -> bool:
    """Whether a call passes nothing but keywords, as DSPy's modules are called."""
    site = binding.site
    return site is not None and bool(site.node.keywords) and not site.node.args


def run(flow: Evaluator, instance: Instance, name: str, binding: Binding) -> Values:
    """What an object gives when it is called, or when one of the methods that run a module is."""
    if isinstance(instance.cls, Library):
        return library.run_module(flow, instance, instance.cls.path, binding)
    below = _run_by_subclasses(flow, instance.cls, name, binding) if instance.made is None else NOTHING
    function = running_function(flow, instance.cls, name)
    if function is not None:
        return below | apply(flow, function, replace(binding, receiver=instance))
    root = classes.library_root(flow, instance.cls)
    if root is None:
        return below | one(Unknown(f"`{instance.cls.node.name}` cannot be followed when it is called"))
    return below | library.run_module(flow, instance, root, binding)


_RUNNING = {"__call__": ("__call__", "forward", "aforward"), "acall": ("acall", "aforward", "forward")}


def _run_by_subclasses(flow: Evaluator, cls: Class, name: str, binding: Binding) -> Values:
    """What running an object gives that may be of a subclass, as `self` in a base class may."""
    found = NOTHING
    for candidate in _RUNNING.get(name, (name,)):
        for below in classes.subclasses(flow, cls, candidate):
            node = classes.function_in(below, candidate)
            if node is not None:
                function = Function(node, classes.body_frame(flow, below))
                found |= apply(flow, function, replace(binding, receiver=Instance(below)))
    return found


def running_function(flow: Evaluator, cls: Class, name: str) -> Function | None:
    """The project's function that runs when an object of the class is called by `name`."""
    for candidate in _RUNNING.get(name, (name,)):
        function = classes.method(flow, cls, candidate)
        if function is not None:
            return function
        if candidate == "__call__" and classes.library_root(flow, cls) not in MODULES:
            return None
    return None


def decorated(
    flow: Evaluator, values: Values, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame
) -> Values:
    """A function after its decorators. Those of libraries are taken to keep what they decorate."""
    for decorator in reversed(node.decorator_list):
        made = flow.values(decorator, frame)
        if any(isinstance(value, (Function, Class)) for value in made):
            values = union([_decorate(flow, value, values) for value in made])
    return values


def _decorate(flow: Evaluator, value: Value, values: Values) -> Values:
    """What a decorator of the project makes of a function; a class that decorates is not followed."""
    if not isinstance(value, Function):
        return values
    return apply(flow, value, Binding(None, given=(values,))) or values


def _returned(flow: Evaluator, function: Function, binding: Binding) -> Values:
    scope = function.frame.file.index.scopes[function.node]
    inner = flow.frames.called(scope, function.frame, binding)
    found = _result(flow, function, inner)
    name = getattr(function.node, "name", "a lambda")
    return step(found, binding, f"returned by `{name}`")


def step(values: Values, binding: Binding, text: str) -> Values:
    """The values with the call added to their trail, where somebody wrote the call."""
    site = binding.site
    return via(values, site.frame.file, site.node, text) if site is not None else values


def _result(flow: Evaluator, function: Function, frame: Frame) -> Values:
    return flow.ask(("result", frame), lambda: _compute_result(flow, function, frame))


def _compute_result(flow: Evaluator, function: Function, frame: Frame) -> Values:
    node = function.node
    if isinstance(node, ast.Lambda):
        return flow.values(node.body, frame)
    if frame.scope.yields:
        return one(Items(_yielded(flow, frame)))
    returns = frame.scope.returns
    found = union([flow.values(r.value, frame) for r in returns if r.value is not None])
    if not returns or any(r.value is None for r in returns):
        found |= one(NoValue())
    if node.returns is not None and any(isinstance(value, Unknown) for value in found):
        promised = hints.instance_of(flow, node.returns, function.frame)
        if hints.tells(promised):
            return promised
    return found


def _yielded(flow: Evaluator, frame: Frame) -> Values:
    found = NOTHING
    for node in frame.scope.yields:
        if node.value is not None:
            values = flow.values(node.value, frame)
            found |= containers.elements(flow, values) if isinstance(node, ast.YieldFrom) else values
    return found


def _super(flow: Evaluator, node: ast.Call, frame: Frame) -> Values:
    """`super()` in a method: the object, seen as one of the classes above."""
    current: Frame | None = frame
    while current is not None and not (current.parent is not None and current.parent.scope.is_class):
        current = current.parent
    if current is None or current.parent is None or current.parent.parent is None:
        return one(Unknown("`super()` outside a method"))
    node_ = current.parent.scope.node
    assert isinstance(node_, ast.ClassDef)
    name = first_parameter(current.scope.node)
    if name is None:
        return one(Unknown("`super()` in a method without `self`"))
    from react_migrate.flow import names  # it needs this module

    cls = Class(node_, current.parent.parent)
    receivers = names.anywhere(flow, name, current)
    return frozenset(Super(cls, receiver, trail=receiver.trail) for receiver in receivers)


def super_attribute(flow: Evaluator, value: Super, name: str, node: ast.AST, frame: Frame) -> Values:
    """An attribute found above a class: a method of the project's, or the library's own."""
    function = classes.method(flow, value.cls, name, above=True)
    if function is not None:
        return one(Method(value.receiver, function, trail=value.trail))
    root = classes.library_root(flow, value.cls)
    if root is None:
        return one(Unknown(f"`super().{name}` leads out of what is known"))
    if name in RUN_METHODS and isinstance(value.receiver, Instance):
        above = Instance(Library(root), value.receiver.made, trail=value.trail)
        return one(Method(above, name, trail=value.trail))
    return one(Method(value.receiver, name, trail=value.trail))
