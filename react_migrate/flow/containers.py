"""Containers: what lists, tuples, dicts and comprehensions hold."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, filling, objects, standins
from react_migrate.flow.frames import Binding, Frame
from react_migrate.flow.known import DICTS
from react_migrate.flow.scopes import STAR
from react_migrate.flow.values import (
    NOTHING,
    Alias,
    CallSite,
    Class,
    Container,
    Instance,
    Items,
    Library,
    NoValue,
    Other,
    Prediction,
    StandIn,
    Trajectory,
    Unknown,
    Value,
    Values,
    items,
    one,
    union,
    via,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

ANY = object()  # the place of an element when it is not known
Entry = tuple[object, Callable[[], Values]]
"""A place in a container, and how to find out what is there."""


def subscript(flow: Evaluator, values: Values, node: ast.Subscript, frame: Frame) -> Values:
    """`value[key]`."""
    if isinstance(node.slice, ast.Slice):
        return items(elements(flow, values)) if values else NOTHING
    key = constant(node.slice)
    return union([_item(flow, value, key, node, frame) for value in values])


def constant(node: ast.expr) -> object:
    """A written-out key or index, or `ANY`."""
    if isinstance(node, ast.Constant):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        number = node.operand.value
        return -number if isinstance(number, int) else ANY
    return ANY


def _item(flow: Evaluator, value: Value, key: object, node: ast.Subscript, frame: Frame) -> Values:
    if isinstance(value, Prediction):
        if key == "trajectory":
            return via(
                one(Trajectory(value.module, trail=value.trail)), frame.file, node, 'its `["trajectory"]`'
            )
        return one(Other("an output of a prediction"))
    if isinstance(value, (Container, Items)):
        return one_item(flow, value, key)
    if isinstance(value, (Unknown, Other)):
        return one(value)
    if isinstance(value, Library) and value.path.startswith(("typing.", "typing_extensions.")):
        return one(Alias("a type", node, frame))
    if isinstance(value, (Trajectory, Library)):
        return one(Other("a part of it"))
    if isinstance(value, NoValue):
        return NOTHING
    own = standins.item(flow, value, key)
    if own is None:
        own = _item_of_object(flow, value, node, frame)
    return own if own is not None else one(Unknown("an item of something that is not followed"))


def _item_of_object(flow: Evaluator, value: Value, node: ast.Subscript, frame: Frame) -> Values | None:
    if not isinstance(value, Instance) or not isinstance(value.cls, Class):
        return None
    return objects.special(flow, value, ("__getitem__",), flow.values(node.slice, frame))


def at(flow: Evaluator, values: Values, position: int) -> Values:
    """What unpacking gives at a position; `STAR` is the list of the rest."""
    if position == STAR:
        return items(elements(flow, values))
    return union([_at(flow, value, position) for value in values])


def _at(flow: Evaluator, value: Value, position: int) -> Values:
    if isinstance(value, (Container, Items)):
        return one_item(flow, value, position)
    if isinstance(value, StandIn) and position < len(value.fields):
        return standins.field(flow, value, value.fields[position])
    own = standins.row_field(flow, value, position)
    return own if own is not None else _element(flow, value)


def one_item(flow: Evaluator, value: Container | Items, key: object) -> Values:
    """The element at a constant key or index; at an unknown one, any of them."""
    if isinstance(value, Items):
        if key is ANY:
            return value.every
        if isinstance(key, int) and value.fixed is not None and -len(value.fixed) <= key < len(value.fixed):
            return value.fixed[key]
        named = dict(value.named)
        return named[key] if isinstance(key, str) and key in named else value.every
    return flow.ask((value, key if key is not ANY else None, "item"), lambda: _at_key(flow, value, key))


def _at_key(flow: Evaluator, value: Container, key: object) -> Values:
    if isinstance(key, int) and key < 0 and isinstance(value.node, (ast.Tuple, ast.List)):
        key = len(value.node.elts) + key
    if key is ANY:
        return held(flow, value)
    written = list(_written(flow, value))
    stored = filling.at_key(flow, value, key) if _is_open(value) else ()
    sure = [find for place, find in (*written, *stored) if place == key]
    if not sure:
        return held(flow, value)
    loose = [find for place, find in written if place is ANY]
    more = filling.somewhere(flow, value) if _is_open(value) else NOTHING
    return union([find() for find in (*sure, *loose)]) | more


def elements(flow: Evaluator, values: Values) -> Values:
    """What iterating over any of the values gives."""
    return union([_element(flow, value) for value in values])


def _element(flow: Evaluator, value: Value) -> Values:
    if isinstance(value, Items):
        return value.every
    if isinstance(value, Container):
        if is_dict(flow, value):
            return keys(flow, value)
        return held(flow, value)
    if isinstance(value, (Unknown, Other)):
        return one(value)
    if isinstance(value, Prediction):
        return one(value)  # what a streamified program gives: messages, and the prediction last
    if isinstance(value, Instance):
        return _element_of_object(flow, value)
    return (
        NOTHING
        if isinstance(value, NoValue)
        else one(Unknown("an element of something that is not followed"))
    )


def _element_of_object(flow: Evaluator, value: Instance) -> Values:
    """What iterating over an object gives, by the methods that its class has for it."""
    if isinstance(value.cls, Library):
        return one(Other(f"an element of `{value.cls.path}`"))
    found = objects.special(flow, value, ("__next__", "__anext__"))
    if found is None:
        iterator = objects.special(flow, value, ("__iter__", "__aiter__"))
        found = elements(flow, iterator) if iterator is not None else None
    if found is None:
        found = objects.special(flow, value, ("__getitem__",), one(Other("an index")))
    return found if found is not None else one(Unknown("an element of something that is not followed"))


def is_dict(flow: Evaluator, value: Container) -> bool:
    """Whether it has keys."""
    if isinstance(value.node, (ast.Dict, ast.DictComp)):
        return True
    makers = _makers(flow, value)
    return bool(makers) and makers <= DICTS


def _makers(flow: Evaluator, value: Container) -> set[str]:
    """The library's functions that made it, where one did: `dict(...)`, or `dict` as a factory."""
    node = value.node.func if isinstance(value.node, ast.Call) else value.node
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return set()
    return {made.path for made in flow.values(node, value.frame) if isinstance(made, Library)}


