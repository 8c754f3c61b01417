"""RM204: code that takes the keys of V1's flat dict for steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.rules.reading import misread_loop, opinion, reads
from react_migrate.rules.rule import Example, Rule

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
        for read in reads(file):
            if misread_loop(file, read) is not None and opinion(file, read) is not None:
                message = "this gives the keys of the flat dict, not its steps: use `react_shims.steps_of`"
                yield Finding(self.code, file.span(read.node), message, self.fix)
