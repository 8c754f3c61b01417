"""RM707: what depends on which keys an RLM's prediction has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.rules.predictions import is_rlms_prediction
from react_migrate.rules.rm203_key_filter import filters
from react_migrate.rules.rm205_trajectory_write import writes
from react_migrate.rules.rm206_prediction_dump import dumps
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.suspicion import called_like_a_prediction, made_like_a_prediction

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_DUMP = "on DSPy 3.5 this dump has `history` and `repl_trajectory` where it had `trajectory`"


class RlmPredictionKeys(Rule):
    """RM707 rlm-prediction-keys.

    From DSPy 3.5 the prediction of a `dspy.RLM` has `history` and `repl_trajectory` where it had
    `trajectory`. So a dump of the whole (`pred.toDict()`, `dict(pred)`, `**pred`) changes its schema without
    an error, and holds a `dspy.History`, which `json` does not take; a filter that leaves `trajectory` out
    lets both through; and an assignment to `pred.trajectory` adds an attribute that nothing else looks at.

    There is no fix: who reads the result has to agree. `{**outputs, "trajectory": repl_trajectory_of(pred)}`
    keeps the old schema, `react_shims.dump_history(pred.history)` stores the new one without loss, and
    `k not in {"trajectory", "final_reasoning", "history", "repl_trajectory"}` leaves the outputs on every
    release.
    """

    code = "RM707"
    summary = "a dspy.RLM prediction has history and repl_trajectory instead of trajectory in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (b"RLM", b"toDict", b"trajectory")
    examples = (
        Example('import dspy\n\nresult = dspy.RLM("doc -> a")(doc="...")\nprint(result.toDict())\n'),
        Example(
            """\
import dspy

result = dspy.RLM("doc -> a")(doc="...")
outputs = {k: v for k, v in result.items() if k != "trajectory"}
"""
        ),
        Example('import dspy\n\nresult = dspy.RLM("doc -> a")(doc="...")\nresult.trajectory = []\n'),
        Example('import dspy\n\nprint(dspy.Predict("doc -> a")(doc="...").toDict())\n', finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        if not file.within_reach_of_rlm:
            return
        for node, receiver, scope in dumps(file):
            is_dspys = isinstance(node, ast.Call) and terminal(node.func) == "toDict"
            if not is_dspys and not _looks_like_one(file, receiver, scope):
                continue
            if is_rlms_prediction(file, receiver, scope):
                message = _DUMP
                yield Finding(self.code, file.span(node), message, self.fix)
        for node, sources in filters(file, partial(_looks_like_one, file)):
            if any(is_rlms_prediction(file, source, scope) for source, scope in sources):
                message = 'on DSPy 3.5 the keys to leave out are "history" and "repl_trajectory" as well'
                yield Finding(self.code, file.span(node), message, self.fix)
        for node, receiver, scope, what in writes(file):
            if is_rlms_prediction(file, receiver, scope):
                yield Finding(self.code, file.span(node), f"{what} has no counterpart on DSPy 3.5", self.fix)


def _looks_like_one(file: AnalysedFile, receiver: ast.expr, scope: Scope) -> bool:
    """Whether there is reason to find out what something is: it is called like a prediction, or made in this
    function as DSPy makes them. A file has many dicts that are made of others, and to follow where all these
    come from would lead through the whole project.
    """
    if called_like_a_prediction(receiver) or made_like_a_prediction(receiver):
        return True
    if not isinstance(receiver, ast.Name):
        return False
    definitions = file.reaching(scope.owner()).loads.get(receiver, ())
    return any(isinstance(one.node, ast.expr) and made_like_a_prediction(one.node) for one in definitions)
