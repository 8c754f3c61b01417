"""RM203: filters over all keys of a prediction that leave the trajectory out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Container
from react_migrate.rules.predictions import is_prediction
from react_migrate.rules.reading import WORD
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_VIEWS = frozenset(("items", "keys", "toDict"))
_SAME_KEYS = frozenset(("enumerate", "list", "tuple", "set", "dict", "sorted", "reversed"))


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
        message = 'on DSPy 3.5 the keys to leave out are "history" and "termination_reason" as well'
        for node, sources in filters(file) if file.within_reach else ():
            if any(is_prediction(file, source, scope) for source, scope in sources):
                yield Finding(self.code, file.span(node), message, self.fix)


def filters(
    file: AnalysedFile, worth: Callable[[ast.expr, Scope], bool] = lambda source, scope: True
) -> Iterator[tuple[ast.expr, list[tuple[ast.expr, Scope]]]]:
    """Where the keys of something are compared with V1's, or left out, and what that something may be; of
    loops, where that something is `worth` a look."""
    found = _loops(file) if WORD in file.index.strings else ()
    loops = [loop for loop in found if worth(_viewed(loop.iterated), loop.scope)]
    for node, scope in file.index.nodes[ast.Compare] if loops else ():
        assert isinstance(node, ast.Compare)
        filtered = _filtered(file, node, scope, loops)
        if filtered:
            yield node, [(_viewed(loop.iterated), loop.scope) for loop in filtered]
    for call, scope in file.index.calls.get("without", ()):
        if isinstance(call.func, ast.Attribute) and _leaves_out({_text(one) for one in call.args}):
            yield call, [(call.func.value, scope)]


def _filtered(file: AnalysedFile, node: ast.Compare, scope: Scope, loops: list[_Loop]) -> list[_Loop]:
    """The loops whose variable is compared with V1's keys, not V2's: `k != "trajectory"`, `k not in SKIP`."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.NotEq, ast.NotIn, ast.Eq, ast.In)):
        return []
    sides = (node.left, node.comparators[0])
    for name, other in (sides, sides[::-1]):
        if isinstance(name, ast.Name):
            deciding = [loop for loop in loops if loop.decides(name.id, node)]
            if deciding and _leaves_out(_texts(file, other, scope)):
                return deciding
    return []


def _leaves_out(keys: set[object]) -> bool:
    return WORD in keys and "history" not in keys


def _texts(file: AnalysedFile, node: ast.expr, scope: Scope) -> set[object]:
    """The strings that an expression is, or holds: written out, or in the list that a name stands for."""
    if isinstance(node, ast.Constant):
        return {node.value}
    displays = [value.node for value in file.values(node, scope) if isinstance(value, Container)]
    return {_text(one) for display in displays for one in getattr(display, "elts", ())}


def _text(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


@dataclass(frozen=True)
class _Loop:
    """A loop: its variables, what it iterates over, and all that it runs for each element."""

    variables: frozenset[str]
    iterated: ast.expr
    scope: Scope
    whole: ast.AST

    def decides(self, name: str, compared: ast.Compare) -> bool:
        """Whether it says what the name is in a comparison."""
        return name in self.variables and any(node is compared for node in ast.walk(self.whole))


def _loops(file: AnalysedFile) -> Iterator[_Loop]:
    for kind in (ast.comprehension, ast.For, ast.AsyncFor):
        for loop, scope in file.index.nodes[kind]:
            assert isinstance(loop, (ast.comprehension, ast.For, ast.AsyncFor))
            variables = frozenset(n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name))
            whole = file.parents[loop] if isinstance(loop, ast.comprehension) else loop
            yield _Loop(variables, loop.iter, scope, whole)


def _viewed(node: ast.expr) -> ast.expr:
    """`pred` of `pred.items()`, `pred.toDict().items()`, `enumerate(sorted(pred))`."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in _SAME_KEYS and node.args:
            node = node.args[0]
        else:
            break
    return node
