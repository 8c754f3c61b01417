"""What the RM7xx rules ask about calls: do they make an RLM, or run one?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import classes
from react_migrate.flow.known import RUN_METHODS
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Class, Instance, Library, Method, Super, Value

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

RLM = "dspy.RLM"


def makes_rlm(file: AnalysedFile, call: ast.Call, scope: Scope) -> bool:
    """Whether the call's arguments go to the constructor of `dspy.RLM`: `RLM(...)`, `partial(RLM, ...)`, a
    subclass without an `__init__` of its own, `super().__init__(...)` in one with it."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
        above = file.values(call.func.value, scope)
        return bool(above) and all(_is_above_rlm(file, value) for value in above)
    values = file.values(call.func, scope)
    if values == {Library("functools.partial")} and call.args:
        values = file.values(call.args[0], scope)
    return bool(values) and all(_is_constructor(file, value) for value in values)


def runs_rlm(file: AnalysedFile, call: ast.Call, scope: Scope) -> bool:
    """Whether the call runs an RLM."""
    if file.path not in file.program.tied_to(b"RLM"):
        return False
    for value in file.values(call.func, scope):
        if isinstance(value, Method):
            run = value.function in RUN_METHODS
            value = value.receiver if run else value
        cls = value.cls if isinstance(value, Instance) else None
        if isinstance(cls, Library) and cls.path == RLM:
            return True
        if isinstance(cls, Class) and classes.library_root(file.program.flow, cls) == RLM:
            return True
    return False


def _is_constructor(file: AnalysedFile, value: Value) -> bool:
    if not isinstance(value, Class):
        return isinstance(value, Library) and value.path == RLM
    flow = file.program.flow
    return classes.library_root(flow, value) == RLM and classes.method(flow, value, "__init__") is None


def _is_above_rlm(file: AnalysedFile, value: Value) -> bool:
    """`super()` in a class right below RLM, or the class RLM itself: `dspy.RLM.__init__(self, ...)`."""
    if not isinstance(value, Super):
        return isinstance(value, Library) and value.path == RLM
    flow = file.program.flow
    ours = classes.library_root(flow, value.cls) == RLM
    return ours and classes.method(flow, value.cls, "__init__", above=True) is None
