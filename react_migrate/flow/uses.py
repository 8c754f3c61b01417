"""Functions handed around: `map(f, xs)`, `pool.submit(f, x)`, `metric=f`, `@f`, `apply(f, x)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, containers, library
from react_migrate.flow.frames import Binding, Frame
from react_migrate.flow.known import CALLER_METHODS, MAPPERS, METRIC_KEYWORDS, SORTERS, is_dspy
from react_migrate.flow.scopes import FunctionNode, Scope, terminal
from react_migrate.flow.values import (
    CallSite,
    Class,
    Function,
    Instance,
    Library,
    Method,
    Unknown,
    Value,
    Values,
    one,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator
    from react_migrate.flow.program import AnalysedFile

Reference = tuple["AnalysedFile", ast.expr, Scope]
_BINDINGS = (ast.Assign, ast.NamedExpr, ast.AnnAssign)  # of another name, by which it is looked for too


def of(flow: Evaluator, node: FunctionNode, scope: Scope) -> Iterator[Binding | str]:
    """Every use of a function other than calling it: the calls that follow, or why they are not known."""
    for file, reference, where in _references(flow, node, scope):
        held = flow.values(reference, flow.frames.general(where))
        receivers = {
            value.receiver if isinstance(value, Method) else None
            for value in held
            if _is_function(value, node)
        }
        for use in _use(flow, file, reference, where) if receivers else ():
            if isinstance(use, str):
                yield use
            else:
                yield from (replace(use, receiver=receiver) for receiver in receivers)


def _references(flow: Evaluator, node: FunctionNode, scope: Scope) -> list[Reference]:
    """Where the function's name is read without being called; a lambda is where it stands."""
    known = flow.references.get(node)
    if known is None:
        known = flow.references[node] = list(_find_references(flow, node, scope))
    return known


def _find_references(flow: Evaluator, node: FunctionNode, scope: Scope) -> Iterator[Reference]:
    if isinstance(node, ast.Lambda) and scope.parent is not None:
        yield scope.file, node, scope.parent
    for name in names_of(scope.file, node):
        yield from _references_by_name(flow, scope.file, name)


def names_of(file: AnalysedFile, node: FunctionNode) -> list[str]:
    """What a function is called where it is made; a lambda by what it is assigned to, if anything."""
    if not isinstance(node, ast.Lambda):
        return [node.name]
    parent = file.parents.get(node)
    targets = parent.targets if isinstance(parent, ast.Assign) else [getattr(parent, "target", None)]
    names = [terminal(target) for target in targets if target is not None]
    return [name for name in names if name is not None]


def _references_by_name(flow: Evaluator, home: AnalysedFile, name: str) -> Iterator[Reference]:
    for file in flow.program.knowing(home, name):
        index = file.index
        called = {call.func for call, _ in index.calls.get(name, ())}
        for reference, where in (*index.names.get(name, ()), *index.attributes.get(name, ())):
            if reference in called or not isinstance(reference.ctx, ast.Load):
                continue
            if not isinstance(file.parents.get(reference), ast.Attribute):
                yield file, reference, where


def _is_function(value: Value, node: FunctionNode) -> bool:
    if isinstance(value, Method):
        return isinstance(value.function, Function) and value.function.node is node
    return isinstance(value, Function) and value.node is node


def _use(flow: Evaluator, file: AnalysedFile, reference: ast.expr, where: Scope) -> Iterator[Binding | str]:
    parent = file.parents.get(reference)
    keyword = parent.arg if isinstance(parent, ast.keyword) else None
    call = file.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call):
        frame = flow.frames.general(where)
        if call.func is reference:  # `(lambda x: ...)(1)`
            yield Binding(CallSite(call, frame))
            return
        for value in flow.values(call.func, frame):
            yield from _passed(flow, value, CallSite(call, frame), reference, keyword)
    elif isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and reference in parent.decorator_list:
        yield Binding(None, given=(one(Function(parent, flow.frames.general(where))),))
    elif isinstance(parent, ast.Return):
        yield from _handed_out(flow, file, reference, where)
    elif not isinstance(parent, _BINDINGS):
        yield _kept(file, reference)


