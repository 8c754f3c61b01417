"""Records that users build by hand: `dspy.Prediction(raw=prediction)`, named tuples, `TypedDict`s.

One that carries a prediction is told apart from the others by the call that made it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import classes, containers, library, names, objects
from react_migrate.flow.frames import Binding
from react_migrate.flow.index import Store
from react_migrate.flow.layout import lay_out
from react_migrate.flow.values import NOTHING, CallSite, Class, Instance, Method, StandIn, Value, Values, one

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_TYPED_DICTS = frozenset(("typing.TypedDict", "typing_extensions.TypedDict"))
_NAMED_TUPLES = frozenset(("typing.NamedTuple", "typing_extensions.NamedTuple"))
_KEEP = frozenset(("copy", "without", "with_inputs", "inputs", "labels", "_replace"))


def made(flow: Evaluator, binding: Binding, fields: tuple[str, ...] = ()) -> Values:
    """What `dspy.Prediction(...)` and its like give."""
    site = binding.site
    if site is None:
        return one(StandIn())
    file = site.frame.file
    if not (file.within_reach or file.within_reach_of_rlm):
        return one(StandIn())
    carries = _is_filled_later(site) or library.is_handed_ours(flow, binding)
    return one(StandIn(site, fields) if carries else StandIn())


def field(flow: Evaluator, value: StandIn, name: str) -> Values:
    """A field of one: what the call that made it passed, and what is stored in it later, in the same file."""
    if value.made is None:
        return one(StandIn(trail=value.trail))
    if name in _KEEP or name == "get":
        return one(Method(value, name, trail=value.trail))
    return flow.ask(("field", value, name), lambda: _field(flow, value, name))


def _field(flow: Evaluator, value: StandIn, name: str) -> Values:
    assert value.made is not None
    given = lay_out(flow, Binding(value.made))
    found = given.by_keyword(name) or NOTHING
    if name in value.fields:
        found |= given.at(value.fields.index(name)) or NOTHING
    file = value.made.frame.file
    for store in (*file.index.attribute_stores.get(name, ()), *_item_stores(value.made, name)):
        frame = flow.frames.general(store.scope)
        if any(
            isinstance(held, StandIn) and held.made is not None and held.made.node is value.made.node
            for held in flow.values(store.target.value, frame)
        ):
            found |= names.bound(flow, store.how, store.value, store.path, frame)
    return found or one(StandIn(trail=value.trail))


def item(flow: Evaluator, value: Value, key: object) -> Values | None:
    """`record["raw"]`, `row[1]`; None for what is no record."""
    if isinstance(value, StandIn):
        if isinstance(key, int) and -len(value.fields) <= key < len(value.fields):
            return field(flow, value, value.fields[key])
        return field(flow, value, key) if isinstance(key, str) else one(StandIn(trail=value.trail))
    if isinstance(value, Instance) and isinstance(key, str) and is_typed_dict(flow, value):
        return objects.instance_attribute(flow, value, key)
    return row_field(flow, value, key) if isinstance(key, int) else None


def row_field(flow: Evaluator, value: Value, position: int) -> Values | None:
    """What an object of a `NamedTuple` class has at a position; None of any other value."""
    if not isinstance(value, Instance) or not isinstance(value.cls, Class):
        return None
    if classes.library_root(flow, value.cls) not in _NAMED_TUPLES:
        return None
    names_ = objects.field_names(flow, value.cls)
    in_range = -len(names_) <= position < len(names_)
    return objects.instance_attribute(flow, value, names_[position]) if in_range else None


def is_typed_dict(flow: Evaluator, value: Value) -> bool:
    """Whether it is a dict of a `TypedDict` class."""
    cls = value.cls if isinstance(value, Instance) else None
    return isinstance(cls, Class) and classes.library_root(flow, cls) in _TYPED_DICTS


def method(flow: Evaluator, value: StandIn, name: str, binding: Binding) -> Values:
    """`record.get("raw")`, `record.with_inputs(...)`."""
    if name in _KEEP:
        return one(value)
    key = containers.constant(binding.site.node.args[0]) if binding.site and binding.site.node.args else None
    return field(flow, value, key) if isinstance(key, str) else one(StandIn(trail=value.trail))


def _is_filled_later(site: CallSite) -> bool:
    """Whether something is stored in what the call made, under a name that it is given."""
    index = site.frame.file.index
    given = index.names_given.get(site.node)
    if not given:
        return False
    stores = [store for stores in index.attribute_stores.values() for store in stores]
    targets = [store.target.value for store in (*stores, *index.item_stores)]
    return any(isinstance(target, ast.Name) and target.id in given for target in targets)


def _item_stores(site: CallSite, name: str) -> list[Store]:
    return [
        store
        for store in site.frame.file.index.item_stores
        if isinstance(store.target, ast.Subscript) and containers.constant(store.target.slice) == name
    ]