def keys(flow: Evaluator, value: Container | Items) -> Values:
    """The keys of a dict: `{pool.submit(f, x): x}` has futures for keys."""
    if isinstance(value, Items):
        return one(Other("a key of a dict"))
    return flow.ask((value, "keys"), lambda: _keys(flow, value))


def _keys(flow: Evaluator, value: Container) -> Values:
    node, frame = value.node, value.frame
    found = NOTHING
    if isinstance(node, ast.Dict):
        found = union(flow.values(key, frame) for key in node.keys if key is not None)
    elif isinstance(node, ast.DictComp):
        found = flow.values(node.key, flow.frames.inside(frame.file.index.scopes[node], frame))
    found |= filling.keys(flow, value)
    return found or one(Other("a key of a dict"))


def held(flow: Evaluator, value: Container | Items) -> Values:
    """All the elements; of a dict, its values."""
    if isinstance(value, Items):
        return value.every
    return flow.ask((value, "held"), lambda: union([find() for _, find in _entries(flow, value)]))


def values_of_dict(flow: Evaluator, value: Container | Items) -> Values:
    """The values that `dict(value)` has: those of a dict, or the second parts of pairs."""
    inside = held(flow, value)
    if isinstance(value, Container) and is_dict(flow, value):
        return inside
    pairs = frozenset(v for v in inside if isinstance(v, (Container, Items)))
    return (inside - pairs) | at(flow, pairs, 1)


def _entries(flow: Evaluator, value: Container) -> Iterator[Entry]:
    """The elements with their places: those written in the display, and those added later."""
    yield from _written(flow, value)
    if _is_open(value):
        yield from filling.entries(flow, value)


def _is_open(value: Container) -> bool:
    """Whether something can be added to it."""
    return not isinstance(value.node, (ast.Tuple, ast.GeneratorExp))