def _handed_out(
    flow: Evaluator, file: AnalysedFile, reference: ast.expr, where: Scope
) -> Iterator[Binding | str]:
    """A function makes and returns it, as a decorator with arguments does: what is done with each result?"""
    from react_migrate.flow import callers  # it needs this module

    maker = where.owner()
    if not isinstance(maker.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield _kept(file, reference)
        return
    for other, name, _ in _references(flow, maker.node, maker):
        if not isinstance(other.parents.get(name), _BINDINGS):
            yield _kept(other, name)
    for call, scope in callers.candidates(flow, maker.node, maker):
        frame = flow.frames.general(scope)
        if any(_is_function(value, maker.node) for value in flow.values(call.func, frame)):
            yield _use_of_result(flow, scope.file, call, frame)


def _use_of_result(flow: Evaluator, file: AnalysedFile, made: ast.Call, frame: Frame) -> Binding | str:
    """`@made()` above a function or class, and `made()(x)`."""
    parent = file.parents.get(made)
    if isinstance(parent, ast.Call) and parent.func is made:
        return Binding(CallSite(parent, frame))
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and made in parent.decorator_list:
        return Binding(None, given=(one(Function(parent, frame)),))
    if isinstance(parent, ast.ClassDef) and made in parent.decorator_list:
        return Binding(None, given=(one(Class(parent, frame)),))
    return _kept(file, made)


def _kept(file: AnalysedFile, reference: ast.expr) -> str:
    return f"the function is also handed on in {file.path.name}, {file.where(reference.lineno)}"


def _passed(
    flow: Evaluator, value: Value, site: CallSite, reference: ast.expr, keyword: str | None
) -> Iterator[Binding | str]:
    """The function is an argument of a call: when, and with what, does it run?"""
    position = site.node.args.index(reference) if keyword is None else None
    if keyword in METRIC_KEYWORDS or (_is_dspy_class(value) and position is not None):
        yield _metric(flow, value, site)
    elif isinstance(value, Library) and value.path in MAPPERS and position == 0:
        yield Binding(site, skip=1, mapped=MAPPERS[value.path] != "thread")
    elif isinstance(value, Library) and value.path in SORTERS and keyword == "key":
        yield Binding(None, given=(containers.elements(flow, arguments.nth(flow, Binding(site), 0)),))
    elif isinstance(value, Library) and value.path == "threading.Thread" and keyword == "target":
        yield from _thread(flow, site)
    elif isinstance(value, Method) and value.function == "sort" and keyword == "key":
        yield Binding(None, given=(containers.elements(flow, one(value.receiver)),))
    elif isinstance(value, Method) and isinstance(value.function, str) and value.function in CALLER_METHODS:
        own = CALLER_METHODS[value.function]
        if position == own - 1:
            yield Binding(site, skip=own, mapped=value.function in {"map", "imap", "starmap"})
    elif isinstance(value, Function):
        yield from _called_inside(flow, value, site, reference, keyword)
    elif not (isinstance(value, Library) and value.path == "functools.partial"):
        yield _kept(site.frame.file, reference)


def _is_dspy_class(value: Value) -> bool:
    return isinstance(value, Library) and is_dspy(value.path) and value.path.rpartition(".")[2][:1].isupper()


def _thread(flow: Evaluator, site: CallSite) -> Iterator[Binding]:
    for keyword in site.node.keywords:
        if keyword.arg == "args" and isinstance(keyword.value, (ast.Tuple, ast.List)):
            given = tuple(flow.values(element, site.frame) for element in keyword.value.elts)
            yield Binding(None, given=given)


def _called_inside(
    flow: Evaluator, function: Function, site: CallSite, reference: ast.expr, keyword: str | None
) -> Iterator[Binding | str]:
    """A function of the project gets it as an argument: the calls of that parameter inside."""
    args = function.node.args
    positional = [*args.posonlyargs, *args.args]
    name = keyword
    if name is None:
        position = site.node.args.index(reference)
        name = positional[position].arg if position < len(positional) else None
    scope = function.frame.file.index.scopes[function.node]
    inner: Frame = flow.frames.called(scope, function.frame, Binding(site))
    found = False
    for call, where in function.frame.file.index.calls.get(name or "", ()):
        if where.owner() is scope:
            found = True
            yield Binding(CallSite(call, inner))
    if not found:
        yield _kept(site.frame.file, reference)


def _metric(flow: Evaluator, value: Value, site: CallSite) -> Binding:
    """DSPy calls a metric with an example and the prediction of the program it is given."""
    programs = _programs(flow, value, site)
    predictions = union(library.ran(flow, program) for program in programs)
    anything = one(Unknown("DSPy calls a metric with the prediction of whatever program it is given"))
    return Binding(None, given=(one(Unknown("an example")), predictions | anything))


def _programs(flow: Evaluator, value: Value, site: CallSite) -> Values:
    """The programs that an evaluator or optimiser made at this call is later given."""
    own = arguments.first(flow, Binding(site), "module") | arguments.first(flow, Binding(site), "program")
    found: Values = frozenset(v for v in own if isinstance(v, Instance))
    if not isinstance(value, Library):
        return found
    file = site.frame.file
    for call, scope in file.index.all_calls:
        if not (call.args or call.keywords):
            continue
        frame = flow.frames.general(scope)
        for callee in flow.values(call.func, frame):
            target = callee.receiver if isinstance(callee, Method) else callee
            if isinstance(target, Instance) and target.made == site:
                binding = Binding(CallSite(call, frame))
                found |= arguments.first(flow, binding, "student") | arguments.first(flow, binding, "program")
    return found
