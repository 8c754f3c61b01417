"""RM708: subclasses that replace parts of an RLM's loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow import classes
from react_migrate.flow.known import RLM, RLM_MAY_PREDICT, RLM_PREDICTS
from react_migrate.flow.values import Class, Library, Value
from react_migrate.rules.rlm import is_rlm
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_LOOP = ("_build_signatures", *sorted(RLM_PREDICTS), *sorted(RLM_MAY_PREDICT))


class RlmLoopOverride(Rule):
    """RM708 rlm-loop-override.

    The private methods of RLM's loop hand a `REPLHistory` from one to the next, and the last one makes the
    prediction with its `trajectory`. From DSPy 3.5 on a run is a `dspy.History`, the predictor that writes
    code has another signature, and the prediction other fields: overrides of `_build_signatures`,
    `_execute_iteration`, `_process_execution_result`, `_extract_fallback` and their asynchronous twins, and
    functions put in their place from outside, meet a loop that they were not written for.

    There is no fix. What such overrides are for has a place of its own: a `history_processor=` to shorten
    what the model sees, tools and an interpreter that record or limit what code does, callbacks to watch,
    a `forward` that calls `super().forward(...)` to work on the prediction.
    """

    code = "RM708"
    summary = "the private methods of dspy.RLM's loop change in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = tuple(name.encode() for name in _LOOP)
    examples = (
        Example(
            """\
import dspy


class Traced(dspy.RLM):
    def _process_execution_result(self, pred, code, result, history, names):
        print(code)
        return super()._process_execution_result(pred, code, result, history, names)
"""
        ),
        Example(
            """\
import dspy


class Traced(dspy.RLM):
    def forward(self, **inputs):
        print(inputs)
        return super().forward(**inputs)
""",
            finds=False,
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        if not file.within_reach_of_rlm:
            return
        flow = file.program.flow
        for node, scope in file.index.nodes[ast.ClassDef]:
            assert isinstance(node, ast.ClassDef)
            cls = Class(node, flow.frames.general(scope))
            overrides = [method for name, method in classes.functions(cls).items() if name in _LOOP]
            if overrides and node.bases and classes.library_root(flow, cls) in RLM:
                for method in overrides:
                    message = f"`{node.name}.{method.name}` is written for a loop that DSPy 3.5 does not have"
                    yield Finding(self.code, file.span(method), message, self.fix)
        for name in _LOOP:
            for store in file.index.attribute_stores.get(name, ()):
                assert isinstance(store.target, ast.Attribute)
                values = file.values(store.target.value, store.scope)
                if any(_is_rlm_or_class(file, value) for value in values):
                    message = f"`{name}` of an RLM is replaced: DSPy 3.5 runs another loop"
                    yield Finding(self.code, file.span(store.target), message, self.fix)


def _is_rlm_or_class(file: AnalysedFile, value: Value) -> bool:
    if isinstance(value, Class):
        return classes.library_root(file.program.flow, value) in RLM
    return is_rlm(file, value) or (isinstance(value, Library) and value.path in RLM)
