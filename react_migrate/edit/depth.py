"""Room for deeply nested code: libcst recurses once per level, on Python's stack and on the machine's."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

LIMIT = 1000  # levels; libcst's parser takes quadratic time in them, and without bound ends the process
_SHALLOW = 50  # levels that fit on any stack
_FRAMES_PER_LEVEL = 40
_STACK = 256 * 1024 * 1024  # bytes, of address space; only what is used becomes memory


def depth(tree: ast.AST) -> int:
    """The number of levels of a tree."""
    levels = 0
    row = [tree]
    while row:
        levels += 1
        row = [child for node in row for child in ast.iter_child_nodes(node)]
    return levels


def with_room_for(levels: int, function: Callable[[], Result]) -> Result:
    """Call `function` where there is stack for this many levels of nested code."""
    if levels <= _SHALLOW:
        return function()
    outcome: list[Result] = []
    problem: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(function())
        except BaseException as error:
            problem.append(error)

    usual_limit, usual_size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(max(usual_limit, levels * _FRAMES_PER_LEVEL))
    try:
        thread = threading.Thread(target=work, name="deep", daemon=True)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(usual_size)
        sys.setrecursionlimit(usual_limit)
    if problem:
        raise problem[0]
    return outcome[0]
