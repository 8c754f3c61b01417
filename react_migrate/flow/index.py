"""One walk over one file's tree: its scopes, and the nodes that questions are asked about."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from react_migrate.flow.nodes import FIELDS
from react_migrate.flow.scopes import (
    STAR,
    Comprehension,
    How,
    Scope,
    ScopeNode,
    bound_by_import,
    paired,
    parameters,
    terminal,
)

if TYPE_CHECKING:
    from react_migrate.flow.program import AnalysedFile


@dataclass(frozen=True, eq=False)
class Store:
    """An assignment to an attribute or an item: `target = value`, or a part of `value` by unpacking."""

    target: ast.Attribute | ast.Subscript
    value: ast.expr
    path: tuple[int, ...]
    scope: Scope
    how: How


@dataclass
class Index:
    """The nodes of a file by what they are called, each with the scope it stands in."""

    scopes: dict[ast.AST, Scope] = field(default_factory=dict)
    attributes: dict[str, list[tuple[ast.Attribute, Scope]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    names: dict[str, list[tuple[ast.Name, Scope]]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[tuple[ast.Call, Scope]]] = field(default_factory=lambda: defaultdict(list))
    keywords: dict[str, list[tuple[ast.Call, Scope]]] = field(default_factory=lambda: defaultdict(list))
    strings: dict[str, list[tuple[ast.Constant, Scope]]] = field(default_factory=lambda: defaultdict(list))
    attribute_stores: dict[str, list[Store]] = field(default_factory=lambda: defaultdict(list))
    item_stores: list[Store] = field(default_factory=list)
    all_calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    nodes: dict[type[ast.AST], list[tuple[ast.AST, Scope]]] = field(default_factory=lambda: defaultdict(list))

    @cached_property
    def aliases(self) -> dict[str, set[str]]:
        """By name, what else it is called: `import f as g`, `g = f`, `g = partial(f, 1)`."""
        found: dict[str, set[str]] = defaultdict(set)
        for statement, _ in self.nodes[ast.ImportFrom]:
            assert isinstance(statement, ast.ImportFrom)
            for alias in statement.names:
                if alias.asname is not None:
                    found[alias.name].add(alias.asname)
        for statement, _ in self.nodes[ast.Assign]:
            assert isinstance(statement, ast.Assign)
            value = statement.value
            targets = set(filter(None, map(terminal, statement.targets)))
            for held in (value, *(value.args if isinstance(value, ast.Call) else ())):
                name = terminal(held)
                if name is not None:
                    found[name] |= targets
        return dict(found)

    @cached_property
    def names_given(self) -> dict[ast.expr, set[str]]:
        """By expression, the names, of variables and attributes, that its value is assigned to."""
        found: dict[ast.expr, set[str]] = defaultdict(set)
        for statement, _ in (*self.nodes[ast.Assign], *self.nodes[ast.AnnAssign]):
            assert isinstance(statement, (ast.Assign, ast.AnnAssign))
            if statement.value is not None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                found[statement.value].update(filter(None, map(terminal, targets)))
        return dict(found)


# Kinds that rules and the evaluator ask for as a whole.
_KEPT: frozenset[type[ast.AST]] = frozenset(
    (
        *(ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
        *(
            ast.Subscript,
            ast.Compare,
            ast.For,
            ast.AsyncFor,
            ast.comprehension,
            ast.Dict,
            ast.Assign,
            ast.AnnAssign,
        ),
        *(ast.IfExp, ast.If, ast.Try, ast.JoinedStr, ast.MatchClass, ast.ExceptHandler, ast.Delete),
    )
)


def build_index(file: AnalysedFile, tree: ast.Module) -> Index:
    """The index of one parsed module."""
    return _Walk(file, tree).run()


class _Walk:
    """A plain loop over the nodes, in source order: recursion would cost more and end at deep nesting.

    A node kind with its own method binds names, opens a scope or sends its children to different scopes;
    the method says whether it has queued the children itself.
    """

    def __init__(self, file: AnalysedFile, tree: ast.Module) -> None:
        self.file = file
        self.index = Index()
        self.module = self.index.scopes[tree] = Scope(file, tree, None)
        self.declared: list[tuple[Scope, ast.Global | ast.Nonlocal]] = []
        self.todo: list[tuple[ast.AST, Scope]] = []
        self.queue(tree.body, self.module)

    def queue(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        self.todo.extend((node, scope) for node in reversed(list(nodes)) if node is not None)

    def run(self) -> Index:
        todo, kept, methods = self.todo, self.index.nodes, _METHODS
        while todo:
            node, scope = todo.pop()
            kind = node.__class__
            if kind in _KEPT:
                kept[kind].append((node, scope))
            method = methods.get(kind)
            if method is not None and method(self, node, scope):
                continue
            for name in reversed(FIELDS[kind]):
                child = getattr(node, name, None)
                if child.__class__ is list:
                    todo.extend([(item, scope) for item in reversed(child) if isinstance(item, ast.AST)])
                elif child is not None:
                    todo.append((child, scope))
        for scope, statement in self.declared:
            self.settle(scope, statement)
        return self.index

    def name(self, node: ast.Name, scope: Scope) -> bool:
        if node.ctx.__class__ is ast.Load:
            self.index.names[node.id].append((node, scope))
        else:
            scope.bound.add(node.id)
        return True

    def constant(self, node: ast.Constant, scope: Scope) -> bool:
        if node.value.__class__ is str and len(node.value) < 200:
            self.index.strings[node.value].append((node, scope))
        return True

    def attribute(self, node: ast.Attribute, scope: Scope) -> bool:
        self.index.attributes[node.attr].append((node, scope))
        self.todo.append((node.value, scope))
        return True

    def call(self, node: ast.Call, scope: Scope) -> bool:
        self.index.all_calls.append((node, scope))
        name = terminal(node.func)
        if name is not None:
            self.index.calls[name].append((node, scope))
        for keyword in node.keywords:
            if keyword.arg is not None:
                self.index.keywords[keyword.arg].append((node, scope))
        if name == "setattr":
            self.set_by_name(node, scope)
        return False

    def set_by_name(self, node: ast.Call, scope: Scope) -> None:
        """`setattr(thing, "name", value)` (and pytest's `monkeypatch.setattr`) as the assignment it is."""
        if len(node.args) == 3:
            thing, name, value = node.args
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                target = ast.copy_location(ast.Attribute(thing, name.value, ast.Store()), node)
                self.store(target, value, (), scope, How.VALUE)

    def assigned(self, node: ast.Assign, scope: Scope) -> bool:
        for target in node.targets:
            if target.__class__ is not ast.Name:
                self.store(target, node.value, (), scope, How.VALUE)
        return False

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> bool:
        if isinstance(node.target, ast.Attribute):
            how = How.ANNOTATED if node.value is None else How.VALUE
            self.store(node.target, node.value or node.annotation, (), scope, how)
        return False

    def augmented(self, node: ast.AugAssign, scope: Scope) -> bool:
        """`self.runs += [r]` may be the list on its right as well as what it was."""
        self.store(node.target, node.value, (), scope, How.VALUE)
        return False

    def looped(self, node: ast.For | ast.AsyncFor, scope: Scope) -> bool:
        self.store(node.target, node.iter, (), scope, How.ELEMENT)
        return False

    def entered(self, node: ast.withitem, scope: Scope) -> bool:
        if node.optional_vars is not None:
            self.store(node.optional_vars, node.context_expr, (), scope, How.ENTERED)
        return False

    def store(self, target: ast.expr, value: ast.expr, path: tuple[int, ...], scope: Scope, how: How) -> None:
        if isinstance(target, ast.Attribute):
            self.index.attribute_stores[target.attr].append(Store(target, value, path, scope, how))
        elif isinstance(target, ast.Subscript):
            self.index.item_stores.append(Store(target, value, path, scope, how))
        elif isinstance(target, (ast.Tuple, ast.List)):
            pairs = paired(target, value) if not path else None
            for position, element in enumerate(target.elts):
                if pairs is not None:
                    self.store(element, pairs[position], (), scope, how)
                elif isinstance(element, ast.Starred):
                    self.store(element.value, value, (*path, STAR), scope, how)
                else:
                    self.store(element, value, (*path, position), scope, how)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
        scope.bound.add(node.name)
        inner = self.open(node, scope)
        self.queue(node.body, inner)
        self.signature(node.args, scope, inner)
        self.queue([*node.decorator_list, node.returns], scope)
        return True

    def lambda_(self, node: ast.Lambda, scope: Scope) -> bool:
        inner = self.open(node, scope)
        self.todo.append((node.body, inner))
        self.signature(node.args, scope, inner)
        return True

    def signature(self, args: ast.arguments, outer: Scope, inner: Scope) -> None:
        for arg in parameters(args):
            inner.bound.add(arg.arg)
            self.queue([arg.annotation], outer)
        self.queue([*args.defaults, *args.kw_defaults], outer)

    def class_(self, node: ast.ClassDef, scope: Scope) -> bool:
        scope.bound.add(node.name)
        self.queue(node.body, self.open(node, scope))
        self.queue([*node.decorator_list, *node.bases, *node.keywords], scope)
        return True

    def comprehension(self, node: Comprehension, scope: Scope) -> bool:
        inner = self.open(node, scope)
        first, *rest = node.generators
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.queue([first.target, *first.ifs, *rest, *elements], inner)
        self.todo.append((first.iter, scope))
        self.index.nodes[ast.comprehension].append((first, inner))
        return True

    def walrus(self, node: ast.NamedExpr, scope: Scope) -> bool:
        scope.owner().bound.add(node.target.id)
        self.todo.append((node.value, scope))
        return True

    def imported(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> bool:
        for alias in node.names:
            if alias.name != "*":
                scope.bound.add(alias.asname or bound_by_import(node, alias))
        return True

    def handler(self, node: ast.ExceptHandler, scope: Scope) -> bool:
        if node.name is not None:
            scope.bound.add(node.name)
        return False

    def capture(self, node: ast.MatchAs | ast.MatchStar, scope: Scope) -> bool:
        if node.name is not None:
            scope.bound.add(node.name)
        return False

    def rest(self, node: ast.MatchMapping, scope: Scope) -> bool:
        if node.rest is not None:
            scope.bound.add(node.rest)
        return False

    def declare(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> bool:
        self.declared.append((scope, node))
        return True

    def returned(self, node: ast.Return, scope: Scope) -> bool:
        scope.returns.append(node)
        return False

    def yielded(self, node: ast.Yield | ast.YieldFrom, scope: Scope) -> bool:
        scope.owner().yields.append(node)
        return False

    def open(self, node: ScopeNode, parent: Scope) -> Scope:
        scope = self.index.scopes[node] = Scope(self.file, node, parent)
        return scope

    def settle(self, scope: Scope, statement: ast.Global | ast.Nonlocal) -> None:
        """A declared name is not bound here; the scope it belongs to learns who else writes it."""
        for name in statement.names:
            home: Scope | None = self.module
            if isinstance(statement, ast.Nonlocal):
                home = scope.enclosing()
                while home is not None and name not in home.bound:
                    home = home.enclosing()
            if home is None or home is scope:
                continue
            scope.elsewhere[name] = home
            if name in scope.bound:
                scope.bound.discard(name)
                home.bound.add(name)
                home.writers[name].append(scope)


_METHODS: dict[type[ast.AST], Callable[[_Walk, Any, Scope], bool]] = {
    ast.Name: _Walk.name,
    ast.Constant: _Walk.constant,
    ast.Attribute: _Walk.attribute,
    ast.Call: _Walk.call,
    ast.Assign: _Walk.assigned,
    ast.AnnAssign: _Walk.annotated,
    ast.AugAssign: _Walk.augmented,
    ast.For: _Walk.looped,
    ast.AsyncFor: _Walk.looped,
    ast.withitem: _Walk.entered,
    ast.FunctionDef: _Walk.function,
    ast.AsyncFunctionDef: _Walk.function,
    ast.Lambda: _Walk.lambda_,
    ast.ClassDef: _Walk.class_,
    ast.ListComp: _Walk.comprehension,
    ast.SetComp: _Walk.comprehension,
    ast.DictComp: _Walk.comprehension,
    ast.GeneratorExp: _Walk.comprehension,
    ast.NamedExpr: _Walk.walrus,
    ast.Import: _Walk.imported,
    ast.ImportFrom: _Walk.imported,
    ast.ExceptHandler: _Walk.handler,
    ast.MatchAs: _Walk.capture,
    ast.MatchStar: _Walk.capture,
    ast.MatchMapping: _Walk.rest,
    ast.Global: _Walk.declare,
    ast.Nonlocal: _Walk.declare,
    ast.Return: _Walk.returned,
    ast.Yield: _Walk.yielded,
    ast.YieldFrom: _Walk.yielded,
}
