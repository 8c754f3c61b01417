"""RM301: overrides of `truncate_trajectory`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.rules.rm302_truncation_shape import trouble
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.subclasses import Subclass, subclasses

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile


class TruncationOverride(Rule):
    """RM301 truncation-override.

    V1 calls `truncate_trajectory` when a prompt exceeds the context window, and a subclass may override it.
    From DSPy 3.5 nothing calls it: the override is dead code and the overflow ends the run.

    The fix keeps the override and puts `react_shims.TruncationHook` before the DSPy base. On DSPy up to 3.4
    the mixin does nothing, V1 calls the override itself; on the new engine it calls the override with the
    same flat dict and sends what it leaves. The mixin goes once, on the topmost class that overrides, itself
    or by way of a plain class it mixes in.

    Fix safety: safe. Where the base is not known to be one and the same class every time, the override is
    reported and left: before a class that has the mixin already it cannot stand again. Overrides of another
    shape are RM302's, classes that replace V1's loop RM303's; neither is edited.
    """

    code = "RM301"
    summary = "truncate_trajectory overrides are never called in DSPy 3.5"
    fix = Fix.SAFE
    triggers = (b"truncate_trajectory", b"ReAct")  # the override may be in another file, in a mixin
    examples = (
        Example(
            """\
import dspy


class Lean(dspy.ReAct):
    def truncate_trajectory(self, trajectory):
        return dict(list(trajectory.items())[-8:])
""",
            """\
import dspy
from react_shims import TruncationHook


class Lean(TruncationHook, dspy.ReAct):
    def truncate_trajectory(self, trajectory):
        return dict(list(trajectory.items())[-8:])
""",
        ),
        Example(
            """\
class Lean(ReAct):
    def truncate_trajectory(self, trajectory):
        return trajectory
""",
            finds=False,
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for subclass in subclasses(file):
            base = subclass.base_to_mix_before()
            if base is None or not can_be_kept(subclass):
                continue
            place = file.span(subclass.hook or base)
            message = f"`{subclass.cls.node.name}.truncate_trajectory` is never called on DSPy 3.5"
            if subclass.hook is not None and subclass.may_stand_on_v1(base):
                yield Finding(self.code, place, message, Fix.MANUAL, (), (_SEVERAL,))
            elif needs_mixin(subclass) and not subclass.has_mixin:
                edit = Edit(file.span(base), "Arg", _with_mixin)
                yield Finding(self.code, place, message, self.fix, (edit,))


_SEVERAL = "what it derives from may also be a class that has the mixin already: put it where it is needed"


def needs_mixin(subclass: Subclass) -> bool:
    """Whether it is the topmost class that overrides, itself or by way of a plain class it mixes in."""
    overrides = subclass.hook is not None or subclass.mixed_in is not None
    return overrides and not any(each.hook or each.mixed_in for each in subclass.above())


def can_be_kept(subclass: Subclass) -> bool:
    """Whether the mixin would bring the override back: it has V1's shape, and V1's loop is V1's own."""
    family = (subclass, *subclass.above())
    if trouble(subclass) is not None or any(each.loop_overrides() for each in family):
        return False
    other = subclass.mixed_in if subclass.hook is None else None
    return other is None or trouble(other) is None


def _with_mixin(node: cst.CSTNode, names: Names) -> cst.FlattenSentinel[cst.Arg]:
    import libcst as cst

    base = cst.ensure_type(node, cst.Arg)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return cst.FlattenSentinel([cst.Arg(names.node("TruncationHook"), comma=comma), base])
