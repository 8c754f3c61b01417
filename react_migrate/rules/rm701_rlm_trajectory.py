"""RM701: reads and guards of an RLM prediction's trajectory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.known import RLM
from react_migrate.rules.predictions import is_rlms_prediction
from react_migrate.rules.reading import NEVER_MATCHES, patterns
from react_migrate.rules.reads_fixed import finding
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.views import views

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class RlmTrajectory(Rule):
    """RM701 rlm-trajectory.

    From DSPy 3.5 the prediction of a `dspy.RLM` has a structured `history` and its steps in
    `repl_trajectory`; `trajectory` is gone. Reading it raises AttributeError (KeyError as an item), and a
    guard around it (`hasattr`, `getattr` with a default, `.get`, `in`) hides the loss.

    The fix reads it with `react_shims.repl_trajectory_of`, which gives the very object where there still is
    one, and elsewhere the same list of `{"reasoning", "code", "output"}`. A guard becomes
    `react_shims.has_trajectory`, or a read with a default; it and the reads of the same value are fixed
    together or not at all.

    Fix safety: safe where every way to the receiver is known to come from an RLM. Where it may also be
    something else, or where only its use suggests it, the fix needs `--unsafe`, and the finding
    says what else it may be. Where it may also come from a ReAct agent, RM201 speaks of it. The trajectories
    of `CodeAct` and `ProgramOfThought` are left alone: they go with their modules (RM704).
    """

    code = "RM701"
    summary = "the trajectory of a dspy.RLM prediction is repl_trajectory in DSPy 3.5"
    fix = Fix.SAFE
    triggers = (b"trajectory",)
    examples = (
        Example(
            """\
import dspy

result = dspy.RLM("document -> answer")(document="...")
if hasattr(result, "trajectory"):
    for step in result.trajectory:
        print(step["code"])
""",
            """\
import dspy
from react_shims import has_trajectory, repl_trajectory_of

result = dspy.RLM("document -> answer")(document="...")
if has_trajectory(result):
    for step in repl_trajectory_of(result):
        print(step["code"])
""",
        ),
        Example(
            """\
import dspy

rlm = dspy.RLM("document -> answer")


def last_code(pred):
    return pred.trajectory[-1]["code"]
""",
            """\
import dspy
from react_shims import repl_trajectory_of

rlm = dspy.RLM("document -> answer")


def last_code(pred):
    return repl_trajectory_of(pred)[-1]["code"]
""",
            unsafe=True,
        ),
        Example("steps = robot.plan().trajectory[0]['code']\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for view in views(file):
            if view.kind is RLM:
                yield finding(file, view, self.code)
        for pattern, subject, scope in patterns(file):
            if is_rlms_prediction(file, subject, scope):
                yield Finding(self.code, file.span(pattern), NEVER_MATCHES, Fix.MANUAL)
