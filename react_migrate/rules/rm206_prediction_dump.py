"""RM206: whole predictions turned into dicts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.rules.predictions import is_prediction
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_DICTS = frozenset(("dict", "Mapping", "MutableMapping"))


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
    for node, receiver, scope in _spreads(file):
        if not (_is_own_keywords(receiver, scope) or _is_checked(file, receiver)):
            yield node, receiver, scope


def _spreads(file: AnalysedFile) -> Iterator[tuple[ast.expr, ast.expr, Scope]]:
    """The same, of what may just as well be a dict."""
    for name, kind in (("dict", ast.Name), ("update", ast.Attribute)):
        for call, scope in file.index.calls.get(name, ()):
            if isinstance(call.func, kind) and len(call.args) == 1:
                yield call, _viewed(call.args[0]), scope
    for call, scope in file.index.all_calls:
        yield from ((k.value, k.value, scope) for k in call.keywords if k.arg is None)
    for node, scope in file.index.nodes[ast.Dict]:
        assert isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
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


def _is_checked(file: AnalysedFile, node: ast.expr) -> bool:
    """Whether the code around has made sure that it is a dict, which a prediction is not."""
    if not isinstance(node, ast.Name) or "isinstance" not in file.index.calls:
        return False
    inner: ast.AST = node
    while not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)):
        around = file.parents[inner]
        if isinstance(around, ast.IfExp) and inner is around.body and _makes_sure(around.test, node.id):
            return True
        for block in (getattr(around, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and inner in block:
                before = block[: block.index(inner)]
                if isinstance(around, ast.If) and block is around.body and _makes_sure(around.test, node.id):
                    return not _binds(before, node.id)
                if any(_leaves_unless(one, node.id) for one in before):
                    return not _binds(before, node.id)
        inner = around
    return False


def _makes_sure(test: ast.expr, name: str) -> bool:
    """`isinstance(name, dict)`, also with an `and`."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return any(_asks_for_dict(part, name) for part in parts)


def _leaves_unless(statement: ast.stmt, name: str) -> bool:
    """`if not isinstance(name, dict): continue`."""
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.UnaryOp):
        return False
    leaves = isinstance(statement.body[-1], (ast.Continue, ast.Return, ast.Raise, ast.Break))
    is_not = isinstance(statement.test.op, ast.Not)
    return leaves and is_not and _asks_for_dict(statement.test.operand, name)


def _binds(statements: list[ast.stmt], name: str) -> bool:
    """Whether some statements may give the name another value."""
    nodes = (node for statement in statements for node in ast.walk(statement))
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in nodes
    )


def _asks_for_dict(test: ast.expr, name: str) -> bool:
    """`isinstance(name, dict)`."""
    if not isinstance(test, ast.Call) or terminal(test.func) != "isinstance" or len(test.args) != 2:
        return False
    asked, kind = test.args
    return isinstance(asked, ast.Name) and asked.id == name and terminal(kind) in _DICTS
