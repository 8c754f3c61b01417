"""Objects of the project's classes: what `obj.name` is, wherever the code that sets it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, callers, calls, classes, hints, names
from react_migrate.flow.frames import Binding, Frame, first_parameter
from react_migrate.flow.index import Store
from react_migrate.flow.known import RUN_METHODS
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import (
    NOTHING,
    CallSite,
    Class,
    Function,
    Instance,
    Items,
    Method,
    Partial,
    Unknown,
    Value,
    Values,
    one,
    union,
    via,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_SETTERS = frozenset(("setter", "deleter"))
_GETTERS = frozenset(("property", "cached_property"))


def instance_attribute(flow: Evaluator, instance: Instance, name: str) -> Values:
    """`obj.name` for an object of a class of the project."""
    assert isinstance(instance.cls, Class)
    return flow.ask(("attribute", instance, name), lambda: _instance_attribute(flow, instance, name))


def _instance_attribute(flow: Evaluator, instance: Instance, name: str) -> Values:
    assert isinstance(instance.cls, Class)
    own = list(classes.lineage(flow, instance.cls))
    below = classes.subclasses(flow, instance.cls, name) if instance.made is None else []
    found = union([_stored_by(flow, cls, instance, name) for cls in own])
    found |= _stored_from_outside(flow, instance, name)
    nearest = next((cls for cls in own if classes.definitions(cls, name)), None)
    if nearest is not None:
        found |= _held_by_class(flow, nearest, instance, name)
    found |= union(_stored_by(flow, cls, Instance(cls), name) for cls in below)
    found |= union(_held_by_class(flow, cls, Instance(cls), name) for cls in below)
    # Whether it is set is asked of the code, not of the values: these may be on their way, round a circle.
    setters = own if name in RUN_METHODS else (*own, *below)
    if any(classes.definitions(cls, name) or any(_stores(cls, name)) for cls in setters):
        return found
    if classes.library_root(flow, instance.cls) is not None:
        return found | one(Method(instance, name, trail=instance.trail))
    return found or one(Unknown(f"nothing that is seen sets `.{name}` of `{instance.cls.node.name}`"))


def _stored_by(flow: Evaluator, cls: Class, instance: Instance, name: str) -> Values:
    """`self.name = ...` in the methods of one class."""
    found = NOTHING
    for store, function in _stores(cls, name):
        frame = _frame_for(flow, store.scope, function, cls, instance)
        values = names.bound(flow, store.how, store.value, store.path, frame)
        found |= via(values, frame.file, store.target, f"stored in `self.{name}`")
    return found


def is_stored(cls: Class, name: str) -> bool:
    """Whether the methods of a class, itself, set `self.name`."""
    return any(_stores(cls, name))


def _stores(cls: Class, name: str) -> Iterator[tuple[Store, Scope]]:
    """Where the methods of one class set `self.name`, each with its method."""
    for store in cls.frame.file.index.attribute_stores.get(name, ()):
        function = _method_around(store.scope, cls)
        if function is not None and _is_self(store, function):
            yield store, function


def _method_around(scope: Scope, cls: Class) -> Scope | None:
    """The method of the class that a piece of code is part of."""
    current: Scope | None = scope
    while current is not None and current.parent is not None:
        if current.parent.node is cls.node:
            return current
        current = current.parent
    return None


def _is_self(store: Store, function: Scope) -> bool:
    assert isinstance(store.target, ast.Attribute)
    target = store.target.value
    return isinstance(target, ast.Name) and target.id == first_parameter(function.node)


def _frame_for(flow: Evaluator, scope: Scope, function: Scope, cls: Class, instance: Instance) -> Frame:
    """The frame in which the method ran for this very object: of `__init__`, the call that made it."""
    parent = classes.body_frame(flow, cls)
    frame = None
    if isinstance(function.node, ast.FunctionDef) and function.node.name == "__init__":
        frame = _frame_of_init(flow, instance, Function(function.node, parent))
    return _descend(flow, scope, function, frame or flow.frames.inside(function, parent))


def _frame_of_init(flow: Evaluator, instance: Instance, wanted: Function) -> Frame | None:
    """The frame of an `__init__` that ran for an object: its class's own, or one that this leads to by
    `super().__init__(...)` or `Base.__init__(self, ...)`."""
    assert isinstance(instance.cls, Class)
    own = classes.method(flow, instance.cls, "__init__")
    if instance.made is None or own is None:
        return None
    todo = [(own, Binding(instance.made, receiver=instance))]
    seen: set[Function] = set()
    for function, binding in todo:
        scope = function.frame.file.index.scopes[function.node]
        frame = flow.frames.called(scope, function.frame, binding)
        if function == wanted:
            return frame
        seen.add(function)
        for call, where in function.frame.file.index.calls.get("__init__", ()):
            if where is scope:
                site = CallSite(call, frame)
                for callee in flow.values(call.func, frame):
                    target = callee.function if isinstance(callee, Method) else callee
                    receiver = instance if isinstance(callee, Method) else None
                    if isinstance(target, Function) and target not in seen:
                        todo.append((target, Binding(site, receiver=receiver)))
    return None


def _descend(flow: Evaluator, scope: Scope, top: Scope, frame: Frame) -> Frame:
    if scope is top:
        return frame
    assert scope.parent is not None
    return flow.frames.inside(scope, _descend(flow, scope.parent, top, frame))


def _held_by_class(flow: Evaluator, cls: Class, instance: Instance, name: str) -> Values:
    """What the class's body binds: methods, properties, class variables, fields."""
    frame = classes.body_frame(flow, cls)
    found = NOTHING
    for definition in classes.definitions(cls, name):
        node = definition.node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not _SETTERS.intersection(map(_last_name, node.decorator_list)):
                found |= _method_value(flow, node, frame, instance)
        elif name in fields(cls):
            found |= _field(flow, cls, instance, name)
        else:
            found |= frozenset(
                _bound_partial(value, instance) for value in names.defined(flow, definition, frame)
            )
    return found


