"""RM203: filters over all keys of a prediction that leave the trajectory out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.index import Scope
from react_migrate.rules.predictions import is_prediction
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_VIEWS = frozenset(("items", "keys", "toDict"))


class KeyFilter(Rule):
    """RM203 key-filter.

    `{k: v for k, v in pred.items() if k != "trajectory"}` keeps the outputs of a V1 prediction. On DSPy 3.5
    the keys to leave out are `history` and `termination_reason`; `trajectory` and `reasoning` are gone.
    Filtered the old way, a whole `dspy.History` ends up where the outputs were meant to be.

    There is no fix, because what should be left out is yours to say. `k not in {"trajectory", "reasoning",
    "history", "termination_reason"}` leaves the outputs on every release.
    """

    code = "RM203"
    summary = 'a filter on "trajectory" must also drop "history" and "termination_reason" in DSPy 3.5'
    fix = Fix.MANUAL
    triggers = (b"trajectory",)
    examples = (
        Example(
            """\
import dspy

result = dspy.ReAct("question -> answer", tools=[])(question="Who?")
outputs = {k: v for k, v in result.items() if k != "trajectory"}
"""
        ),
        Example('row = {k: v for k, v in record.items() if k != "trajectory"}\n', finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for string, _ in file.index.strings.get("trajectory", ()):
            compared = _comparison(file, string)
            if compared is None or _handles_history(compared):
                continue
            if any(is_prediction(file, source, scope) for source, scope in _sources(file, compared)):
                message = 'on DSPy 3.5 the keys to leave out are "history" and "termination_reason" as well'
                yield Finding(self.code, file.span(compared), message, self.fix)


def _comparison(file: AnalysedFile, node: ast.AST) -> ast.Compare | None:
    """The `k != "trajectory"` or `k not in (...)` that a string is part of."""
    parent = file.parents.get(node)
    while isinstance(parent, (ast.Tuple, ast.List, ast.Set)):
        parent = file.parents.get(parent)
    if isinstance(parent, ast.Compare) and isinstance(parent.ops[0], (ast.NotEq, ast.NotIn, ast.Eq, ast.In)):
        return parent if isinstance(parent.left, ast.Name) else None
    return None


def _handles_history(compared: ast.Compare) -> bool:
    return any(isinstance(node, ast.Constant) and node.value == "history" for node in ast.walk(compared))


def _sources(file: AnalysedFile, compared: ast.Compare) -> Iterator[tuple[ast.expr, Scope]]:
    """What the loops iterate over whose variable is compared."""
    assert isinstance(compared.left, ast.Name)
    name = compared.left.id
    for kind in (ast.comprehension, ast.For, ast.AsyncFor):
        for loop, scope in file.index.nodes[kind]:
            assert isinstance(loop, (ast.comprehension, ast.For, ast.AsyncFor))
            targets = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            whole = file.parents[loop] if isinstance(loop, ast.comprehension) else loop
            if name in targets and any(node is compared for node in ast.walk(whole)):
                yield _viewed(loop.iter), scope


def _viewed(node: ast.expr) -> ast.expr:
    """`pred` of `pred.items()`, `pred.toDict().items()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
        node = node.func.value
    return node
