"""RM303: subclasses that replace V1's loop or reach into it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.rules.patches import replaced
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.subclasses import LOOP_METHODS, subclasses

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class LoopOverride(Rule):
    """RM303 loop-override.

    A `forward` that runs V1's loop itself (`self.react(trajectory=...)`, `next_tool_name`, `self.extract`),
    or an override of `_format_trajectory` and its private neighbours, has nothing to stand on in DSPy 3.5:
    `react` takes a `history`, there is no extractor, and the private methods are gone.

    There is no fix. What such overrides are for has a place in the new engine: tools that raise or record,
    `max_iters` per call, a `TruncationHook` for what the model gets to see. In a class that also overrides
    `truncate_trajectory`, this is the only finding: the mixin would rescue nothing.
    """

    code = "RM303"
    summary = "V1's loop and its private methods are gone in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (
        *(b"_format_trajectory", b"_trajectory_truncation", b"next_tool_", b"next_thought", b"forward"),
        *(b"self.react", b"self.extract"),
    )
    examples = (
        Example(
            """\
import dspy


class Budget(dspy.ReAct):
    def forward(self, **inputs):
        step = self.react(**inputs, trajectory="")
        return dspy.Prediction(answer=step.next_tool_name)
"""
        ),
        Example(
            """\
import dspy


class Traced(dspy.ReAct):
    def forward(self, **inputs):
        print(inputs)
        return super().forward(**inputs)
""",
            finds=False,
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for subclass in subclasses(file):
            for method in subclass.loop_overrides():
                name = f"{subclass.cls.node.name}.{method.name}"
                message = f"`{name}` relies on V1's loop, which DSPy 3.5 does not have"
                yield Finding(self.code, file.span(method), message, self.fix)
        for name in (*LOOP_METHODS, "forward", "aforward"):
            for node in replaced(file, name):
                message = f"`{name}` of an agent is replaced from outside: DSPy 3.5 runs another loop"
                yield Finding(self.code, file.span(node), message, self.fix)
