"""Scopes as they run: a scope, the frame around it, and the call that started it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from react_migrate.flow.program import AnalysedFile
    from react_migrate.flow.scopes import Scope
    from react_migrate.flow.values import CallSite, Value, Values

# Calls are told apart down to this depth; below it a function is judged once, for all its callers together.
MAX_DEPTH = 3


@dataclass(frozen=True)
class Binding:
    """How one call fills a function's parameters.

    `receiver` goes into the first parameter of a method, then come the values in `given` (of calls that no
    code writes out: a decorator's function, a metric's prediction), then the arguments of the
    `functools.partial` calls in `fixed`, then those of the call at `site`. `skip` counts leading arguments
    that the caller keeps for itself (`executor.submit(f, x)` calls `f(x)`); with `mapped` the function gets
    the elements of what is passed.
    """

    site: CallSite | None
    receiver: Value | None = None
    given: tuple[Values, ...] = ()
    fixed: tuple[CallSite, ...] = ()
    skip: int = 0
    mapped: bool = False

    @property
    def caller(self) -> Frame | None:
        """The frame that makes the call; of a call that nobody wrote, the one that made the receiver."""
        made = self.site or getattr(self.receiver, "made", None)
        return made.frame if made is not None else None


@dataclass(frozen=True, eq=False)
class Frame:
    """One activation of a scope. Without a `binding` it stands for all of them.

    Frames are made by `Frames`, once each, so that the same frame is the same object.
    """

    scope: Scope
    parent: Frame | None
    binding: Binding | None
    depth: int

    @property
    def file(self) -> AnalysedFile:
        return self.scope.file


class Frames:
    """All the frames of a program."""

    def __init__(self) -> None:
        self._made: dict[tuple[Scope, Frame | None, Binding | None], Frame] = {}
        self._general: dict[Scope, Frame] = {}

    def general(self, scope: Scope) -> Frame:
        """The frame that stands for every activation of the scope."""
        frame = self._general.get(scope)
        if frame is None:
            parent = self.general(scope.parent) if scope.parent is not None else None
            frame = self._general[scope] = self._frame(scope, parent, None, 0)
        return frame

    def inside(self, scope: Scope, parent: Frame) -> Frame:
        """The frame of a class body, comprehension or uncalled function that stands in `parent`."""
        return self._frame(scope, parent, None, parent.depth)

    def called(self, scope: Scope, parent: Frame, binding: Binding) -> Frame:
        """The frame of one call; the general one where telling calls apart leads nowhere: nested too deep,
        or in a function that calls itself."""
        binding = _without_arguments(binding)
        caller = binding.caller or parent
        if caller.depth >= MAX_DEPTH or _is_running(scope, caller):
            return self.inside(scope, parent)
        return self._frame(scope, parent, binding, caller.depth + 1)

    def _frame(self, scope: Scope, parent: Frame | None, binding: Binding | None, depth: int) -> Frame:
        key = (scope, parent, binding)
        frame = self._made.get(key)
        if frame is None:
            frame = self._made[key] = Frame(scope, parent, binding, depth)
        return frame


def _without_arguments(binding: Binding) -> Binding:
    """Calls that pass nothing are all the same call."""
    site = binding.site
    if site is None or site.node.args or site.node.keywords or binding.fixed or binding.given:
        return binding
    return Binding(None, binding.receiver)


def _is_running(scope: Scope, frame: Frame) -> bool:
    """Whether code of the scope leads to this frame."""
    current: Frame | None = frame
    while current is not None and current.binding is not None:
        if current.scope is scope:
            return True
        current = current.binding.caller or current.parent
    return current is not None and current.scope is scope


def module_of(frame: Frame) -> Frame:
    """The outermost frame."""
    while frame.parent is not None:
        frame = frame.parent
    return frame


def first_parameter(node: ast.AST) -> str | None:
    """The name that receives `self` or `cls`, if the function has a parameter at all."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return None
    args = [*node.args.posonlyargs, *node.args.args]
    return args[0].arg if args else None
