"""RM205: writes to a prediction's trajectory, and reads of DSPy's private store."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope
from react_migrate.rules.predictions import is_prediction
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class TrajectoryWrite(Rule):
    """RM205 trajectory-write.

    On DSPy 3.5 assigning `pred.trajectory` adds an attribute that nothing else looks at, deleting it raises,
    and `pred._store["trajectory"]` raises KeyError: a history is what a run consists of.

    There is no fix, because the purpose decides. To shorten what is stored, store
    `react_shims.trajectory_of(pred)` yourself; to drop it, `pred.without("history")` on 3.5.
    """

    code = "RM205"
    summary = "writing to prediction.trajectory has no effect on the run in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (b"trajectory", b"._store")
    examples = (
        Example(
            """\
import dspy

result = dspy.ReAct("question -> answer", tools=[])(question="Who?")
result.trajectory = {}
"""
        ),
        Example("import dspy\n\nmade = dspy.Prediction(answer=1)\nmade.trajectory = {}\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for node, receiver, scope, what in writes(file):
            if is_prediction(file, receiver, scope):
                yield Finding(self.code, file.span(node), f"{what} has no counterpart on DSPy 3.5", self.fix)


def writes(file: AnalysedFile) -> Iterator[tuple[ast.expr, ast.expr, Scope, str]]:
    """Writes of something called `trajectory`, and uses of DSPy's private store: to what, and in words."""
    for attribute, scope in file.index.attributes.get("trajectory", ()):
        if isinstance(attribute.ctx, ast.Store):
            yield attribute, attribute.value, scope, "assigning a prediction's trajectory"
        elif isinstance(attribute.ctx, ast.Del):
            yield attribute, attribute.value, scope, "deleting a prediction's trajectory"
    for node, scope in file.index.nodes[ast.Subscript]:
        assert isinstance(node, ast.Subscript)
        is_word = isinstance(node.slice, ast.Constant) and node.slice.value == "trajectory"
        if is_word and not isinstance(node.ctx, ast.Load):
            yield node, node.value, scope, "writing a prediction's trajectory"
    for name in ("setattr", "delattr"):
        for call, scope in file.index.calls.get(name, ()):
            if (
                len(call.args) > 1
                and isinstance(call.args[1], ast.Constant)
                and call.args[1].value == "trajectory"
            ):
                yield call, call.args[0], scope, f"`{name}` of a prediction's trajectory"
    for attribute, scope in file.index.attributes.get("_store", ()):
        yield attribute, attribute.value, scope, "reading DSPy's private store"
