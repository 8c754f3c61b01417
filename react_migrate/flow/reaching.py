"""Which definitions of a name can reach a use of it, inside one scope, in the order the code runs.

One forward pass over a scope's statements. The environment maps each name to the definitions that may be
in force; branches are followed apart and joined, loops are followed until nothing new comes round.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from react_migrate.flow.nodes import FIELDS
from react_migrate.flow.scopes import (
    COMPREHENSIONS,
    STAR,
    Comprehension,
    How,
    Part,
    Scope,
    Step,
    bound_by_import,
    paired,
    parameters,
    terminal,
)


@dataclass(eq=False)
class Definition:
    """One place where a name gets a value. `path` leads through unpacking: `(1,)` to `a` of `(_, a)`."""

    scope: Scope
    name: str
    how: How
    node: ast.AST
    path: tuple[Step, ...] = ()
    alias: ast.alias | None = None  # of an import
    previous: tuple[Definition, ...] = ()  # of an augmented assignment


Environment = dict[str, tuple[Definition, ...]]


@dataclass
class Reaching:
    """What the pass over one scope found."""

    loads: dict[ast.Name, tuple[Definition, ...]] = field(default_factory=dict)
    everywhere: dict[str, list[Definition]] = field(default_factory=dict)  # all definitions, in source order
    at_end: Environment = field(default_factory=dict)
    stars: list[ast.ImportFrom] = field(default_factory=list)  # `from m import *`


def join(*environments: Environment | None) -> Environment | None:
    """What may be in force where paths meet; `None` is a path that is never taken."""
    taken = [env for env in environments if env is not None]
    if len(taken) < 2:
        return dict(taken[0]) if taken else None
    joined = dict(taken[0])
    for env in taken[1:]:
        for name, definitions in env.items():
            known = joined.get(name)
            if known is None:
                joined[name] = definitions
            elif known is not definitions:
                joined[name] = known + tuple(d for d in definitions if d not in known)
    return joined


def reaching_definitions(scope: Scope) -> Reaching:
    """Follow every path through the scope's own code."""
    walk = _Pass(scope)
    node = scope.node
    if isinstance(node, COMPREHENSIONS):
        walk.comprehension_targets(node)
        return walk.result
    if not isinstance(node, (ast.Module, ast.ClassDef)):
        for arg in parameters(node.args):
            walk.bind(arg.arg, How.PARAMETER, arg)
    if isinstance(node, ast.Lambda):
        walk.expression(node.body)
    else:
        walk.block(node.body)
    walk.result.at_end = join(walk.env, *walk.ends) or {}
    return walk.result


