"""What a trajectory is used as, where nothing is known of what it is read from: as an RLM's list of steps?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.rules.misreading import keys_asked_of_elements
from react_migrate.rules.reading import MAPPING, Read
from react_migrate.rules.suspicion import called_like_a_prediction

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

STEP_KEYS = frozenset(("reasoning", "code", "output"))


def used_as_steps(file: AnalysedFile, read: Read) -> bool | None:
    """Whether what is read is taken for an RLM's steps, in a file that an RLM can get into: asked for their
    keys, as in `x.trajectory[-1]["code"]` and `for step in x.trajectory: step["output"]`, or by position, as
    in `pred.trajectory[-1]`, where its name says that it may be of a prediction. None: nothing to tell."""
    if read.form in MAPPING or not file.within_reach_of_rlm:
        return False
    keys = keys_asked_of_elements(file, read.node) | _keys_asked_of_element(file, read.node)
    if keys:
        return keys <= STEP_KEYS
    return (_is_indexed(file, read.node) and called_like_a_prediction(read.receiver)) or None


def _is_indexed(file: AnalysedFile, node: ast.expr) -> bool:
    """Whether it is a list: `node[0]`, `node[-1]`, `node[:3]`."""
    use = file.parents.get(node)
    if not isinstance(use, ast.Subscript) or use.value is not node:
        return False
    index = use.slice.operand if isinstance(use.slice, ast.UnaryOp) else use.slice
    return isinstance(index, ast.Slice) or (isinstance(index, ast.Constant) and isinstance(index.value, int))


def _keys_asked_of_element(file: AnalysedFile, node: ast.expr) -> set[str]:
    """The key of `node[0]["key"]` and `node[-1].get("key")`."""
    element = file.parents.get(node)
    if not isinstance(element, ast.Subscript) or element.value is not node:
        return set()
    use = file.parents.get(element)
    key: ast.AST | None = None
    if isinstance(use, ast.Subscript) and use.value is element:
        key = use.slice
    elif isinstance(use, ast.Attribute) and use.attr == "get":
        call = file.parents.get(use)
        key = call.args[0] if isinstance(call, ast.Call) and call.func is use and call.args else None
    return {key.value} if isinstance(key, ast.Constant) and isinstance(key.value, str) else set()
