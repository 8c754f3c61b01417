"""From the values an expression may hold to a verdict: is it the prediction of a ReAct agent, of an RLM?"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from react_migrate.flow.known import REACT, is_foreign
from react_migrate.flow.values import (
    Class,
    Foreign,
    Instance,
    Library,
    NoValue,
    Other,
    Prediction,
    StandIn,
    Trail,
    Trajectory,
    Unknown,
    Value,
    Values,
    order,
)


class Verdict(enum.Enum):
    """How sure it is. The kind that is asked about is ReAct's, or an RLM's."""

    PROVEN = "proven"  # every value is of the kind
    MIXED = "mixed"  # some are
    UNKNOWN = "unknown"  # nothing is known to be, and something is not known
    FOREIGN = "foreign"  # nothing is known to be, and something comes from a package outside of these files
    OTHER = "other"  # all is known, and nothing is of the kind


@dataclass(frozen=True)
class Judgement:
    """A verdict, why it is not stronger, and how the value of the kind came here.

    `asked`: something unknown came here that was called as DSPy's modules are, with nothing but keywords.
    """

    verdict: Verdict
    why: tuple[str, ...] = ()
    trail: Trail | None = None
    asked: bool = False


def judge(values: Values, kind: frozenset[str] = REACT) -> Judgement:
    """Judge the values of an expression that a trajectory is read from: are they predictions of modules of
    this kind, which is `known.REACT` or `known.RLM`?

    `None` has no attributes, and a stand-in carries its own trajectory, which the shim passes through:
    neither weakens a proof.
    """
    ours = sorted((v for v in values if _is_of(v, kind)), key=order)
    rest = [v for v in values if not _is_of(v, kind) and not isinstance(v, (NoValue, StandIn))]
    trail = ours[0].trail if ours else None
    why = tuple(sorted({describe(v) for v in rest}))
    if ours and not rest:
        return Judgement(Verdict.PROVEN, (), trail)
    if ours:
        return Judgement(Verdict.MIXED, why, trail)
    asked = any(isinstance(v, (Unknown, Foreign)) and v.asked for v in rest)
    if any(isinstance(v, Unknown) for v in rest) or not values:
        return Judgement(Verdict.UNKNOWN, why, asked=asked)
    return Judgement(Verdict.FOREIGN if any(map(_is_foreign, rest)) else Verdict.OTHER, why, asked=asked)


def _is_foreign(value: Value) -> bool:
    cls = value.cls if isinstance(value, Instance) else value
    return isinstance(value, Foreign) or (isinstance(cls, Library) and is_foreign(cls.path))


def _is_of(value: Value, kind: frozenset[str]) -> bool:
    return isinstance(value, Prediction) and value.module in kind


def describe(value: Value) -> str:
    """A value in words, to follow "may also be"."""
    where = _where(value)
    if isinstance(value, Prediction):
        return f"the prediction of a `{value.module}`{where}"
    if isinstance(value, Unknown):
        return f"anything: {value.why}"
    if isinstance(value, NoValue):
        return "`None`"
    if isinstance(value, StandIn):
        return f"a prediction built by hand{where}"
    if isinstance(value, Foreign):
        return f"{value.what}, which is not among these files"
    if isinstance(value, Other):
        return value.what
    if isinstance(value, Trajectory):
        return f"a trajectory{where}"
    if isinstance(value, Instance):
        name = value.cls.node.name if isinstance(value.cls, Class) else value.cls.path
        return f"an object of `{name}`{where}"
    if isinstance(value, Library):
        return f"`{value.path}`"
    return f"a {type(value).__name__.lower()}{where}"


def _where(value: Value) -> str:
    """Where the value came to be, to follow its name: of an object the call that made it."""
    if isinstance(value, Instance) and value.made is not None:
        return f", {value.made.frame.file.where(value.made.node.lineno)}"
    line = getattr(value.trail.node, "lineno", None) if value.trail else None
    return f", {value.trail.file.where(line)}" if value.trail and line else ""