class _Pass:
    """The state of one pass: the environment here (`None` after a `return`), and where jumps lead."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.result = Reaching()
        self.env: Environment | None = {}
        self.ends: list[Environment | None] = []  # environments at `return`
        self.breaks: list[Environment | None] = []
        self.continues: list[Environment | None] = []
        self.raised: list[list[Environment | None]] = []  # what each enclosing `try` may hand its handlers
        self.made: dict[tuple[int, str, tuple[Step, ...]], Definition] = {}
        self.rounds: dict[ast.stmt, Environment | None] = {}  # what loops were seen to bring round

    # -- binding

    def bind(
        self,
        name: str,
        how: How,
        node: ast.AST,
        path: tuple[Step, ...] = (),
        alias: ast.alias | None = None,
        previous: tuple[Definition, ...] = (),
    ) -> None:
        """The name has this definition, and no other, from here on."""
        key = (id(alias or node), name, path)
        definition = self.made.get(key)
        if definition is None:
            definition = self.made[key] = Definition(self.scope, name, how, node, path, alias, previous)
            self.result.everywhere.setdefault(name, []).append(definition)
        elif previous:
            definition.previous = tuple(dict.fromkeys((*definition.previous, *previous)))
        if self.env is not None:
            self.env[name] = (definition,)

    def assign(self, target: ast.AST, how: How, node: ast.AST, path: tuple[int, ...] = ()) -> None:
        """Bind the names in an assignment target; what stands in other targets is only read."""
        if isinstance(target, ast.Name):
            self.bind(target.id, how, node, path)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for position, element in enumerate(target.elts):
                if isinstance(element, ast.Starred):
                    self.assign(element.value, how, node, (*path, STAR))
                else:
                    self.assign(element, how, node, (*path, position))
        else:
            self.expression(target)

    # -- expressions

    def expression(self, root: ast.AST | None) -> None:
        """Record every name that the expression reads, and bind what its walruses bind, in order."""
        todo: list[Any] = [root]
        while todo:
            node = todo.pop()
            kind = node.__class__
            if kind is ast.Name:
                if node.ctx.__class__ is ast.Load:
                    self.load(node)
            elif kind is ast.NamedExpr:
                self.expression(node.value)
                self.bind(node.target.id, How.VALUE, node.value)
            elif kind is ast.Lambda:
                todo.extend((*node.args.defaults, *node.args.kw_defaults))
            elif kind is ast.IfExp:
                todo.extend((node.orelse, node.body, node.test))
            elif kind in COMPREHENSIONS:
                todo.extend(reversed(_in_running_order(node)))
            else:
                for name in reversed(FIELDS[kind]):
                    child = getattr(node, name, None)
                    if child.__class__ is list:
                        todo.extend(reversed(child))
                    else:
                        todo.append(child)

    def load(self, node: ast.Name) -> None:
        if self.env is None:
            return
        found = self.env.get(node.id)
        if found is not None:
            known = self.result.loads.get(node, ())
            self.result.loads[node] = known + tuple(d for d in found if d not in known) if known else found

    def comprehension_targets(self, node: Comprehension) -> None:
        for generator in node.generators:
            self.assign(generator.target, How.ELEMENT, generator.iter)

    # -- statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = _STATEMENTS.get(type(statement))
            if method is not None:
                method(self, statement)
            else:
                self.expression(statement)
            if self.raised and self.env is not None and self.env != self.raised[-1][-1]:
                self.raised[-1].append(dict(self.env))

    def assignment(self, node: ast.Assign) -> None:
        self.expression(node.value)
        for target in node.targets:
            self.unpack(target, node.value)

    def unpack(self, target: ast.expr, value: ast.expr) -> None:
        """`a, b = x, y` binds each name to its own expression."""
        pairs = paired(target, value) if isinstance(target, (ast.Tuple, ast.List)) else None
        if pairs is None or not isinstance(target, (ast.Tuple, ast.List)):
            self.assign(target, How.VALUE, value)
            return
        for element, part in zip(target.elts, pairs, strict=True):
            self.assign(element, How.VALUE, part)

    def annotated(self, node: ast.AnnAssign) -> None:
        self.expression(node.annotation)
        self.expression(node.value)
        if node.value is not None:
            self.assign(node.target, How.VALUE, node.value)
        elif isinstance(node.target, ast.Name):
            self.bind(node.target.id, How.ANNOTATED, node.annotation)

    def augmented(self, node: ast.AugAssign) -> None:
        self.expression(node.value)
        if isinstance(node.target, ast.Name):
            before = (self.env or {}).get(node.target.id, ())
            self.bind(node.target.id, How.AUGMENTED, node, previous=before)
        else:
            self.expression(node.target)

    def deleted(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                if self.env is not None:
                    self.env.pop(target.id, None)
            else:
                self.expression(target)

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                if isinstance(node, ast.ImportFrom) and node not in self.result.stars:
                    self.result.stars.append(node)
            else:
                name = alias.asname or bound_by_import(node, alias)
                before = (self.env or {}).get(name, ()) if isinstance(node, ast.Import) else ()
                self.bind(name, How.IMPORTED, node, alias=alias)
                if self.env is not None and alias.asname is None:
                    # `import a.b` after `import a.c` leaves one and the same `a`.
                    siblings = [d for d in before if isinstance(d.node, ast.Import) and d.alias is not alias]
                    self.env[name] = (*siblings, *self.env[name])

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            self.expression(part)
        for annotation in (*(arg.annotation for arg in parameters(node.args)), node.returns):
            self.expression(annotation)
        self.bind(node.name, How.FUNCTION, node)

    def class_(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.expression(part)
        self.bind(node.name, How.CLASS, node)

    def leave(self, node: ast.Return | ast.Raise) -> None:
        self.expression(node)
        if isinstance(node, ast.Return):
            self.ends.append(self.env)
        self.env = None

    def break_(self, _: ast.Break) -> None:
        self.breaks.append(self.env)
        self.env = None

    def continue_(self, _: ast.Continue) -> None:
        self.continues.append(self.env)
        self.env = None

    def if_(self, node: ast.If) -> None:
        self.expression(node.test)
        before = self.env
        after = []
        for branch in (node.body, node.orelse):
            self.env = join(before)
            self.block(branch)
            after.append(self.env)
        self.env = join(*after)

    def loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        if not isinstance(node, ast.While):
            self.expression(node.iter)
        outer = self.breaks, self.continues
        entry = self.env
        seen = self.rounds.get(node)  # of an outer loop's last round; else nested loops would double the work
        while True:
            self.breaks, self.continues = [], []
            self.env = join(entry, seen)
            if isinstance(node, ast.While):
                self.expression(node.test)
            else:
                self.assign(node.target, How.ELEMENT, node.iter)
            self.block(node.body)
            again = join(self.env, *self.continues, seen)
            if again == seen:
                break
            seen = again
        self.rounds[node] = again
        out = self.breaks
        self.breaks, self.continues = outer
        self.env = join(entry, again)
        if isinstance(node, ast.While):
            self.expression(node.test)
            if isinstance(node.test, ast.Constant) and node.test.value:
                self.env = None  # only a `break` leads out
        self.block(node.orelse)
        self.env = join(self.env, *out)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.expression(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, How.ENTERED, item.context_expr)
        if any(_swallows(item.context_expr) for item in node.items):
            self.env = join(self.env, self.anywhere_in(lambda: self.block(node.body)))
        else:
            self.block(node.body)

    def try_(self, node: ast.Try) -> None:
        before = join(self.env)
        interrupted = self.anywhere_in(lambda: self.guarded(node))
        if node.finalbody:
            leaves = self.env
            self.env = join(before, interrupted)  # an exception or a `return` may come after any statement
            self.block(node.finalbody)
            self.env = leaves
            self.block(node.finalbody)

    def guarded(self, node: ast.Try) -> None:
        """A `try` without its `finally`."""
        anywhere = self.anywhere_in(lambda: self.block(node.body))
        self.block(node.orelse)
        after = [self.env]
        for handler in node.handlers:
            self.env = join(anywhere)
            self.expression(handler.type)
            if handler.name is not None:
                self.bind(handler.name, How.EXCEPTION, handler)
            self.block(handler.body)
            after.append(self.env)
        self.env = join(*after)

    def anywhere_in(self, run: Callable[[], None]) -> Environment | None:
        """Follow some statements; what may be in force when one of them raises."""
        self.raised.append([join(self.env)])
        run()
        found = join(*self.raised.pop())
        if self.raised:
            self.raised[-1].append(found)  # what no handler here takes goes on to the next
        return found

    def match(self, node: ast.Match) -> None:
        self.expression(node.subject)
        before = self.env
        after = []
        for case in node.cases:
            self.env = join(before)
            self.pattern(case.pattern, node.subject, ())
            self.expression(case.guard)
            self.block(case.body)
            after.append(self.env)
        self.env = join(before, *after)

    def pattern(self, pattern: ast.pattern, subject: ast.expr, path: tuple[Step, ...] | None) -> None:
        """Bind the captures of a pattern for what a path leads to in the subject, if one is known."""
        if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name is not None:
            if path is None:
                self.bind(pattern.name, How.MATCHED, pattern)
            else:
                self.bind(pattern.name, How.VALUE, subject, path)
        if isinstance(pattern, ast.MatchMapping) and pattern.rest is not None:
            self.bind(pattern.rest, How.MATCHED, pattern)
        if isinstance(pattern, ast.MatchOr):
            self.any_pattern(pattern.patterns, subject, path)
            return
        steps = dict(_steps(pattern))
        for part in ast.iter_child_nodes(pattern):
            if not isinstance(part, ast.pattern):
                self.expression(part)
            elif path is None or part not in steps:
                self.pattern(part, subject, None)
            else:
                self.pattern(part, subject, (*path, *steps[part]))

    def any_pattern(
        self, patterns: list[ast.pattern], subject: ast.expr, path: tuple[Step, ...] | None
    ) -> None:
        before = self.env
        after = []
        for pattern in patterns:
            self.env = join(before)
            self.pattern(pattern, subject, path)
            after.append(self.env)
        self.env = join(*after)


def _steps(pattern: ast.pattern) -> Iterator[tuple[ast.pattern, tuple[Step, ...]]]:
    """The patterns in a pattern, with the steps from its subject to theirs, as far as these are known."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        yield pattern.pattern, ()
    elif isinstance(pattern, ast.MatchSequence):
        for position, element in enumerate(pattern.patterns):
            if isinstance(element, ast.MatchStar):
                yield element, (Part(STAR),)
                break
            yield element, (Part(position),)
    elif isinstance(pattern, ast.MatchMapping):
        for key, value in zip(pattern.keys, pattern.patterns, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield value, (Part(key.value),)
    elif isinstance(pattern, ast.MatchClass):
        for position, field_ in enumerate(pattern.patterns):
            yield field_, (Part(position, pattern.cls),)
        for name, field_ in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            yield field_, (Part(name, pattern.cls),)


_SWALLOWERS = frozenset(("suppress", "raises", "assertRaises", "assertRaisesRegex"))


def _swallows(context: ast.expr) -> bool:
    """Whether a `with` goes on below its body when that raises: `suppress(...)`, `pytest.raises(...)`."""
    return isinstance(context, ast.Call) and terminal(context.func) in _SWALLOWERS


def _in_running_order(node: Comprehension) -> list[ast.AST]:
    parts: list[ast.AST] = []
    for generator in node.generators:
        parts.extend((generator.iter, *generator.ifs))
    parts.extend((node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,))
    return parts


_STATEMENTS: dict[type[ast.AST], Callable[[_Pass, Any], None]] = {
    ast.Assign: _Pass.assignment,
    ast.AnnAssign: _Pass.annotated,
    ast.AugAssign: _Pass.augmented,
    ast.Delete: _Pass.deleted,
    ast.Import: _Pass.imported,
    ast.ImportFrom: _Pass.imported,
    ast.FunctionDef: _Pass.function,
    ast.AsyncFunctionDef: _Pass.function,
    ast.ClassDef: _Pass.class_,
    ast.Return: _Pass.leave,
    ast.Raise: _Pass.leave,
    ast.Break: _Pass.break_,
    ast.Continue: _Pass.continue_,
    ast.If: _Pass.if_,
    ast.For: _Pass.loop,
    ast.AsyncFor: _Pass.loop,
    ast.While: _Pass.loop,
    ast.With: _Pass.with_,
    ast.AsyncWith: _Pass.with_,
    ast.Try: _Pass.try_,
    ast.Match: _Pass.match,
}
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _Pass.try_
