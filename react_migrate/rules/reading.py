"""The places where a prediction's trajectory is read, whatever the form, each with its verdict.

Shared by the RM2xx rules: they differ in which forms they speak about.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.finding import Fix
from react_migrate.flow import Judgement, Verdict, judge
from react_migrate.flow.index import Scope

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

WORD = "trajectory"


class Form(enum.Enum):
    """How a trajectory is read."""

    ATTRIBUTE = "pred.trajectory"
    ITEM = 'pred["trajectory"]'
    GETATTR = 'getattr(pred, "trajectory")'
    GETATTR_OR = 'getattr(pred, "trajectory", default)'
    GET = 'pred.get("trajectory")'
    GET_OR = 'pred.get("trajectory", default)'
    HASATTR = 'hasattr(pred, "trajectory")'
    IN = '"trajectory" in pred'
    NOT_IN = '"trajectory" not in pred'


GUARDS = frozenset((Form.GETATTR_OR, Form.GET, Form.GET_OR, Form.HASATTR, Form.IN, Form.NOT_IN))
_MAPPING = frozenset((Form.ITEM, Form.GET, Form.GET_OR, Form.IN, Form.NOT_IN))


@dataclass(frozen=True, eq=False)
class Read:
    """One place. `receiver` is what the trajectory is read from, `default` what is taken instead."""

    form: Form
    node: ast.expr
    receiver: ast.expr
    scope: Scope
    default: ast.expr | None = None


def reads(file: AnalysedFile) -> Iterator[Read]:
    """Every place in a file that reads something called `trajectory` from something."""
    index = file.index
    for attribute, scope in index.attributes.get(WORD, ()):
        if isinstance(attribute.ctx, ast.Load):
            yield Read(Form.ATTRIBUTE, attribute, attribute.value, scope)
    if WORD not in index.strings:
        return
    for node, scope in index.nodes[ast.Subscript]:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_word(node.slice):
            yield Read(Form.ITEM, node, node.value, scope)
    for node, scope in index.nodes[ast.Compare]:
        if isinstance(node, ast.Compare) and _is_word(node.left) and len(node.ops) == 1:
            if isinstance(node.ops[0], ast.In):
                yield Read(Form.IN, node, node.comparators[0], scope)
            elif isinstance(node.ops[0], ast.NotIn):
                yield Read(Form.NOT_IN, node, node.comparators[0], scope)
    yield from _calls(file)


def _calls(file: AnalysedFile) -> Iterator[Read]:
    calls = file.index.calls
    for call, scope in calls.get("get", ()):
        if (
            isinstance(call.func, ast.Attribute)
            and call.args
            and _is_word(call.args[0])
            and not call.keywords
        ):
            default = call.args[1] if len(call.args) == 2 else None
            yield Read(Form.GET if default is None else Form.GET_OR, call, call.func.value, scope, default)
    for name, form in (("getattr", Form.GETATTR), ("hasattr", Form.HASATTR)):
        for call, scope in calls.get(name, ()):
            if isinstance(call.func, ast.Name) and len(call.args) >= 2 and _is_word(call.args[1]):
                default = call.args[2] if len(call.args) == 3 else None
                chosen = Form.GETATTR_OR if default is not None else form
                yield Read(chosen, call, call.args[0], scope, default)


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == WORD


@dataclass(frozen=True)
class Opinion:
    """What to do about a read: how safe its fix is, and why it is not safer."""

    fix: Fix
    judgement: Judgement


def opinion(file: AnalysedFile, read: Read) -> Opinion | None:
    """The verdict on a read; None where there is no reason to think of ReAct."""
    judgement = judge(file.values(read.receiver, read.scope))
    if judgement.verdict is Verdict.PROVEN:
        return Opinion(Fix.SAFE, judgement)
    if judgement.verdict is Verdict.MIXED:
        return Opinion(Fix.UNSAFE, judgement)
    if judgement.verdict is Verdict.UNKNOWN and _suspicious(file, read):
        return Opinion(Fix.UNSAFE, judgement)
    return None


def text_of(file: AnalysedFile, node: ast.expr) -> str:
    """The node's text on one line, short enough for a message."""
    text = " ".join(file.source(node).split())
    return text if len(text) <= 60 else text[:57] + "..."


