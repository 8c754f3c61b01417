"""Mutations of expressions that do not change what a program does: renamed, and read in other ways."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import libcst as cst
import libcst.matchers as m
from mutate_format import Mutation

NEW_NAMES = [
    "trajectory_of",
    "has_trajectory",
    "ReAct",
    "TruncationHook",
    "react_shims",
    "größe",
    "type",
    "self_",
    "_",
]

READS = [  # ways to read `x.trajectory`; `{0}` stands for `x`
    "({0}).trajectory",
    "({0}\n    # why\n    .trajectory)",
    "{0} . trajectory",
    "( {0}.trajectory )",
    "[{0}][0].trajectory",
    "({0} if True else {0}).trajectory",
    "(_run := {0}).trajectory",
    "(lambda _run: _run.trajectory)({0})",
    "(lambda _run={0}: _run.trajectory)()",
    "[_run.trajectory for _run in [{0}]][0]",
    "next(_run.trajectory for _run in ({0},))",
    "next(iter([{0}])).trajectory",
    "dict(run={0})['run'].trajectory",
    "getattr({0}, 'trajectory')",
    "getattr({0}, 'trajectory', None)",
    "{0}['trajectory']",
    "{0}.get('trajectory')",
    "({0}.trajectory if hasattr({0}, 'trajectory') else {{}})",
    "({0} and {0}.trajectory)",
    "{0}.trajectory.copy()",
    "dict(**{0}.trajectory)",
]


def renamed(text: str, random: Random) -> str | None:
    """A variable has another name, also one that the rewrite wants to use itself."""
    module = cst.parse_module(text)
    everywhere, plain, stored = _names(module)
    fits = sorted(
        name
        for name in stored
        if plain[name] == everywhere[name] and name not in dir(builtins) and not name.startswith("__")
    )
    new = [name for name in NEW_NAMES if name not in everywhere]
    if not fits or not new:
        return None
    changed = module.visit(_Rename(random.choice(fits), random.choice(new)))
    assert isinstance(changed, cst.Module)
    return changed.code


def read_otherwise(text: str, random: Random) -> str | None:
    """A trajectory is read in another way."""
    module = cst.parse_module(text)
    reads = m.findall(module, m.Attribute(attr=m.Name("trajectory")))
    if not reads:
        return None
    chosen = random.choice(reads)
    assert isinstance(chosen, cst.Attribute)
    receiver = module.code_for_node(chosen.value)
    if "\n" in receiver:
        return None
    made = cst.parse_expression(random.choice(READS).format(receiver))
    try:
        changed = module.deep_replace(chosen, made)
        assert isinstance(changed, cst.Module)
        compile(changed.code, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, cst.CSTValidationError):
        return None  # a walrus in a comprehension's iterable, quotes in an f-string
    return changed.code


NAMES: tuple[Mutation, ...] = (renamed, read_otherwise, read_otherwise)


def _names(module: cst.Module) -> tuple[Counter[str], Counter[str], set[str]]:
    """How often each name stands in the code, how often as a plain variable, and which ones are assigned."""
    everywhere: Counter[str] = Counter()
    special: Counter[str] = Counter()
    stored: set[str] = set()
    for node in _walk(module):
        if isinstance(node, cst.Name):
            everywhere[node.value] += 1
        special.update(name.value for name in _special(node) if isinstance(name, cst.Name))
        if isinstance(node, (cst.AssignTarget, cst.For, cst.CompFor)):
            stored |= {name.value for name in _walk(node.target) if isinstance(name, cst.Name)}
    return everywhere, everywhere - special, stored


def _special(node: cst.CSTNode) -> Iterator[object]:
    """The names in a node that are no variables, or are known elsewhere by their name."""
    if isinstance(node, cst.Attribute):
        yield node.attr
    elif isinstance(node, cst.Arg):
        yield node.keyword
    elif isinstance(node, (cst.Param, cst.FunctionDef, cst.ImportAlias, cst.AsName, cst.NameItem)):
        yield node.name
    elif isinstance(node, cst.ClassDef):
        yield node.name
        for statement in m.findall(node, m.AssignTarget() | m.AnnAssign()):
            yield from _walk(statement.target)  # type: ignore[attr-defined]  # of these two it has one


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _walk(child)


class _Rename(cst.CSTTransformer):
    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self._old = old
        self._new = new

    def on_leave(self, original: cst.CSTNode, updated: Any) -> Any:
        return updated.with_changes(value=self._new) if _is_name(updated, self._old) else updated


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
