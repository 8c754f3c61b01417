"""What a trajectory is used as, where nothing is known of what it is read from: as an RLM's list of steps?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.rules.misreading import keys_asked_of_elements
from react_migrate.rules.reading import MAPPING, Read

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

STEP_KEYS = frozenset(("reasoning", "code", "output"))


def used_as_steps(file: AnalysedFile, read: Read) -> bool:
    """Whether what is read is taken for steps with an RLM's keys, in a file that an RLM can get into:
    `x.trajectory[-1]["code"]`, `for step in x.trajectory: step["output"]`."""
    if read.form in MAPPING or not file.within_reach_of_rlm:
        return False
    keys = keys_asked_of_elements(file, read.node) | _keys_asked_of_element(file, read.node)
    return bool(keys) and keys <= STEP_KEYS


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
