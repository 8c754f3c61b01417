"""What is put into a container after it is made: by `.append`, `[key] = ` and their like.

This is looked for in the file that makes the container, and where another file does so by the name that it
has there. (Not: in a function of another file that it is passed to.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from react_migrate.flow import containers, names
from react_migrate.flow.frames import Frame
from react_migrate.flow.index import Store
from react_migrate.flow.only_name import only_name
from react_migrate.flow.scopes import terminal
from react_migrate.flow.values import Container, Values, union

if TYPE_CHECKING:
    from react_migrate.flow.containers import Entry
    from react_migrate.flow.evaluate import Evaluator
    from react_migrate.flow.program import AnalysedFile

_ADDERS = {"append": 0, "add": 0, "appendleft": 0, "put": 0, "put_nowait": 0, "insert": 1, "setdefault": 1}
_EXTENDERS = frozenset(("extend", "update", "extendleft"))


def entries(flow: Evaluator, value: Container) -> Iterator[Entry]:
    """All of it, with the places where these are known."""
    for file, name in _places(flow, value):
        yield from _by_calls(flow, value, file, name)
        yield from _stored(flow, value, file, name)


def somewhere(flow: Evaluator, value: Container) -> Values:
    """What may be at any place."""

    def find() -> Values:
        return union([found() for place, found in entries(flow, value) if place is containers.ANY])

    return flow.ask((value, "added somewhere"), find)


def at_key(flow: Evaluator, value: Container, key: object) -> Iterator[Entry]:
    """What is stored under this very key."""
    for file, name in _places(flow, value):
        yield from _stored(flow, value, file, name, key)


def _places(flow: Evaluator, value: Container) -> Iterator[tuple[AnalysedFile, str | None]]:
    """The files where something may be added to it, and its name there; None where it may have any."""
    home = value.frame.file
    yield home, only_name(home, value.node)
    for name in sorted(home.index.names_given.get(value.node, ())):
        yield from (
            (file, name) for file in flow.program.knowing(home, name, home.module_name) if file is not home
        )


def _by_calls(flow: Evaluator, value: Container, file: AnalysedFile, name: str | None) -> Iterator[Entry]:
    for method in (*_ADDERS, *_EXTENDERS):
        for call, scope in file.index.calls.get(method, ()):
            frame = flow.frames.general(scope)
            to = call.func.value if isinstance(call.func, ast.Attribute) else None
            if to is None or not _is_called(to, name) or not holds(flow, to, frame, value):
                continue
            if method in _ADDERS and len(call.args) > _ADDERS[method]:
                yield containers.ANY, partial(flow.values, call.args[_ADDERS[method]], frame)
            elif method in _EXTENDERS and call.args:
                yield containers.ANY, partial(_contents, flow, call.args[0], frame)


def _contents(flow: Evaluator, node: ast.expr, frame: Frame) -> Values:
    return union([containers.content(flow, value) for value in flow.values(node, frame)])


def _stored(
    flow: Evaluator, value: Container, file: AnalysedFile, name: str | None, *keys: object
) -> Iterator[Entry]:
    """What is assigned to its items; with a key, only what is assigned to that one."""
    by_key = _by_key(file)
    for place in keys or by_key:
        for store in by_key.get(place, ()):
            assert isinstance(store.target, ast.Subscript)
            if _is_called(store.target.value, name):
                frame = flow.frames.general(store.scope)
                if holds(flow, store.target.value, frame, value):
                    yield place, partial(names.bound, flow, store.how, store.value, store.path, frame)


def _by_key(file: AnalysedFile) -> dict[object, list[Store]]:
    """The assignments to items in a file by their keys, as far as these are written out."""
    if file.item_stores is None:
        file.item_stores = {}
        for store in file.index.item_stores:
            assert isinstance(store.target, ast.Subscript)
            file.item_stores.setdefault(containers.constant(store.target.slice), []).append(store)
    return file.item_stores


def keys(flow: Evaluator, value: Container) -> Values:
    """The keys that are stored under, in its own file."""
    file = value.frame.file
    name = only_name(file, value.node)
    found = []
    for store in file.index.item_stores:
        assert isinstance(store.target, ast.Subscript)
        frame = flow.frames.general(store.scope)
        if _is_called(store.target.value, name) and holds(flow, store.target.value, frame, value):
            found.append(flow.values(store.target.slice, frame))
    return union(found)


def _is_called(node: ast.expr, name: str | None) -> bool:
    return name is None or terminal(node) == name


def holds(flow: Evaluator, node: ast.expr, frame: Frame, value: Container) -> bool:
    """Whether an expression may be this very container, whatever call made it."""
    return any(isinstance(v, Container) and v.node is value.node for v in flow.values(node, frame))
