"""The places where something called `trajectory` is read, whatever the form. Shared by the RM2xx rules."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.flow.scopes import Scope, home_of

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
MAPPING = frozenset((Form.ITEM, Form.GET, Form.GET_OR, Form.IN, Form.NOT_IN))


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
    is_word = _Word(file)
    for node, scope in index.nodes[ast.Subscript]:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and is_word(node.slice, scope):
            yield Read(Form.ITEM, node, node.value, scope)
    for node, scope in index.nodes[ast.Compare]:
        if isinstance(node, ast.Compare) and is_word(node.left, scope) and len(node.ops) == 1:
            receiver = _of_keys(node.comparators[0]) or node.comparators[0]
            if isinstance(node.ops[0], ast.In):
                yield Read(Form.IN, node, receiver, scope)
            elif isinstance(node.ops[0], ast.NotIn):
                yield Read(Form.NOT_IN, node, receiver, scope)
    yield from _calls(file, is_word)


class _Word:
    """Whether an expression is the word: written out, or by a module's constant, `KEY = "trajectory"`."""

    def __init__(self, file: AnalysedFile) -> None:
        self._module = file.index.scopes[file.tree]
        self._names: set[str] = set()
        for string, _ in file.index.strings.get(WORD, ()):
            if isinstance(file.parents.get(string), (ast.Assign, ast.AnnAssign)):
                self._names.update(file.index.names_given.get(string, ()))
        if self._names:
            bound = file.reaching(self._module).everywhere
            self._names = {
                name
                for name in self._names.difference(self._module.writers)
                if [_is_written(definition.node) for definition in bound.get(name, ())] == [True]
            }

    def __call__(self, node: ast.expr, scope: Scope) -> bool:
        if not isinstance(node, ast.Name):
            return _is_written(node)
        return node.id in self._names and home_of(node.id, scope) is self._module


def _is_written(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == WORD


def _of_keys(node: ast.expr) -> ast.expr | None:
    """`pred` of `pred.keys()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys":
        return node.func.value if not node.args else None
    return None


def _calls(file: AnalysedFile, is_word: _Word) -> Iterator[Read]:
    calls = file.index.calls
    for call, scope in calls.get("get", ()):
        if not isinstance(call.func, ast.Attribute) or not call.args or not is_word(call.args[0], scope):
            continue
        defaults = [*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg == "default")]
        if len(call.args) + len(call.keywords) == 1:
            yield Read(Form.GET, call, call.func.value, scope)
        elif len(defaults) == len(call.args) + len(call.keywords) - 1 == 1:
            yield Read(Form.GET_OR, call, call.func.value, scope, defaults[0])
    for name, form in (("getattr", Form.GETATTR), ("hasattr", Form.HASATTR)):
        for call, scope in calls.get(name, ()):
            if isinstance(call.func, ast.Name) and len(call.args) >= 2 and is_word(call.args[1], scope):
                default = call.args[2] if len(call.args) == 3 else None
                chosen = Form.GETATTR_OR if default is not None else form
                yield Read(chosen, call, call.args[0], scope, default)


NEVER_MATCHES = "on DSPy 3.5 this pattern never matches: read the trajectory in the `case` instead"


def patterns(file: AnalysedFile) -> Iterator[tuple[ast.MatchClass, ast.expr, Scope]]:
    """Every `case dspy.Prediction(trajectory=t)`, and what is matched against it."""
    for pattern, scope in file.index.nodes[ast.MatchClass]:
        assert isinstance(pattern, ast.MatchClass)
        if WORD in pattern.kwd_attrs:
            around = file.parents[pattern]
            while isinstance(around, (ast.MatchAs, ast.MatchOr, ast.match_case)):
                around = file.parents[around]
            if isinstance(around, ast.Match):
                yield pattern, around.subject, scope


def text_of(file: AnalysedFile, node: ast.expr) -> str:
    """The node's text on one line, short enough for a message."""
    text = " ".join(file.source(node).split())
    return text if len(text) <= 60 else text[:57] + "..."


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
