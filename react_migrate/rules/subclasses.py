"""Subclasses of V1's `dspy.ReAct` and what they override. Shared by the RM3xx rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.flow import classes
from react_migrate.flow.frames import Frame
from react_migrate.flow.known import RUN_METHODS, V1
from react_migrate.flow.scopes import FunctionNode, Scope, home_of, parameters
from react_migrate.flow.values import Class, Library

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile
    from react_migrate.flow.evaluate import Evaluator

HOOK = "truncate_trajectory"
MIXIN = "react_shims.TruncationHook"
LOOP_METHODS = (
    "_format_trajectory",
    "_call_with_potential_trajectory_truncation",
    "_async_call_with_potential_trajectory_truncation",
)
LOOP_ATTRIBUTES = frozenset((*LOOP_METHODS, HOOK, "react", "extract"))
LOOP_FIELDS = frozenset(("next_thought", "next_tool_name", "next_tool_args"))

FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Subclass:
    """A class of the project that derives from V1's ReAct."""

    cls: Class
    file: AnalysedFile

    @property
    def flow(self) -> Evaluator:
        return self.file.program.flow

    @property
    def hook(self) -> FunctionDef | None:
        """Its own override of `truncate_trajectory`."""
        return classes.function_in(self.cls, HOOK)

    @property
    def mixed_in(self) -> Subclass | None:
        """The plain class it has its override from: `class Lean(Shorten, dspy.ReAct)`."""
        for base in self.cls.node.bases:
            if base is self.base_to_mix_before():
                return None
            for value in self.flow.values(base, self.cls.frame):
                for cls in classes.lineage(self.flow, value) if isinstance(value, Class) else ():
                    if classes.function_in(cls, HOOK) is not None:
                        return Subclass(cls, cls.frame.file)
        return None

    def above(self) -> Iterator[Subclass]:
        """The classes of the project that it derives from and that are V1's too."""
        for cls in classes.lineage(self.flow, self.cls, above=True):
            found = Subclass(cls, cls.frame.file)
            if found.is_v1:
                yield found

    @property
    def is_v1(self) -> bool:
        return classes.library_root(self.flow, self.cls) == V1

    @property
    def has_mixin(self) -> bool:
        return MIXIN in classes.library_roots(self.flow, self.cls)

    def loop_overrides(self) -> list[FunctionDef]:
        """Its methods that replace V1's loop or reach into it."""
        found: list[FunctionDef] = []
        for name, node in classes.functions(self.cls).items():
            if name in LOOP_METHODS or (
                reaches_into_loop(node) if name in RUN_METHODS else runs_part_of_loop(node)
            ):
                found.append(node)
        return found

    def base_to_mix_before(self) -> ast.expr | None:
        """The base, as written, through which the class derives from V1's ReAct."""
        for base in self.cls.node.bases:
            for value in self.flow.values(base, self.cls.frame):
                if isinstance(value, Library) and value.path == V1:
                    return base
                if isinstance(value, Class) and classes.library_root(self.flow, value) == V1:
                    return base
        return None

    def may_stand_on_v1(self, base: ast.expr) -> bool:
        """Whether a base, as written, is DSPy's own class at some times only, or is only of a type."""
        values = self.flow.values(base, self.cls.frame)
        if not any(isinstance(value, Library) and value.path == V1 for value in values):
            return False
        return len(values) > 1 or _is_annotated_parameter(base, self.cls.frame.scope)


def _is_annotated_parameter(node: ast.expr, scope: Scope) -> bool:
    home = home_of(node.id, scope) if isinstance(node, ast.Name) else None
    if home is None or not isinstance(node, ast.Name) or not isinstance(home.node, FunctionNode):
        return False
    return any(arg.arg == node.id and arg.annotation for arg in parameters(home.node.args))


def subclasses(file: AnalysedFile) -> Iterator[Subclass]:
    """The file's classes that derive from V1's ReAct, directly or through other files."""
    for node, scope in file.index.nodes[ast.ClassDef]:
        assert isinstance(node, ast.ClassDef)
        if node.bases:
            found = Subclass(Class(node, frame_of(file, scope)), file)
            if found.is_v1:
                yield found


def frame_of(file: AnalysedFile, scope: Scope) -> Frame:
    """The frame that stands for every run of a scope."""
    return file.program.flow.frames.general(scope)


def runs_part_of_loop(function: FunctionDef) -> bool:
    """Whether a helper does what only V1's loop does: call its predictors, or read what they predict."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in LOOP_FIELDS:
            return True
        if isinstance(node, ast.Call) and _is_part_of_loop(node.func):
            return True
    return False


def _is_part_of_loop(called: ast.expr) -> bool:
    """`self.react`, `self.extract.acall`, `self._format_trajectory`."""
    if isinstance(called, ast.Attribute) and called.attr in RUN_METHODS:
        called = called.value
    if not isinstance(called, ast.Attribute) or called.attr not in LOOP_ATTRIBUTES - {HOOK}:
        return False
    return isinstance(called.value, ast.Name) and called.value.id == "self"


def reaches_into_loop(function: FunctionDef) -> bool:
    """Whether a method uses what only V1's loop has; calling `super()` is not that."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute):
            if node.attr in LOOP_FIELDS:
                return True
            if node.attr in LOOP_ATTRIBUTES and isinstance(node.value, ast.Name) and node.value.id == "self":
                return True
    return False
