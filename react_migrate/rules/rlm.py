"""What the RM7xx rules ask about calls and values: does this make an RLM, run one, is it one?

Every question first asks whether an RLM can get into the file at all: most files need no evaluation.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import classes
from react_migrate.flow.known import RLM, RUN_METHODS
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import Class, Instance, Library, Method, Partial, Super, Value, Values

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile
    from react_migrate.flow.evaluate import Evaluator


def makes_rlm(file: AnalysedFile, call: ast.Call, scope: Scope) -> bool:
    """Whether the call's arguments go to the constructor of an RLM: `RLM(...)`, `partial(RLM, ...)`, a
    subclass without an `__init__` of its own, `super().__init__(...)` in one with it."""
    if not file.within_reach_of_rlm:
        return False
    if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
        above = file.values(call.func.value, scope)
        return bool(above) and all(_is_above_rlm(file, value) for value in above)
    values = called_by(file, call, scope)
    return bool(values) and all(is_constructor(file.program.flow, value) for value in values)


def called_like_a_class(call: ast.Call) -> bool:
    """Whether a call may make an object, by the looks of it. Most calls in a file do not; to evaluate what
    they call would lead through the whole project."""
    called = call.args[0] if terminal(call.func) == "partial" and call.args else call.func
    name = terminal(called)
    return name is None or name[:1].isupper() or name in {"__init__", "cls"}


def runs_rlm(file: AnalysedFile, call: ast.Call, scope: Scope) -> bool:
    """Whether the call may run an RLM."""
    if not file.within_reach_of_rlm:
        return False
    for value in file.values(call.func, scope):
        if isinstance(value, Method):
            run = value.function in RUN_METHODS
            value = value.receiver if run else value
        if is_rlm(file, value):
            return True
    return False


def is_rlm(file: AnalysedFile, value: Value) -> bool:
    """Whether a value is an object of RLM or of a subclass in the project."""
    if not isinstance(value, Instance):
        return False
    if isinstance(value.cls, Library):
        return value.cls.path in RLM
    return classes.library_root(file.program.flow, value.cls) in RLM


def called_by(file: AnalysedFile, call: ast.Call, scope: Scope) -> Values:
    """What the call runs, also through a `partial` around it or before it."""
    values = file.values(call.func, scope)
    if values == {Library("functools.partial")} and call.args:
        values = file.values(call.args[0], scope)
    return frozenset(_without_partial(value) for value in values)


def _without_partial(value: Value) -> Value:
    while isinstance(value, Partial):
        value = value.function
    return value


def is_constructor(flow: Evaluator, value: Value) -> bool:
    """Whether calling the value hands its arguments to the constructor of an RLM."""
    if not isinstance(value, Class):
        return isinstance(value, Library) and value.path in RLM
    return classes.library_root(flow, value) in RLM and classes.method(flow, value, "__init__") is None


def _is_above_rlm(file: AnalysedFile, value: Value) -> bool:
    """`super()` in a class right below RLM, or the class RLM itself: `dspy.RLM.__init__(self, ...)`."""
    if not isinstance(value, Super):
        return isinstance(value, Library) and value.path in RLM
    flow = file.program.flow
    ours = classes.library_root(flow, value.cls) in RLM
    return ours and classes.method(flow, value.cls, "__init__", above=True) is None
