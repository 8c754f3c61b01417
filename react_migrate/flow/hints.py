"""Types as evidence: what `agent: dspy.ReAct` says about `agent`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from react_migrate.flow import classes
from react_migrate.flow.frames import Frame
from react_migrate.flow.known import MODULES
from react_migrate.flow.values import (
    NOTHING,
    Alias,
    Class,
    Instance,
    Items,
    Library,
    NoValue,
    Other,
    Unknown,
    Value,
    Values,
    one,
    union,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

_WRAPPERS = frozenset(("Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Awaitable"))
_SEQUENCES = frozenset(
    (
        *(
            "list",
            "List",
            "set",
            "Set",
            "frozenset",
            "Sequence",
            "Iterable",
            "Iterator",
            "Collection",
            "deque",
        ),
        *("AsyncIterator", "AsyncIterable", "Generator", "AsyncGenerator"),
    )
)
_CONTAINERS_IN = frozenset(("builtins", "typing", "collections", "collections.abc"))
_PROTOCOLS = frozenset(("typing.Protocol", "typing_extensions.Protocol"))
_MAPPINGS = frozenset(("dict", "Dict", "Mapping", "MutableMapping", "defaultdict"))


Resolve = Callable[["Evaluator", ast.expr, Frame], Values]


def _by_place(flow: Evaluator, node: ast.expr, frame: Frame) -> Values:
    return flow.values(node, frame)


def instance_of(flow: Evaluator, node: ast.expr, frame: Frame, resolve: Resolve = _by_place) -> Values:
    """The values that an annotation promises; `Unknown` where it promises nothing that is followed here.

    `resolve` says what the names in it mean: in one written as a string they have no place in the code.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        parsed = _parsed(node.value)
        return instance_of(flow, parsed, frame, _by_name) if parsed is not None else one(_UNREADABLE)
    if isinstance(node, ast.Constant) and node.value is None:
        return one(NoValue())
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = (instance_of(flow, side, frame, resolve) for side in (node.left, node.right))
        return left | right
    if isinstance(node, ast.Subscript):
        return _generic(flow, node, frame, resolve)
    return union(_promised(flow, value) for value in resolve(flow, node, frame))


def tells(values: Values) -> bool:
    """Whether a promise leaves nothing open, of what a container holds neither."""
    return all(
        tells(value.every) if isinstance(value, Items) else not isinstance(value, Unknown) for value in values
    )


def quoted(flow: Evaluator, text: str, frame: Frame) -> Values:
    """The things that the text of a string annotation names, read as if it stood there without quotes."""
    parsed = _parsed(text)
    return _by_name(flow, parsed, frame) if parsed is not None else one(_UNREADABLE)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


_UNREADABLE = Unknown("its annotation cannot be read")


def _by_name(flow: Evaluator, node: ast.expr, frame: Frame) -> Values:
    from react_migrate.flow import attributes, names  # both need this module

    if isinstance(node, ast.Name):
        return names.anywhere(flow, node.id, frame)
    if isinstance(node, ast.Attribute):
        return attributes.of_all(flow, _by_name(flow, node.value, frame), node.attr, node, frame)
    if isinstance(node, ast.BinOp):
        return _by_name(flow, node.left, frame) | _by_name(flow, node.right, frame)
    if isinstance(node, ast.Constant) and node.value is None:
        return one(NoValue())
    return one(Unknown("its annotation is not followed"))


def _generic(flow: Evaluator, node: ast.Subscript, frame: Frame, resolve: Resolve) -> Values:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in {"type", "Type"}:
        promised = instance_of(flow, parts[0], frame, resolve)
        return frozenset(value.cls if isinstance(value, Instance) else value for value in promised)
    inside = [instance_of(flow, part, frame, resolve) for part in parts]
    if name in _WRAPPERS:
        return inside[0] | one(NoValue()) if name == "Optional" else inside[0]
    if name == "Union":
        return union(inside)
    if name in _SEQUENCES:
        return one(Items(inside[0]))
    if name in _MAPPINGS and len(parts) == 2:
        return one(Items(inside[1]))
    if name in {"tuple", "Tuple"}:
        if isinstance(parts[-1], ast.Constant) and parts[-1].value is Ellipsis:
            return one(Items(inside[0]))
        return one(Items(union(inside), tuple(inside)))
    return one(Unknown("its annotation is not followed"))


def _promised(flow: Evaluator, value: Value) -> Values:
    if isinstance(value, Class):
        if any(isinstance(base, Library) and base.path in _PROTOCOLS for base in classes.bases(flow, value)):
            return one(Unknown(f"its annotation is a protocol, `{value.node.name}`, which anything can meet"))
        return one(Instance(value, trail=value.trail))
    if isinstance(value, Alias):
        return instance_of(flow, value.node, value.frame)
    if isinstance(value, Library):
        if value.path in MODULES and value.path != "dspy.Module":
            return one(Instance(value, trail=value.trail))
        if value.path in {"dspy.Prediction", "dspy.Module", "typing.Any", "builtins.object"}:
            return one(Unknown(f"it is annotated `{value.path}`, which does not say what kind"))
        top, _, name = value.path.rpartition(".")
        if top in _CONTAINERS_IN and name in _SEQUENCES | _MAPPINGS | {"tuple", "Tuple"}:
            return one(Unknown(f"it is annotated `{name}`, which does not say of what"))
        if value.path.startswith("builtins."):
            return one(Other(f"`{value.path.removeprefix('builtins.')}`"))
        if value.path.rpartition(".")[2][:1].isupper():
            return one(Instance(Library(value.path)))
        return one(Other(f"an object of `{value.path}`"))
    return NOTHING if isinstance(value, NoValue) else one(Unknown("its annotation is not followed"))