def group_of(file: AnalysedFile, read: Read, among: list[Read]) -> object:
    """What ties a read to the guards on the same value: they are fixed together or not at all."""
    key = _same_value(file, read)
    return key if any(other.form in GUARDS and _same_value(file, other) == key for other in among) else None


def _same_value(file: AnalysedFile, read: Read) -> tuple[object, ...]:
    owner = read.scope.owner()
    definitions: tuple[object, ...] = ()
    if isinstance(read.receiver, ast.Name):
        definitions = tuple(map(id, file.reaching(owner).loads.get(read.receiver, ())))
    return (file.path, id(owner), ast.dump(read.receiver), definitions)


def prints_its_own_text(file: AnalysedFile, node: ast.AST) -> bool:
    """`f"{pred.trajectory=}"` prints the expression itself, so that editing it changes the output."""
    inner: ast.AST | None = node
    while inner is not None and not isinstance(inner, ast.FormattedValue):
        inner = file.parents.get(inner) if isinstance(inner, ast.expr) else None
    string = file.parents.get(inner) if inner is not None else None
    if not isinstance(inner, ast.FormattedValue) or not isinstance(string, ast.JoinedStr):
        return False
    before = string.values[: string.values.index(inner)]
    last = before[-1].value if before and isinstance(before[-1], ast.Constant) else ""
    return isinstance(last, str) and last.rstrip().endswith("=") and "trajectory" in last


def misread_loop(file: AnalysedFile, read: Read) -> ast.For | ast.AsyncFor | ast.comprehension | None:
    """The loop that takes the keys of V1's flat dict for steps: it was wrong on V1 already."""
    for kind in (ast.For, ast.AsyncFor, ast.comprehension):
        for node, _ in file.index.nodes[kind]:
            assert isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))
            if node.iter is not read.node or not isinstance(node.target, ast.Name):
                continue
            whole = file.parents[node] if isinstance(node, ast.comprehension) else node
            if any(_takes_apart(part, node.target.id) for part in ast.walk(whole)):
                return node
    return None


def _takes_apart(node: ast.AST, name: str) -> bool:
    """`step["thought"]`, `step.get("thought")`, `step.thought`: what no key of the dict, a string, has."""
    value = getattr(node, "value", None)
    if not isinstance(value, ast.Name) or value.id != name:
        return False
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Attribute) and not hasattr(str, node.attr)


# -- reads of which nothing is proven

_LIKE_A_PREDICTION = frozenset(("pred", "prediction", "preds", "result", "response", "output", "res", "out"))
_V1_KEYS = ("thought_", "tool_name_", "tool_args_", "observation_")
_DICT_METHODS = frozenset(
    ("items", "keys", "values", "get", "copy", "pop", "update", "setdefault", "__len__")
)


def _suspicious(file: AnalysedFile, read: Read) -> bool:
    """Whether an unproven read may well be of a ReAct prediction: the file knows DSPy, the receiver could be
    a prediction, and what is read is not used as something that V1's flat dict is not."""
    if read.form in _MAPPING or file.path not in file.program.near_dspy:
        return False
    receiver = read.receiver
    plain = isinstance(receiver, ast.Name) and receiver.id not in {"self", "cls"}
    last = receiver.attr if isinstance(receiver, ast.Attribute) else ""
    if not (plain or last in _LIKE_A_PREDICTION):
        return False
    used = _use_as_dict(file, read.node)
    return used is True or (used is None and (plain or last in _LIKE_A_PREDICTION))


def _use_as_dict(file: AnalysedFile, node: ast.expr) -> bool | None:
    """True: used as V1's dict is. False: used as a dict cannot be. None: nothing to tell."""
    parent = file.parents.get(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _DICT_METHODS
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_v1_key(parent.slice)
    if isinstance(parent, (ast.BinOp, ast.UnaryOp)):
        return False
    return None


def _is_v1_key(key: ast.expr) -> bool | None:
    if isinstance(key, ast.JoinedStr):
        return True
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str) and key.value.startswith(_V1_KEYS)
    return False if isinstance(key, (ast.Slice, ast.UnaryOp, ast.Tuple)) else None
