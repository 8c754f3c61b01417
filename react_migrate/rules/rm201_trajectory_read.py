"""RM201: reads of a ReAct prediction's trajectory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow.known import REACT
from react_migrate.flow.values import Library
from react_migrate.rules.predictions import is_prediction
from react_migrate.rules.reading import GUARDS, NEVER_MATCHES, WORD, patterns, text_of
from react_migrate.rules.reads_fixed import finding
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.views import views

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile


class TrajectoryRead(Rule):
    """RM201 trajectory-read.

    From DSPy 3.5 a `dspy.ReAct` prediction has a `history` and no `trajectory`: reading it raises
    AttributeError, or KeyError where it is read as an item.

    The fix reads it with `react_shims.trajectory_of`, which gives the very object where there still is one
    (DSPy up to 3.4, RLM, your own stand-ins), and elsewhere the same flat dict, derived from the history.

    Fix safety: safe where every way to the receiver is known to come from a ReAct agent. Where it may also
    be something else, or where only its use suggests it, the fix needs `--unsafe`, and the finding says what
    else it may be. `trajectory_of` passes anything with a real `.trajectory` through, so even a wrong guess
    changes nothing.
    """

    code = "RM201"
    summary = "prediction.trajectory is gone in DSPy 3.5"
    fix = Fix.SAFE
    triggers = (b"trajectory",)
    examples = (
        Example(
            """\
import dspy

agent = dspy.ReAct("question -> answer", tools=[])
result = agent(question="Who?")
print(result.trajectory["observation_0"])
""",
            """\
import dspy
from react_shims import trajectory_of

agent = dspy.ReAct("question -> answer", tools=[])
result = agent(question="Who?")
print(trajectory_of(result)["observation_0"])
""",
        ),
        Example(
            """\
import dspy


def grade(pred):
    return len(pred.trajectory)
""",
            """\
import dspy
from react_shims import trajectory_of


def grade(pred):
    return len(trajectory_of(pred))
""",
            unsafe=True,
        ),
        Example("steps = robot.plan().trajectory.points\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for view in views(file):
            if view.kind is REACT and view.read.form not in GUARDS and not view.is_misread:
                yield finding(file, view, self.code)
        for pattern, subject, scope in patterns(file):
            if is_prediction(file, subject, scope):
                yield Finding(self.code, file.span(pattern), NEVER_MATCHES, Fix.MANUAL)
        for call in _getters(file):
            text = text_of(file, call)
            message = f"`{text}` finds nothing on DSPy 3.5 in the prediction of a ReAct agent"
            why = ("what it is applied to is not followed",)
            yield Finding(self.code, file.span(call), message, Fix.UNSAFE, (_as_getter(file, call),), why)


def _getters(file: AnalysedFile) -> Iterator[ast.Call]:
    """Every `operator.attrgetter("trajectory")` where an agent can get."""
    for string, scope in file.index.strings.get(WORD, ()) if file.within_reach else ():
        call = file.parents[string]
        if not isinstance(call, ast.Call) or call.args != [string] or call.keywords:
            continue
        if file.values(call.func, scope) == {Library("operator.attrgetter")}:
            yield call


def _as_getter(file: AnalysedFile, call: ast.Call) -> Edit:
    """The shim's reader itself: it gives the real `.trajectory` of anything that has one."""

    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        import libcst as cst

        getter = cst.ensure_type(node, cst.Call)
        return names.node("trajectory_of").with_changes(lpar=getter.lpar, rpar=getter.rpar)

    return Edit(file.span(call), "Call", rewrite)
