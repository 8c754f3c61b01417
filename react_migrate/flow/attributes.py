"""Attributes: what `value.name` is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import calls, containers, names, objects, standins
from react_migrate.flow.frames import Frame
from react_migrate.flow.known import REACT, canonical, is_foreign
from react_migrate.flow.values import (
    NOTHING,
    Class,
    Container,
    Foreign,
    Function,
    Future,
    History,
    Instance,
    Items,
    Library,
    Method,
    ModuleValue,
    NoValue,
    Other,
    Partial,
    Prediction,
    StandIn,
    Super,
    Trajectory,
    Unknown,
    Value,
    Values,
    one,
    union,
    via,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator


def of_all(flow: Evaluator, values: Values, name: str, node: ast.AST, frame: Frame) -> Values:
    """The attribute of every value in a set."""
    return union([of(flow, value, name, node, frame) for value in values])


def of(flow: Evaluator, value: Value, name: str, node: ast.AST, frame: Frame) -> Values:
    """The attribute of one value."""
    if isinstance(value, Library):
        return _of_library(flow, value, name, frame)
    if isinstance(value, ModuleValue):
        return names.of_module(flow, value.file, name) | _stored_on(flow, value, name, frame)
    if isinstance(value, Instance):
        if name == "__class__":
            return one(value.cls)
        if isinstance(value.cls, Class):
            return objects.instance_attribute(flow, value, name)
        return _of_library_object(flow, value, name)
    if isinstance(value, Class):
        return objects.class_attribute(flow, value, name)
    if isinstance(value, Prediction):
        return _of_prediction(value, name, node, frame)
    if isinstance(value, Super):
        return calls.super_attribute(flow, value, name, node, frame)
    if isinstance(value, (Container, Items, Future, Trajectory, History)):
        return one(Method(value, name, trail=value.trail))
    if isinstance(value, Method):
        return _stored_on(flow, value, name, frame) or one(_of_method(value, name))
    if isinstance(value, (Function, Partial)):
        return _stored_on(flow, value, name, frame) or one(Unknown("an attribute of a function"))
    if isinstance(value, StandIn):
        return standins.field(flow, value, name)
    return NOTHING if isinstance(value, NoValue) else one(value)


def _of_library(flow: Evaluator, value: Library, name: str, frame: Frame) -> Values:
    path = f"{value.path}.{name}"
    file = flow.program.resolve(frame.file, path)
    if file is not None:  # a package without `__init__.py`
        module = flow.program.file(file)
        return (
            one(ModuleValue(module)) if module is not None else one(Unknown("a module that does not parse"))
        )
    return _stored_on(flow, value, name, frame) or one(Library(canonical(path), trail=value.trail))


def _of_library_object(flow: Evaluator, value: Instance, name: str) -> Values:
    assert isinstance(value.cls, Library)
    if value.cls.path == "dspy.evaluate.EvaluationResult" and name == "results":
        return containers.evaluation_results(flow, value)
    return one(Method(value, name, trail=value.trail))


def _of_method(value: Method, name: str) -> Value:
    """A part of a part of a library's object, which may well be the project's own: `app.state.agent`."""
    cls = value.receiver.cls if isinstance(value.receiver, Instance) else None
    if isinstance(cls, Library) and is_foreign(cls.path):
        return Foreign(f"`.{name}` of an object of `{cls.path}`")
    return Other("an attribute of a method")


def _stored_on(flow: Evaluator, value: Value, name: str, frame: Frame) -> Values:
    """`thing.name = ...` for a thing that is not an object of the project: in the same file only."""
    stores = frame.file.index.attribute_stores.get(name)
    if not stores:
        return NOTHING
    found = NOTHING
    for store in stores:
        assert isinstance(store.target, ast.Attribute)
        other = flow.frames.general(store.scope)
        if value in flow.values(store.target.value, other):
            found |= names.bound(flow, store.how, store.value, store.path, other)
    return found


def _of_prediction(value: Prediction, name: str, node: ast.AST, frame: Frame) -> Values:
    if name == "trajectory":
        return via(one(Trajectory(value.module, trail=value.trail)), frame.file, node, "its `.trajectory`")
    if name == "history" and value.module in REACT:
        return one(History(value.module, trail=value.trail))
    if name in {"get", "toDict", "items", "values", "keys", "copy", "pop", "without", "with_inputs"}:
        return one(Method(value, name, trail=value.trail))
    return one(Other("an output of a prediction"))
