"""RM103: code that takes `ReActV2` where DSPy has it and `ReAct` elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.versions import switches

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile


_NODES = {"BoolOp": "BooleanOperation"}


class ReActV2Switch(Rule):
    """RM103 reactv2-switch.

    `dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct` means the new engine wherever there is one.
    From DSPy 3.6 on the test fails and the other branch happens to be right; until then it is noise that
    `react_shims.ReAct` says in one word.

    Fix safety: safe on DSPy 3.3 and later, where the shim's `ReAct` is the same class. (Below 3.3 there is no
    new engine, and importing the shim's `ReAct` says so.) A switch that does more than choose is reported
    and left.
    """

    code = "RM103"
    summary = "a version switch between dspy.ReActV2 and dspy.ReAct is what react_shims.ReAct is for"
    fix = Fix.SAFE
    triggers = (b"ReActV2",)
    examples = (
        Example(
            """\
import dspy

Agent = dspy.ReActV2 if hasattr(dspy, "ReActV2") else dspy.ReAct
program = Agent(dspy.Signature("q -> a"), tools=[])
""",
            """\
import dspy
from react_shims import ReAct

Agent = ReAct
program = Agent(dspy.Signature("q -> a"), tools=[])
""",
        ),
        Example(
            """\
import dspy

Agent = dspy.ReActV2 if hasattr(dspy, "ReActV2") else make_agent
""",
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for switch in switches(file):
            kind = type(switch.node).__name__
            edit = Edit(file.span(switch.node), _NODES.get(kind, kind), _collapsed)
            fix, edits = (Fix.SAFE, (edit,)) if switch.plain else (Fix.MANUAL, ())
            message = (
                "this chooses between DSPy's two ReAct engines by hand: `react_shims.ReAct` is the new one"
            )
            yield Finding(self.code, file.span(switch.node), message, fix, edits)


def _collapsed(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    expressions = (cst.IfExp, cst.Call, cst.BooleanOperation)
    old = node if isinstance(node, expressions) else cst.ensure_type(node, cst.IfExp)
    return names.node("ReAct").with_changes(lpar=old.lpar, rpar=old.rpar)