def _written(flow: Evaluator, value: Container) -> Iterator[Entry]:
    node, frame = value.node, value.frame
    if isinstance(node, ast.Dict):
        for key, element in zip(node.keys, node.values, strict=True):
            if key is None:
                for merged in flow.values(element, frame):
                    yield from _merged(flow, merged)
            else:
                yield constant(key), partial(flow.values, element, frame)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        spread = False
        for position, element in enumerate(node.elts):
            if isinstance(element, ast.Starred):
                spread = True
                yield ANY, partial(_spread, flow, element.value, frame)
            else:
                yield (ANY if spread else position), partial(flow.values, element, frame)
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        inner = flow.frames.inside(frame.file.index.scopes[node], frame)
        element = node.value if isinstance(node, ast.DictComp) else node.elt
        yield ANY, partial(flow.values, element, inner)
    elif isinstance(node, ast.Call):
        from react_migrate.flow import standard  # it needs this module

        for path in sorted(_makers(flow, value) & standard.CONTENTS.keys()):
            for place, found in standard.CONTENTS[path](flow, Binding(CallSite(node, frame))):
                yield place, partial(frozenset, found)


def _merged(flow: Evaluator, value: Value) -> Iterator[Entry]:
    """What `**value` brings into a dict."""
    named = by_name(flow, value) if _is_written_out(value) else None
    if named is None:
        yield ANY, partial(content, flow, value)
    else:
        yield from ((name, partial(frozenset, found)) for name, found in named.items())


def _spread(flow: Evaluator, node: ast.expr, frame: Frame) -> Values:
    return elements(flow, flow.values(node, frame))


def laid_out(flow: Evaluator, value: Value) -> tuple[Values, ...] | None:
    """The elements of a tuple or list by position, where it is written out."""
    if isinstance(value, Items):
        return value.fixed
    if not isinstance(value, Container) or not isinstance(value.node, (ast.Tuple, ast.List)):
        return None
    if any(isinstance(element, ast.Starred) for element in value.node.elts):
        return None
    return tuple(one_item(flow, value, position) for position in range(len(value.node.elts)))


def _is_written_out(value: Value) -> bool:
    """Whether the keys of a dict can be told without looking into others, which may lead back to it."""
    return isinstance(value, Items) or (
        isinstance(value, Container) and isinstance(value.node, ast.Dict) and None not in value.node.keys
    )


def by_name(flow: Evaluator, value: Value) -> dict[str, Values] | None:
    """The values of a dict by key, where all keys are written out."""
    if isinstance(value, Items):
        return dict(value.named) if value.named or value.fixed == () else None
    if not isinstance(value, Container) or not is_dict(flow, value):
        return None
    entries = list(_entries(flow, value))
    names = [place for place, _ in entries if isinstance(place, str)]
    return {name: one_item(flow, value, name) for name in names} if len(names) == len(entries) else None


def content(flow: Evaluator, value: Value) -> Values:
    """What `*value`, `**value` or `.extend(value)` adds."""
    return held(flow, value) if isinstance(value, (Container, Items)) else _element(flow, value)


def added(flow: Evaluator, left: Values, right: Values) -> Values:
    """`left + right`, `left | right`, `left += right`: containers joined, or something else entirely."""
    joined = [value for value in (*left, *right) if isinstance(value, (Container, Items))]
    if joined:
        return one(Items(union(held(flow, value) for value in joined)))
    return one(Other("the result of an operation"))


def evaluation_results(flow: Evaluator, value: Instance) -> Values:
    """`Evaluate(...)(program).results`: triples of example, prediction, score."""
    from react_migrate.flow import library  # it needs this module

    assert isinstance(value.made, CallSite)
    program = arguments.first(flow, Binding(value.made), "program")
    predictions = union(library.ran(flow, each) for each in program)
    triple = (one(Unknown("an example")), predictions, one(Other("a score")))
    return items(one(Items(union(triple), triple)))


def method(flow: Evaluator, value: Container | Items, name: str, binding: Binding) -> Values:
    """What a container's method gives."""
    if name == "keys":
        return items(keys(flow, value))
    if name in {"values", "copy"}:
        return items(held(flow, value))
    if name == "items":
        pair = (keys(flow, value), held(flow, value))
        return items(one(Items(union(pair), pair)))
    if name in {"get", "pop", "setdefault", "popleft", "popitem", "get_nowait", "__getitem__"}:
        arguments_ = binding.site.node.args if binding.site is not None else []
        key = constant(arguments_[0]) if arguments_ else ANY
        found = one_item(flow, value, key)
        return found | arguments.nth(flow, binding, 1) if len(arguments_) > 1 else found
    if name in {"append", "add", "extend", "update", "insert", "sort", "clear", "remove", "reverse"}:
        return one(NoValue())
    return one(Other("the result of a container's method"))
