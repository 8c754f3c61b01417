"""RM204: code that takes the keys of V1's flat dict for steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.rules.misreading import misread_names
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.views import views

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class TrajectoryMisread(Rule):
    """RM204 trajectory-misread.

    A V1 trajectory is one flat dict (`thought_0`, `tool_name_0`, ...): iterating over it gives its keys,
    strings. Code that takes them for steps was wrong before DSPy 3.5, and making it run would hide that.

    There is no fix. `react_shims.steps_of(prediction)` iterates over the steps, on every release.
    """

    code = "RM204"
    summary = "iterating over a trajectory gives its keys, not its steps"
    fix = Fix.MANUAL
    triggers = (b"trajectory",)
    examples = (
        Example(
            """\
import dspy

result = dspy.ReAct("question -> answer", tools=[])(question="Who?")
for step in result.trajectory:
    print(step["thought"])
"""
        ),
        Example(
            """\
for step in run.trajectory:
    print(step["thought"])
""",
            finds=False,
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        message = "this gives the keys of the flat dict, not its steps: use `react_shims.steps_of`"
        for view in views(file):
            if view.is_misread:
                node = view.read.node
                yield Finding(self.code, file.span(node), message, self.fix, why=view.why, group=view.group)
        for name in misread_names(file):
            yield Finding(self.code, file.span(name), message, self.fix)
