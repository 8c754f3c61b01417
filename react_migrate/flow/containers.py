"""Containers: what lists, tuples, dicts and comprehensions hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, names, objects, standins
from react_migrate.flow.frames import Binding, Frame
from react_migrate.flow.known import DICTS
from react_migrate.flow.only_name import only_name
from react_migrate.flow.scopes import STAR, terminal
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
    from react_migrate.flow.program import AnalysedFile

ANY = object()  # the place of an element when it is not known
_ADDERS = {"append": 0, "add": 0, "appendleft": 0, "put": 0, "put_nowait": 0, "insert": 1, "setdefault": 1}
_EXTENDERS = frozenset(("extend", "update", "extendleft"))


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
    entries = list(_entries(flow, value))
    if isinstance(key, int) and key < 0 and isinstance(value.node, (ast.Tuple, ast.List)):
        key = len(value.node.elts) + key
    sure = [found for place, found in entries if place == key]
    loose = [found for place, found in entries if place is ANY]
    if key is ANY or not sure:
        return union(found for _, found in entries)
    return union(sure) | union(loose)


def elements(flow: Evaluator, values: Values) -> Values:
    """What iterating over any of the values gives."""
    return union([_element(flow, value) for value in values])


def _element(flow: Evaluator, value: Value) -> Values:
    if isinstance(value, Items):
        return value.every
    if isinstance(value, Container):
        if is_dict(flow, value):
            return keys(flow, value)
        return flow.ask((value, "elements"), lambda: union(found for _, found in _entries(flow, value)))
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
    stored = [(store.target, flow.frames.general(store.scope)) for store in frame.file.index.item_stores]
    found |= union(
        flow.values(target.slice, where)
        for target, where in stored
        if isinstance(target, ast.Subscript) and _holds(flow, target.value, where, value)
    )
    return found or one(Other("a key of a dict"))


def held(flow: Evaluator, value: Container | Items) -> Values:
    """All the elements; of a dict, its values."""
    if isinstance(value, Items):
        return value.every
    return flow.ask((value, "held"), lambda: union(found for _, found in _entries(flow, value)))


def values_of_dict(flow: Evaluator, value: Container | Items) -> Values:
    """The values that `dict(value)` has: those of a dict, or the second parts of pairs."""
    inside = held(flow, value)
    if isinstance(value, Container) and is_dict(flow, value):
        return inside
    pairs = frozenset(v for v in inside if isinstance(v, (Container, Items)))
    return (inside - pairs) | at(flow, pairs, 1)


def _entries(flow: Evaluator, value: Container) -> Iterator[tuple[object, Values]]:
    """The elements with their places: those written in the display, and those added later."""
    node, frame = value.node, value.frame
    if isinstance(node, ast.Dict):
        for key, element in zip(node.keys, node.values, strict=True):
            if key is None:
                for merged in flow.values(element, frame):
                    named = by_name(flow, merged) if _is_written_out(merged) else None
                    yield from named.items() if named is not None else [(ANY, _content(flow, merged))]
            else:
                yield constant(key), flow.values(element, frame)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        spread = False
        for position, element in enumerate(node.elts):
            if isinstance(element, ast.Starred):
                spread = True
                yield ANY, elements(flow, flow.values(element.value, frame))
            else:
                yield (ANY if spread else position), flow.values(element, frame)
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        inner = flow.frames.inside(frame.file.index.scopes[node], frame)
        yield ANY, flow.values(node.value if isinstance(node, ast.DictComp) else node.elt, inner)
    elif isinstance(node, ast.Call):
        from react_migrate.flow import standard  # it needs this module

        for path in sorted(_makers(flow, value) & standard.CONTENTS.keys()):
            yield from standard.CONTENTS[path](flow, Binding(CallSite(node, frame)))
    if not isinstance(node, (ast.Tuple, ast.GeneratorExp)):
        yield from _added_later(flow, value)


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


def _added_later(flow: Evaluator, value: Container) -> Iterator[tuple[object, Values]]:
    """What `.append`, `[key] = ` and their like put into it: in the file that makes it, and where another
    file does so by the name that it has there. (Not: in a function of another file that it is passed to.)"""
    home = value.frame.file
    yield from _added_in(flow, value, home, only_name(home, value.node))
    for name in sorted(home.index.names_given.get(value.node, ())):
        for file in flow.program.knowing(home, name, home.module_name):
            if file is not home:
                yield from _added_in(flow, value, file, name)


def _added_in(
    flow: Evaluator, value: Container, file: AnalysedFile, name: str | None
) -> Iterator[tuple[object, Values]]:
    index = file.index
    for method in (*_ADDERS, *_EXTENDERS):
        for call, scope in index.calls.get(method, ()):
            frame = flow.frames.general(scope)
            to = call.func.value if isinstance(call.func, ast.Attribute) else None
            if to is None or not _is_called(to, name) or not _holds(flow, to, frame, value):
                continue
            if method in _ADDERS and len(call.args) > _ADDERS[method]:
                yield ANY, flow.values(call.args[_ADDERS[method]], frame)
            elif method in _EXTENDERS and call.args:
                yield ANY, union(_content(flow, v) for v in flow.values(call.args[0], frame))
    for store in index.item_stores:
        frame = flow.frames.general(store.scope)
        assert isinstance(store.target, ast.Subscript)
        if _is_called(store.target.value, name) and _holds(flow, store.target.value, frame, value):
            place = constant(store.target.slice)
            yield place, names.bound(flow, store.how, store.value, store.path, frame)


def _is_called(node: ast.expr, name: str | None) -> bool:
    return name is None or terminal(node) == name


def _holds(flow: Evaluator, node: ast.expr, frame: Frame, value: Container) -> bool:
    """Whether an expression may be this very container, whatever call made it."""
    return any(isinstance(v, Container) and v.node is value.node for v in flow.values(node, frame))


def _content(flow: Evaluator, value: Value) -> Values:
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
