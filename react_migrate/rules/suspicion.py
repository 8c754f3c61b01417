"""Reads of which nothing is proven: which of them may well be of a ReAct prediction all the same?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import Judgement, Verdict
from react_migrate.flow.values import Library
from react_migrate.rules.reading import MAPPING, Read

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile
    from react_migrate.flow.scopes import Scope

_LIKE_A_PREDICTION = frozenset(
    (
        *("pred", "prediction", "result", "response", "output", "outcome", "res", "out"),
        *("preds", "predictions", "results", "responses", "outputs"),
    )
)
_V1_KEYS = ("thought_", "tool_name_", "tool_args_", "observation_")
_READERS = frozenset(("react_shims.trajectory_of", "react_shims.has_trajectory"))
_DICT_METHODS = frozenset(
    ("items", "keys", "values", "get", "copy", "pop", "update", "setdefault", "__len__")
)


def suspicious(file: AnalysedFile, read: Read, judgement: Judgement) -> bool:
    """Whether to speak of a read with the verdict UNKNOWN or FOREIGN: the file is near DSPy, or an agent can
    get into it, and what is read is not used as something that V1's flat dict is not; then its use, the
    receiver's name or the way the receiver came about have to speak for it. Of an unknown one (not a foreign
    one) near DSPy any name will do."""
    near = file.path in file.program.near_dspy
    if read.form in MAPPING or not (near or file.within_reach) or _is_own(read.receiver):
        return False
    used = use_as_dict(file, read)
    if used is not None:
        return used
    is_named = isinstance(read.receiver, ast.Name) and judgement.verdict is Verdict.UNKNOWN
    if near and (judgement.asked or is_named):
        return True
    return called_like_a_prediction(read.receiver) or made_like_a_prediction(read.receiver)


def _is_own(receiver: ast.expr) -> bool:
    return isinstance(receiver, ast.Name) and receiver.id in {"self", "cls"}


def called_like_a_prediction(receiver: ast.expr) -> bool:
    """`pred`, `self.result`, `outputs[0]`, `state["result"]`."""
    while isinstance(receiver, ast.Subscript):
        if isinstance(receiver.slice, ast.Constant) and receiver.slice.value in _LIKE_A_PREDICTION:
            return True
        receiver = receiver.value
    name = receiver.attr if isinstance(receiver, ast.Attribute) else getattr(receiver, "id", None)
    return name in _LIKE_A_PREDICTION


def made_like_a_prediction(receiver: ast.expr) -> bool:
    """`agent(question=q)`, `await agent.acall(question=q)`: DSPy's modules take nothing but keywords."""
    call = receiver.value if isinstance(receiver, ast.Await) else receiver
    return isinstance(call, ast.Call) and bool(call.keywords) and not call.args


def use_as_dict(file: AnalysedFile, read: Read) -> bool | None:
    """True: used as V1's dict is. False: used as a dict cannot be. None: nothing to tell."""
    node = read.node
    parent = file.parents.get(node)
    if isinstance(parent, ast.Call) and parent.args[:1] == [node] and _has_one(file, parent.func, read.scope):
        return False
    if isinstance(parent, ast.Attribute):
        return parent.attr in _DICT_METHODS
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_v1_key(parent.slice)
    if isinstance(parent, (ast.BinOp, ast.UnaryOp)):
        return False
    return None


def _has_one(file: AnalysedFile, function: ast.expr, scope: Scope) -> bool:
    """Whether what the function is given has a trajectory itself, as the `a.trajectory` of
    `a.trajectory.trajectory` has: it is so read, or was before it was edited."""
    called = (value for value in file.values(function, scope) if isinstance(value, Library))
    return any(value.path in _READERS for value in called)


def _is_v1_key(key: ast.expr) -> bool | None:
    if isinstance(key, ast.JoinedStr):
        return True
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str) and key.value.startswith(_V1_KEYS)
    return False if isinstance(key, (ast.Slice, ast.UnaryOp, ast.Tuple)) else None
