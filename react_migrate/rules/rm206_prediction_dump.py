"""RM206: whole predictions turned into dicts."""

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


class PredictionDump(Rule):
    """RM206 prediction-dump.

    `pred.toDict()`, `dict(pred)`, `row.update(pred)` and `**pred` give every key a prediction has. On DSPy
    3.5 these are the outputs, `history` and `termination_reason`; `trajectory` and `reasoning` are gone, so
    the schema of what is logged, stored or returned changes without an error. (`toDict()` also loses the ids
    of tool calls.)

    There is no fix: who reads the result has to agree. `{**outputs, "trajectory": trajectory_of(pred)}` keeps
    the old schema, `react_shims.dump_history(pred.history)` stores the new one without loss.
    """

    code = "RM206"
    summary = "a whole-prediction dump changes its schema in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (b"ReAct", b"toDict", b"trajectory")
    examples = (
        Example(
            """\
import dspy

result = dspy.ReAct("question -> answer", tools=[])(question="Who?")
print(result.toDict())
"""
        ),
        Example('import dspy\n\nprint(dspy.Predict("q -> a")(q=1).toDict())\n', finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for node, receiver, scope in dumps(file):
            if is_prediction(file, receiver, scope):
                message = "on DSPy 3.5 this dump has `history` where it had `trajectory` and `reasoning`"
                yield Finding(self.code, file.span(node), message, self.fix)


def dumps(file: AnalysedFile) -> Iterator[tuple[ast.expr, ast.expr, Scope]]:
    """Where something is turned into a dict with all its keys, and what it is."""
    for call, scope in file.index.calls.get("toDict", ()):
        if isinstance(call.func, ast.Attribute):
            yield call, call.func.value, scope
    for name, kind in (("dict", ast.Name), ("update", ast.Attribute)):
        for call, scope in file.index.calls.get(name, ()):
            if isinstance(call.func, kind) and len(call.args) == 1:
                yield call, _viewed(call.args[0]), scope
    for call, scope in file.index.all_calls:
        spread = [k.value for k in call.keywords if k.arg is None]
        yield from ((value, value, scope) for value in spread if not _is_own_keywords(value, scope))
    for node, scope in file.index.nodes[ast.Dict]:
        assert isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None and not _is_own_keywords(value, scope):
                yield value, value, scope


def _viewed(node: ast.expr) -> ast.expr:
    """`pred` of `pred.items()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items":
        return node.func.value
    return node


def _is_own_keywords(node: ast.expr, scope: Scope) -> bool:
    """`**kwargs` passed on inside the function that takes it: a dict, never a prediction."""
    function = scope.owner().node
    args = getattr(function, "args", None)
    keywords = args.kwarg if isinstance(args, ast.arguments) else None
    return keywords is not None and isinstance(node, ast.Name) and node.id == keywords.arg
