"""RM703: `interpreter=` of `dspy.RLM`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Instance
from react_migrate.rules.handed_on import hands_on_to_rlm
from react_migrate.rules.reading import text_of
from react_migrate.rules.rlm import called_like_a_class, makes_rlm, runs_rlm
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_POSITION = 7  # of the constructor's parameter, on every release
_INTERPRETERS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.IfExp, ast.BoolOp, ast.NamedExpr)


class RlmInterpreter(Rule):
    """RM703 rlm-interpreter.

    `dspy.RLM(interpreter=x)` is the spelling up to DSPy 3.2. From 3.3 on the constructor takes
    `interpreter_factory=`, a function without arguments that makes a fresh interpreter for every call, and so
    does a call on 3.4, where it is keyword-only; on 3.3 a call takes an interpreter by position.

    The finding says which factory to write: the class itself, or a `lambda` around the call that makes your
    interpreter now. There is no fix, because an interpreter that was shared is not the same as one made each
    time: DSPy shuts it down after every call, so `interpreter_factory=lambda: x` works once, and what one
    call left in variables is gone in the next. What such calls shared goes into their inputs, or into the
    `history=` that an RLM takes from 3.5 on.
    """

    code = "RM703"
    summary = "dspy.RLM(interpreter=...) is interpreter_factory from DSPy 3.3 on"
    fix = Fix.MANUAL
    triggers = (b"interpreter", b"RLM")
    examples = (
        Example('import dspy\n\nrlm = dspy.RLM("doc -> a", interpreter=dspy.PythonInterpreter())\n'),
        Example('import dspy\n\nrlm = dspy.RLM("doc -> a")\nrlm(mine, doc="...")\n'),
        Example("run(interpreter=mine)\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        if not file.within_reach_of_rlm:
            return
        for call, scope in file.index.keywords.get("interpreter", ()):
            keyword = next(k for k in call.keywords if k.arg == "interpreter")
            if makes_rlm(file, call, scope) or hands_on_to_rlm(file, call, scope, "interpreter"):
                message = f"`interpreter=` is gone from DSPy 3.3 on: {_instead(file, keyword.value, scope)}"
                yield Finding(self.code, file.span(keyword), message, self.fix)
            elif runs_rlm(file, call, scope):
                yield self._per_call(file, keyword, keyword.value, scope)
        for call, scope in file.index.all_calls:
            if len(call.args) == 1 and call.keywords and _may_be_interpreter(call.args[0]):
                if runs_rlm(file, call, scope):
                    yield self._per_call(file, call.args[0], call.args[0], scope)
            elif len(call.args) > _POSITION and called_like_a_class(call) and makes_rlm(file, call, scope):
                passed = call.args[_POSITION]
                if any(isinstance(value, Instance) for value in file.values(passed, scope)):
                    message = f"this is a factory from DSPy 3.3 on: {_instead(file, passed, scope)}"
                    yield Finding(self.code, file.span(passed), message, self.fix)

    def _per_call(
        self, file: AnalysedFile, place: ast.expr | ast.keyword, passed: ast.expr, scope: Scope
    ) -> Finding:
        message = f"a call takes no interpreter from DSPy 3.4 on: {_instead(file, passed, scope)}"
        return Finding(self.code, file.span(place), message, self.fix)


def _may_be_interpreter(node: ast.expr) -> bool:
    """By the looks of it; that of `text.encode("utf-8", errors="replace")` is none."""
    return isinstance(node, _INTERPRETERS) or (isinstance(node, ast.Constant) and node.value is None)


def _instead(file: AnalysedFile, passed: ast.expr, scope: Scope) -> str:
    """What to write for the interpreter that is passed."""
    if isinstance(passed, ast.Constant) and passed.value is None:
        return "leave it out"
    factory = _factory(file, passed, scope)
    if factory is None:
        return (
            f"write `interpreter_factory=`, a function that makes a fresh one like `{text_of(file, passed)}`"
        )
    return f"write `interpreter_factory={factory}`"


def _factory(file: AnalysedFile, passed: ast.expr, scope: Scope) -> str | None:
    """A function that makes such an interpreter, as the one call does that makes it now."""
    values = list(file.values(passed, scope))
    if len(values) == 1 and isinstance(values[0], Instance) and values[0].made is not None:
        home, call = values[0].made.frame.file, values[0].made.node
    elif isinstance(passed, ast.Call):
        home, call = file, passed
    else:
        return None
    if not call.args and not call.keywords:
        return text_of(home, call.func)
    text = text_of(home, call)
    return None if text.endswith("...") else f"lambda: {text}"
