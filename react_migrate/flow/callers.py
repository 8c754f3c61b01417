"""Who calls this function? The calls in the project, and the other ways a function is put to use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.flow import calls, classes, names, uses
from react_migrate.flow.frames import Binding, Frame
from react_migrate.flow.known import RUN_METHODS
from react_migrate.flow.scopes import FunctionNode, Scope, terminal
from react_migrate.flow.values import (
    CallSite,
    Class,
    Function,
    Instance,
    Method,
    Partial,
    Value,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator
    from react_migrate.flow.program import AnalysedFile


def bindings(flow: Evaluator, frame: Frame) -> Iterator[Binding]:
    """Every call in the project that runs the function of this frame."""
    node = frame.scope.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    seen: set[Binding] = set()
    for call, scope in candidates(flow, node, frame.scope):
        site = CallSite(call, flow.frames.general(scope))
        for value in flow.values(call.func, site.frame):
            for binding in _runs(flow, value, node, Binding(site)):
                if binding not in seen:
                    seen.add(binding)
                    yield binding
    others = (*uses.of(flow, node, frame.scope), *_assignments(flow, node, frame.scope))
    for use in others:
        if isinstance(use, Binding) and use not in seen:
            seen.add(use)
            yield use


def _assignments(flow: Evaluator, node: FunctionNode, scope: Scope) -> Iterator[Binding]:
    """Where `thing.name = value` runs the function, as it does the setter of a property."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    if isinstance(node, ast.Lambda) or "setter" not in map(terminal, decorators) or scope.parent is None:
        return
    for file in flow.program.knowing(scope.file, node.name):
        for store in file.index.attribute_stores.get(node.name, ()):
            where = flow.frames.general(store.scope)
            assert isinstance(store.target, ast.Attribute)
            for value in flow.values(store.target.value, where):
                cls = value.cls if isinstance(value, Instance) else None
                if isinstance(cls, Class) and _derives_from(flow, cls, scope.parent.node):
                    given = names.bound(flow, store.how, store.value, store.path, where)
                    yield Binding(None, receiver=value, given=(given,))


def _derives_from(flow: Evaluator, cls: Class, node: ast.AST) -> bool:
    return any(each.node is node for each in classes.lineage(flow, cls))


def beyond(flow: Evaluator, frame: Frame, arg: ast.arg, called: list[Binding]) -> str | None:
    """Why a parameter may hold more than the calls in the project pass; None when they are all there is."""
    node = frame.scope.node
    name = getattr(node, "name", "a lambda")
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    for use in uses.of(flow, node, frame.scope):
        if isinstance(use, str):
            return use
    if not called:
        return f"`{arg.arg}` is a parameter of `{name}`, and no call in these files says what it gets"
    return None


def constructions(flow: Evaluator, cls: Class) -> list[CallSite]:
    """Every call in the project that makes an object of the class."""
    found = []
    for file in flow.program.knowing(cls.frame.file, cls.node.name):
        for name in {cls.node.name, *file.index.aliases.get(cls.node.name, ())}:
            for call, scope in file.index.calls.get(name, ()):
                frame = flow.frames.general(scope)
                if cls in flow.values(call.func, frame):
                    found.append(CallSite(call, frame))
    return found


def candidates(flow: Evaluator, node: FunctionNode, scope: Scope) -> list[tuple[ast.Call, Scope]]:
    """The calls that may mean the function, by the names it goes by."""
    known = flow.candidates.get(node)
    if known is not None:
        return known
    found: list[tuple[ast.Call, Scope]] = []
    outer = scope.parent
    owner = outer.node if outer is not None and isinstance(outer.node, ast.ClassDef) else None
    for name in uses.names_of(scope.file, node):
        makes = owner is not None and name == "__init__"
        for searched in _family(flow, scope.file, owner.name) if owner is not None and makes else {name}:
            for file in flow.program.knowing(scope.file, searched):
                for alias in sorted({searched, *file.index.aliases.get(searched, ())}):
                    found += file.index.calls.get(alias, ())
                if makes:  # `super().__init__(...)`
                    found += file.index.calls.get(name, ())
        if owner is not None and name in RUN_METHODS:
            for file in flow.program.knowing(scope.file, owner.name):
                found += file.index.all_calls
    flow.candidates[node] = found = list(dict.fromkeys(found))
    return found


def _family(flow: Evaluator, home: AnalysedFile, name: str) -> list[str]:
    """The name of a class, and those of the classes that name it as a base, and so on: by name only."""
    found = [name]
    for above in found:
        for file in flow.program.knowing(home, above):
            for node, _ in file.index.nodes[ast.ClassDef]:
                assert isinstance(node, ast.ClassDef)
                if node.name not in found and any(terminal(base) == above for base in node.bases):
                    found.append(node.name)
    return found


def _runs(flow: Evaluator, value: Value, node: FunctionNode, binding: Binding) -> Iterator[Binding]:
    """The bindings with which calling the value runs the function."""
    if isinstance(value, Function):
        if value.node is node:
            yield binding
    elif isinstance(value, Method):
        yield from _method_runs(flow, value, node, binding)
    elif isinstance(value, Partial):
        yield from _runs(flow, value.function, node, _with_partial(binding, value))
    elif isinstance(value, Class):
        function = classes.method(flow, value, "__init__")
        if function is not None and function.node is node:
            yield _received(binding, Instance(value, binding.site))
    elif isinstance(value, Instance) and isinstance(value.cls, Class):
        function = calls.running_function(flow, value.cls, "__call__")
        if function is not None and function.node is node:
            yield _received(binding, value)


def _method_runs(flow: Evaluator, value: Method, node: FunctionNode, binding: Binding) -> Iterator[Binding]:
    if isinstance(value.function, Function):
        if value.function.node is node:
            yield _received(binding, value.receiver)
    elif value.function in RUN_METHODS and isinstance(value.receiver, Instance):
        cls = value.receiver.cls
        function = calls.running_function(flow, cls, value.function) if isinstance(cls, Class) else None
        if function is not None and function.node is node:
            yield _received(binding, value.receiver)


def _received(binding: Binding, receiver: Value) -> Binding:
    return Binding(binding.site, receiver, binding.given, binding.fixed, binding.skip, binding.mapped)


def _with_partial(binding: Binding, value: Partial) -> Binding:
    fixed = (value.made, *binding.fixed)
    return Binding(binding.site, binding.receiver, binding.given, fixed, binding.skip, binding.mapped)