def _bound_partial(value: Value, instance: Instance) -> Value:
    """What `functools.partialmethod` made, of an object; any other value as it is."""
    if not isinstance(value, Partial) or terminal(value.made.node.func) != "partialmethod":
        return value
    function = value.function
    return replace(value, function=Method(instance, function)) if isinstance(function, Function) else value


def _method_value(
    flow: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame, instance: Instance
) -> Values:
    marks = {_last_name(decorator) for decorator in node.decorator_list}
    function = Function(node, frame)
    if marks & _GETTERS:
        return calls.apply(flow, function, Binding(None, receiver=instance))
    if "staticmethod" in marks:
        return one(function)
    receiver: Value = instance.cls if "classmethod" in marks else instance
    decorated = calls.decorated(flow, one(function), node, frame)
    return frozenset(
        Method(receiver, value, trail=instance.trail) if isinstance(value, Function) else value
        for value in decorated
    )


def _last_name(node: ast.expr) -> str | None:
    return terminal(node.func if isinstance(node, ast.Call) else node)


def fields(cls: Class) -> dict[str, ast.AnnAssign]:
    """The annotated names of a class's body, in order: the fields of a dataclass, model or named tuple."""
    return {
        statement.target.id: statement
        for statement in cls.node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def field_names(flow: Evaluator, cls: Class) -> list[str]:
    """The fields of a class and of those above it, in the order in which its constructor takes them."""
    every = [field for each in reversed(list(classes.lineage(flow, cls))) for field in fields(each)]
    return list(dict.fromkeys(every))


def _field(flow: Evaluator, cls: Class, instance: Instance, name: str) -> Values:
    """A field of an object: what the call that made it passes, the default, or what the type promises."""
    statement = fields(cls)[name]
    frame = classes.body_frame(flow, cls)
    default = flow.values(statement.value, frame) if statement.value is not None else NOTHING
    promised = hints.instance_of(flow, statement.annotation, frame)
    if hints.tells(promised):
        return promised | default
    sites = [instance.made] if instance.made is not None else callers.constructions(flow, cls)
    position = field_names(flow, cls).index(name)
    passed = [arguments.by_field(flow, Binding(site), name, position) for site in sites]
    found = union(p if p is not None else default for p in passed)
    return found or default or promised


def _stored_from_outside(flow: Evaluator, instance: Instance, name: str) -> Values:
    """`obj.name = ...` anywhere else in the class's file or in files that know the class."""
    assert isinstance(instance.cls, Class)
    file = instance.cls.frame.file
    found = NOTHING
    for other in flow.program.knowing(file, instance.cls.node.name, name):
        for store in other.index.attribute_stores.get(name, ()):
            assert isinstance(store.target, ast.Attribute)
            target = store.target.value
            if isinstance(target, ast.Name) and target.id in {"self", "cls"}:
                continue
            frame = flow.frames.general(store.scope)
            held = flow.values(target, frame)
            if any(isinstance(v, Instance) and v.cls == instance.cls for v in held):
                values = names.bound(flow, store.how, store.value, store.path, frame)
                found |= via(values, other, store.target, f"stored in `.{name}`")
    return found


def class_attribute(flow: Evaluator, cls: Class, name: str) -> Values:
    """`Class.name`: a class variable, a function, or what a library's base class has."""
    for each in classes.lineage(flow, cls):
        node = classes.function_in(each, name)
        frame = classes.body_frame(flow, each)
        if node is not None:
            marks = {_last_name(decorator) for decorator in node.decorator_list}
            function = Function(node, frame)
            return one(Method(cls, function)) if "classmethod" in marks else one(function)
        definitions = classes.definitions(each, name)
        if definitions:
            found = union(names.defined(flow, definition, frame) for definition in definitions)
            return found | _stored_on_class(flow, cls, name)
    found = _stored_on_class(flow, cls, name)
    return found or one(Unknown(f"nothing that is seen sets `{cls.node.name}.{name}`"))


def _stored_on_class(flow: Evaluator, cls: Class, name: str) -> Values:
    """`Class.name = ...` and `cls.name = ...`."""
    found = NOTHING
    for store in cls.frame.file.index.attribute_stores.get(name, ()):
        assert isinstance(store.target, ast.Attribute)
        frame = flow.frames.general(store.scope)
        if cls in flow.values(store.target.value, frame):
            found |= names.bound(flow, store.how, store.value, store.path, frame)
    return found


def entered(flow: Evaluator, values: Values, node: ast.expr, frame: Frame) -> Values:
    """What `with expression as name` binds."""
    found = NOTHING
    for value in values:
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            made = special(flow, value, ("__enter__", "__aenter__"))
            found |= made if made is not None else one(value)
        elif isinstance(value, Items):  # a generator made into a context manager
            found |= value.every
        else:
            found |= one(value)
    return found


def special(flow: Evaluator, instance: Instance, protocol: tuple[str, ...], *given: Values) -> Values | None:
    """What the first of these methods gives that the object's class has in the project; None without any."""
    assert isinstance(instance.cls, Class)
    for name in protocol:
        function = classes.method(flow, instance.cls, name)
        if function is not None:
            return calls.apply(flow, function, Binding(None, receiver=instance, given=given))
    return None
