"""Classes of the project: their bases, methods and what their objects hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from react_migrate.flow.frames import Frame
from react_migrate.flow.known import MODULES, REACT, RLM
from react_migrate.flow.reaching import Definition
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import (
    Class,
    Function,
    Library,
    Value,
    Values,
    order,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_GETTERS = frozenset(("property", "cached_property"))


def bases(flow: Evaluator, cls: Class) -> list[Value]:
    """The class's direct bases, in order: classes of the project and of libraries."""
    found: list[Value] = []
    for base in cls.node.bases:
        inner = base.value if isinstance(base, ast.Subscript) else base  # Generic[T]
        values = sorted(flow.values(inner, cls.frame), key=order)
        found += [value for value in values if isinstance(value, (Class, Library))]
    return found


def lineage(flow: Evaluator, cls: Class, *, above: bool = False) -> Iterator[Class]:
    """The class (unless `above`) and the project's classes it derives from, nearest first."""
    todo: list[Class] = [cls]
    seen: set[Class] = set()
    while todo:
        current = todo.pop(0)
        if current in seen:
            continue
        seen.add(current)
        if current is not cls or not above:
            yield current
        todo.extend(base for base in bases(flow, current) if isinstance(base, Class))


def library_roots(flow: Evaluator, cls: Class) -> list[str]:
    """The libraries' classes that the class derives from, by canonical path."""
    return [
        base.path for each in lineage(flow, cls) for base in bases(flow, each) if isinstance(base, Library)
    ]


def library_root(flow: Evaluator, cls: Class) -> str | None:
    """The library class that says what an object of the class does when it is run."""
    roots = library_roots(flow, cls)
    for wanted in (REACT, RLM, MODULES):
        for root in roots:
            if root in wanted:
                return root
    return roots[0] if roots else None


def method(flow: Evaluator, cls: Class, name: str, *, above: bool = False) -> Function | None:
    """The project's function that `name` means in a class, the nearest one."""
    for each in lineage(flow, cls, above=above):
        node = function_in(each, name)
        if node is not None:
            return Function(node, body_frame(flow, each))
    return None


def function_in(cls: Class, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function that a class's own body defines under a name; the last one counts."""
    found = None
    for definition in definitions(cls, name):
        if isinstance(definition.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found = definition.node
    return found


def functions(cls: Class) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that a class's own body defines, by name."""
    scope = class_scope(cls)
    found = ((name, function_in(cls, name)) for name in scope.file.reaching(scope).everywhere)
    return {name: node for name, node in found if node is not None}


def class_scope(cls: Class) -> Scope:
    """The scope of the class's body."""
    return cls.frame.file.index.scopes[cls.node]


def body_frame(flow: Evaluator, cls: Class) -> Frame:
    """The frame of the class's body, in which its methods are defined."""
    return flow.frames.inside(class_scope(cls), cls.frame)


def definitions(cls: Class, name: str) -> Sequence[Definition]:
    """What the class's body binds the name to."""
    scope = class_scope(cls)
    return scope.file.reaching(scope).everywhere.get(name, ())


def subclasses(flow: Evaluator, cls: Class, word: str) -> list[Class]:
    """The project's classes that derive from a class, in files that have a word."""
    found = flow.ask(("subclasses", cls, word), lambda: _subclasses(flow, cls, word))
    return [value for value in sorted(found, key=order) if isinstance(value, Class)]


def _subclasses(flow: Evaluator, cls: Class, word: str) -> Values:
    found: set[Value] = set()
    for other in flow.program.knowing(cls.frame.file, cls.node.name, word):
        for node, scope in other.index.nodes[ast.ClassDef]:
            assert isinstance(node, ast.ClassDef)
            below = Class(node, flow.frames.general(scope))
            if node.bases and below != cls and cls in lineage(flow, below, above=True):
                found.add(below)
    return frozenset(found)
