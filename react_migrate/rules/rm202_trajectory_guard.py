"""RM202: guards around a trajectory: `hasattr`, `getattr` with a default, `.get`, `in`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.known import REACT
from react_migrate.rules.reading import GUARDS
from react_migrate.rules.reads_fixed import finding
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.views import views

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class TrajectoryGuard(Rule):
    """RM202 trajectory-guard.

    A guard makes the loss silent: on DSPy 3.5 `hasattr(pred, "trajectory")` is False and
    `getattr(pred, "trajectory", {})` is `{}`, so metrics drop to zero and logs go empty without an error.

    The fix asks `react_shims.has_trajectory`, true exactly when `trajectory_of` would return, or reads with
    `trajectory_of(pred, default)`. A guard and the reads of the same value are fixed together or not at all.

    Fix safety: as for RM201.
    """

    code = "RM202"
    summary = "a guard around prediction.trajectory hides that it is gone in DSPy 3.5"
    fix = Fix.SAFE
    triggers = (b"trajectory",)
    examples = (
        Example(
            """\
import dspy

agent = dspy.ReAct("question -> answer", tools=[])
result = agent(question="Who?")
if hasattr(result, "trajectory"):
    print(len(result.trajectory))
""",
            """\
import dspy
from react_shims import has_trajectory, trajectory_of

agent = dspy.ReAct("question -> answer", tools=[])
result = agent(question="Who?")
if has_trajectory(result):
    print(len(trajectory_of(result)))
""",
        ),
        Example(
            """\
import dspy

result = dspy.ReAct("question -> answer", tools=[])(question="Who?")
trajectory = getattr(result, "trajectory", {}) or {}
""",
            """\
import dspy
from react_shims import trajectory_of

result = dspy.ReAct("question -> answer", tools=[])(question="Who?")
trajectory = trajectory_of(result, {}) or {}
""",
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for view in views(file):
            if view.kind is REACT and view.read.form in GUARDS and not view.is_misread:
                yield finding(file, view, self.code)
