"""What an expression may hold: the values that the analysis tells apart.

An expression evaluates to a *set* of these. A value is what it is, whatever way it came: two values are
equal when they are the same thing, and the `Trail` that says how one got here takes no part in that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from react_migrate.flow.frames import Frame
    from react_migrate.flow.program import AnalysedFile


@dataclass(frozen=True)
class Trail:
    """One step of how a value came to be where it is, and the step before it."""

    file: AnalysedFile
    node: ast.AST
    text: str
    before: Trail | None = None

    def steps(self) -> list[Trail]:
        """All steps, the first one first."""
        found: list[Trail] = []
        step: Trail | None = self
        while step is not None:
            found.append(step)
            step = step.before
        return found[::-1]


@dataclass(frozen=True)
class Value:
    """Anything an expression may hold."""

    trail: Trail | None = field(default=None, compare=False, repr=False, kw_only=True)


Values: TypeAlias = frozenset[Value]


@dataclass(frozen=True)
class Library(Value):
    """Something that lives outside the project, by its canonical dotted path: `dspy.ReAct`, `numpy.array`."""

    path: str


@dataclass(frozen=True)
class ModuleValue(Value):
    """A module of the project."""

    file: AnalysedFile


@dataclass(frozen=True)
class Function(Value):
    """A function, method or lambda of the project, with the frame it was defined in."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame


@dataclass(frozen=True)
class Class(Value):
    """A class of the project, with the frame it was defined in."""

    node: ast.ClassDef
    frame: Frame


@dataclass(frozen=True)
class Instance(Value):
    """An object of a class. `made` is the call that built it, where one call is known."""

    cls: Class | Library
    made: CallSite | None = None


@dataclass(frozen=True)
class CallSite:
    """A call expression in the frame that runs it."""

    node: ast.Call
    frame: Frame


@dataclass(frozen=True)
class Method(Value):
    """A function bound to its receiver; `function` is a name when the receiver is not the project's."""

    receiver: Value
    function: Function | str


@dataclass(frozen=True)
class Super(Value):
    """`super()` inside a method of `cls`, called on `receiver`."""

    cls: Class
    receiver: Value


@dataclass(frozen=True)
class Partial(Value):
    """`functools.partial(function, ...)`: the function, and the call that fixed some of its arguments."""

    function: Value
    made: CallSite


@dataclass(frozen=True)
class Prediction(Value):
    """What calling a DSPy module returns; `module` is the canonical path of its class."""

    module: str


@dataclass(frozen=True)
class Trajectory(Value):
    """The `.trajectory` of such a prediction."""

    module: str


@dataclass(frozen=True)
class History(Value):
    """The `.history` of such a prediction."""

    module: str


@dataclass(frozen=True)
class Container(Value):
    """A list, tuple, set, dict or comprehension, by the expression that makes it."""

    node: ast.expr
    frame: Frame


_DEEPEST = 4  # containers in containers


@dataclass(frozen=True)
class Items(Value):
    """A container whose elements are known at once: what `agent.batch(...)`, `zip(...)` or `*args` hold.

    `every` is what any element may be; `fixed` the elements of a tuple, by position; `named` those of a
    dict, by key. An element that `fixed` or `named` place is in `every` too.
    """

    every: Values
    fixed: tuple[Values, ...] | None = None
    named: tuple[tuple[str, Values], ...] = ()
    depth: int = field(default=1, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """A list that is put into itself would never come to an end: below some depth all is unknown."""
        inside = (value.depth for value in self.every if isinstance(value, Items))
        depth = 1 + max(inside, default=0)
        if depth > _DEEPEST:
            object.__setattr__(self, "every", one(Unknown("containers are nested too deeply to follow")))
            object.__setattr__(self, "fixed", None)
            object.__setattr__(self, "named", ())
        object.__setattr__(self, "depth", min(depth, _DEEPEST))


@dataclass(frozen=True)
class Future(Value):
    """What will give these values when it is awaited or asked for its `.result()`."""

    result: Values


@dataclass(frozen=True)
class NoValue(Value):
    """`None`: has no attributes, so it never is what an attribute is read from."""


@dataclass(frozen=True)
class StandIn(Value):
    """A record the user built by hand, such as a prediction: it carries its own trajectory, if any, which the
    shim passes through.

    `made` is the call that built it, where that matters; `fields` are the names of positional arguments.
    """

    made: CallSite | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record(Value):
    """The class that `namedtuple(...)` gives, by the names of its fields; "" where a name is computed."""

    fields: tuple[str, ...]


@dataclass(frozen=True)
class Other(Value):
    """Known, and nothing of DSPy's agents; `what` reads after "may also be"."""

    what: str


@dataclass(frozen=True)
class Alias(Other):
    """A type that is put together, under a name of its own: `Agent = Annotated[dspy.ReAct, ...]`."""

    node: ast.Subscript
    frame: Frame


@dataclass(frozen=True)
class Text(Other):
    """A string with an arrow in it, as DSPy's signatures are written, and where it stands."""

    node: ast.Constant
    file: AnalysedFile


@dataclass(frozen=True)
class Foreign(Other):
    """What a package gave that is not among these files, and that nothing is known of.

    `asked`: a call with nothing but keywords gave it, as DSPy's modules are called.
    """

    asked: bool = False


@dataclass(frozen=True)
class Unknown(Value):
    """Nothing can be said; `why` reads after "may also be anything:". `asked` is as in `Foreign`."""

    why: str
    asked: bool = False


NOTHING: Values = frozenset()


def one(value: Value) -> Values:
    """The set that holds just this value."""
    return frozenset((value,))


def union(sets: Iterable[Values]) -> Values:
    """All the values in all the sets.

    Give it a list where computing them leads deep: a generator is run by C code, whose stack is small.
    """
    return NOTHING.union(*sets)


def opened(values: Values) -> Values:
    """The values, with what futures give in the place of the futures."""
    return union(value.result if isinstance(value, Future) else one(value) for value in values)


def via(values: Values, file: AnalysedFile, node: ast.AST, text: str) -> Values:
    """The same values; those that a verdict may rest on have one more step on their trail."""
    return frozenset(
        replace(v, trail=Trail(file, node, text, v.trail)) if isinstance(v, _TRAILED) else v for v in values
    )


_TRAILED = (Instance, Class, Prediction, Trajectory, History, Library)
_MANY = 60


def widened(values: Values) -> Values:
    """The same set, or a rougher one where it has so many members that no verdict could rest on it."""
    if len(values) <= _MANY:
        return values
    values = frozenset(StandIn() if isinstance(value, StandIn) else value for value in values)
    if len(values) <= _MANY:
        return values
    kept = {v for v in values if isinstance(v, (Prediction, Trajectory, History))}
    return frozenset((*kept, Unknown("too many things reach this place to tell them apart")))


def order(value: Value) -> tuple[str, ...]:
    """A key that sorts values the same way in every run."""
    node = getattr(value, "node", None)
    frame = getattr(value, "frame", None)
    where = f"{frame.file.path}:{getattr(node, 'lineno', 0):09}" if frame is not None else ""
    text = " ".join(str(part) for part in vars(value).values() if isinstance(part, str))
    inner = getattr(value, "cls", None)
    return (type(value).__name__, where, text, *(order(inner) if inner is not None else ()))


def items(*sets: Values) -> Values:
    """A container of all these values, whatever the order."""
    return one(Items(union(sets)))
