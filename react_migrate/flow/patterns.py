"""What the patterns of a `match` take out of their subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from react_migrate.flow import attributes, classes, containers, objects, standins
from react_migrate.flow.frames import Frame
from react_migrate.flow.scopes import Part
from react_migrate.flow.values import (
    NOTHING,
    Class,
    Container,
    Foreign,
    Instance,
    Items,
    Library,
    Prediction,
    StandIn,
    Unknown,
    Value,
    Values,
    one,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_TAKEN = one(Unknown("it is taken from a pattern"))


def part(flow: Evaluator, values: Values, step: Part, frame: Frame) -> Values:
    """What one step of a pattern gives, of those of the values that it can match."""
    if step.cls is None:
        found = union([_item(flow, value, step.key) for value in values])
    else:
        classes_ = flow.values(step.cls, frame)
        fitting = [value for value in values if _fits(flow, value, classes_)]
        found = union([_attribute(flow, value, step, frame) for value in fitting])
    return found or _TAKEN


def _item(flow: Evaluator, value: Value, key: str | int) -> Values:
    """The item of what a pattern with keys matches, or one with positions."""
    if isinstance(value, Container):
        if containers.is_dict(flow, value) is not isinstance(key, str):
            return NOTHING
        named = containers.by_name(flow, value)
        if named is not None and key not in named:
            return NOTHING
    elif not isinstance(value, Items):
        row = standins.row_field(flow, value, key) if isinstance(key, int) else None
        return row if row is not None else one(value) if isinstance(value, (Unknown, Foreign)) else NOTHING
    if isinstance(key, int):
        return containers.at(flow, one(value), key)
    return containers.one_item(flow, value, key)


def _fits(flow: Evaluator, value: Value, wanted: Values) -> bool:
    """Whether a value may be an object of one of the classes."""
    if isinstance(value, Instance):
        lineage = list(classes.lineage(flow, value.cls)) if isinstance(value.cls, Class) else [value.cls]
        return not wanted.isdisjoint(lineage)
    if isinstance(value, (Prediction, StandIn)):
        return any(isinstance(cls, Library) for cls in wanted)
    return isinstance(value, (Unknown, Foreign))


def _attribute(flow: Evaluator, value: Value, step: Part, frame: Frame) -> Values:
    if isinstance(step.key, str):
        assert step.cls is not None
        return attributes.of(flow, value, step.key, step.cls, frame)
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        names = objects.field_names(flow, value.cls)
        if step.key < len(names):
            return objects.instance_attribute(flow, value, names[step.key])
    return _TAKEN
