"""What each scope of a module binds and what is used of it, in it and in the scopes inside."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from react_migrate.edit.scopes import bound_by, used_by

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Scope: TypeAlias = ast.Module | Function
Path: TypeAlias = tuple[str, ...]
"""The names of the functions and classes around a scope and its own; () is the module."""


@dataclass
class Usage:
    """How often a scope's names are bound and used; class bodies, lambdas, comprehensions are part of it."""

    bound: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    not_own: set[str] = field(default_factory=set)  # declared global or nonlocal

    def take_in(self, inner: Usage) -> None:
        """Add what a function inside uses and binds of the names that are not its own."""
        for name, times in inner.used.items():
            if name not in inner.bound or name in inner.not_own:
                self.used[name] += times
        self.bound.update(name for name in inner.bound if name in inner.not_own)


def usages(tree: ast.Module) -> Iterator[tuple[Path, Scope, Usage]]:
    """The module's usage and that of every function in it."""
    done: dict[ast.AST, Usage] = {}
    for path, scope in reversed(list(_scopes(tree))):
        usage = done[scope] = Usage()
        for node in _own(scope):
            usage.bound.update(bound_by(node))
            usage.used.update(used_by(node))
            if isinstance(node, ast.Global | ast.Nonlocal):
                usage.not_own.update(node.names)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                usage.take_in(done[node])
        yield path, scope, usage


def _scopes(tree: ast.Module) -> Iterator[tuple[Path, Scope]]:
    """Every scope, outer ones before those inside them."""
    waiting: list[tuple[Path, ast.AST]] = [((), tree)]
    yield (), tree
    while waiting:
        path, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            below = path
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                below = (*path, child.name)
                if not isinstance(child, ast.ClassDef):
                    yield below, child
            waiting.append((below, child))


def _own(scope: Scope) -> Iterator[ast.AST]:
    """The nodes that are evaluated in a scope; of a function inside it the `def` and what that evaluates."""
    waiting: list[ast.AST] = [*scope.body]
    if not isinstance(scope, ast.Module):
        waiting += [ast.arg(one.arg) for one in ast.walk(scope.args) if isinstance(one, ast.arg)]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
            hints = [
                node.returns,
                *(one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)),
            ]
            for hint in filter(None, hints):
                yield ast.arg("", hint)  # a string there is code, too
                waiting.append(hint)
        else:
            waiting += ast.iter_child_nodes(node)


def statements(scope: Scope) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """The statements that run in `scope` itself (not in a function or class in it), each with its parent."""
    waiting: list[ast.AST] = [scope]
    while waiting:
        parent = waiting.pop()
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.stmt):
                yield child, parent
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
                waiting.append(child)
