"""Edits as rules make them, for tests of what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from react_migrate.edit import Names, apply
from react_migrate.finding import Edit, MoveImport, Span


def spans(text: str, kind: str, wanted: Callable[[cst.CSTNode], bool]) -> Iterator[Span]:
    """Where the libcst nodes of one class are that `wanted` says yes to."""
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    for node, where in wrapper.resolve(PositionProvider).items():
        if type(node).__name__ == kind and wanted(node):
            yield Span(where.start.line, where.start.column + 1, where.end.line, where.end.column + 1)


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def reads(text: str) -> list[Edit]:
    """Every `x.trajectory` becomes `trajectory_of(x)`."""

    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        return cst.Call(names.node("trajectory_of"), [cst.Arg(cst.ensure_type(node, cst.Attribute).value)])

    found = spans(text, "Attribute", lambda node: _reads(node, "trajectory"))
    return [Edit(span, "Attribute", rewrite) for span in found]


def _reads(node: cst.CSTNode, attribute: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == attribute


def renames(text: str) -> list[Edit]:
    """Every `dspy.ReActV2`, under whatever name of dspy, becomes the shim's `ReAct`."""
    found = spans(text, "Attribute", lambda node: _reads(node, "ReActV2"))
    return [Edit(span, "Attribute", lambda node, names: names.node("ReAct")) for span in found]


def moves(
    text: str, to: tuple[str, str] | None = ("react_shims", "ReAct"), keep: bool = True
) -> list[MoveImport]:
    """Every import of `ReActV2` from dspy comes from `to`, under its name or (not `keep`) the new one."""
    found: list[MoveImport] = []
    for span in spans(text, "ImportFrom", lambda node: code(node).startswith("from dspy")):
        statement = next(iter(_nodes(text, span)))
        for alias in statement.names if not isinstance(statement.names, cst.ImportStar) else ():
            if code(alias.name) == "ReActV2":
                local = alias.asname.name.value if alias.asname else "ReActV2"  # type: ignore[union-attr]
                found.append(MoveImport(span, "ReActV2", to, local if keep and to else None))
    return found


def _nodes(text: str, span: Span) -> Iterator[cst.ImportFrom]:
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    for node, where in wrapper.resolve(PositionProvider).items():
        if isinstance(node, cst.ImportFrom) and (where.start.line, where.start.column + 1) == span[:2]:
            yield node


def migrate(text: str, **settings: bool) -> str:
    """`text` with all of the above done to it."""
    return apply(text, [*reads(text), *renames(text), *moves(text)], **settings)
