"""RM302: `truncate_trajectory` in a shape that the mixin cannot call, or patched in from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import parameters
from react_migrate.flow.values import Container, NoValue, Value
from react_migrate.rules.patches import replaced
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.subclasses import HOOK, Subclass, subclasses

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class TruncationShape(Rule):
    """RM302 truncation-shape.

    V1 calls `self.truncate_trajectory(trajectory)` and goes on with the dict that it returns. An override
    that takes other arguments, is a coroutine, or returns something else (a tuple, nothing) did not work on
    V1 as written, or is called by code of your own; and one that is assigned to an agent from outside is not
    found by the mixin of RM301.

    There is no fix: bring the override to `def truncate_trajectory(self, trajectory)` returning a dict, in a
    subclass, and RM301 does the rest.
    """

    code = "RM302"
    summary = "this truncate_trajectory cannot be carried over to DSPy 3.5 as it is"
    fix = Fix.MANUAL
    triggers = (b"truncate_trajectory", b"ReAct")
    examples = (
        Example(
            """\
import dspy


class Lean(dspy.ReAct):
    def truncate_trajectory(self, trajectory, budget):
        return trajectory
"""
        ),
        Example(
            """\
import dspy

agent = dspy.ReAct("question -> answer", tools=[])
agent.truncate_trajectory = lambda trajectory: {}
"""
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for subclass in subclasses(file):
            problem = trouble(subclass)
            mixin = subclass.mixed_in if subclass.hook is None else None
            if problem is None and mixin is not None and trouble(mixin) is not None:
                problem = subclass.cls.node.bases[0], "the override that is mixed in does not fit"
            if problem is not None and not subclass.loop_overrides():
                node, what = problem
                message = f"{what}: V1's contract is `truncate_trajectory(self, trajectory)` returning a dict"
                yield Finding(self.code, file.span(node), message, self.fix)
        for node in replaced(file, HOOK):
            message = "a truncate_trajectory put in from outside is never called on DSPy 3.5"
            yield Finding(self.code, file.span(node), message, self.fix)


def trouble(subclass: Subclass) -> tuple[ast.stmt | ast.expr, str] | None:
    """What is wrong with a class's own override, and where; None when it has V1's shape or there is none."""
    hook = subclass.hook
    if hook is None:
        return _assigned(subclass)
    if isinstance(hook, ast.AsyncFunctionDef):
        return hook, "this override is a coroutine"
    if any(
        isinstance(mark, ast.Name) and mark.id in {"staticmethod", "classmethod"}
        for mark in hook.decorator_list
    ):
        return hook, "this override is not an instance method"
    if not _takes_one(hook):
        return hook, "this override takes other arguments"
    scope = subclass.file.index.scopes[hook]
    if scope.yields:
        return hook, "this override is a generator"
    returned = [subclass.file.values(node.value, scope) for node in scope.returns if node.value is not None]
    if all(value == {NoValue()} for value in returned) and not _only_raises(hook):
        return hook, "this override returns nothing"
    if any(_is_sequence(value) for values in returned for value in values):
        return hook, "this override does not return a dict"
    return None


def _is_sequence(value: Value) -> bool:
    return isinstance(value, Container) and isinstance(value.node, (ast.Tuple, ast.List, ast.Set))


def _assigned(subclass: Subclass) -> tuple[ast.stmt, str] | None:
    """`truncate_trajectory = something` in the class's body."""
    for statement in subclass.cls.node.body:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        if any(isinstance(target, ast.Name) and target.id == HOOK for target in targets):
            return statement, "this override is not written as a method"
    return None


def _takes_one(hook: ast.FunctionDef) -> bool:
    """Whether `hook(self, trajectory)` is a legal call."""
    args = hook.args
    positional = [*args.posonlyargs, *args.args]
    required = len(positional) - len(args.defaults)
    enough = len(positional) >= 2 or (bool(positional) and args.vararg is not None)
    keyword_only = [a for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is None]
    return enough and required <= 2 and not keyword_only and bool(parameters(args))


def _only_raises(hook: ast.FunctionDef) -> bool:
    """An override that gives up: `raise` is all it does."""
    return isinstance(hook.body[-1], ast.Raise)
