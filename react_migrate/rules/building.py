"""Small makers of libcst nodes that the rules' edits are built from; imported only where edits are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from react_migrate.edit import Names


def call(names: Names, function: str, *arguments: cst.BaseExpression, like: cst.BaseExpression) -> cst.Call:
    """`function(arguments...)` of `react_shims`, in the parentheses that `like` stands in."""
    args = [cst.Arg(unwrapped(argument)) for argument in arguments]
    return cst.Call(names.node(function), args, lpar=like.lpar, rpar=like.rpar)


def unwrapped(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression without the parentheses that an argument list makes superfluous.

    Those of walruses, tuples, generators and `yield` stay, and any with a line break in them.
    """
    kept = (cst.NamedExpr, cst.GeneratorExp, cst.Yield, cst.Tuple)
    if len(node.lpar) != 1 or isinstance(node, kept):
        return node
    spaces = (node.lpar[0].whitespace_after, node.rpar[0].whitespace_before)
    if not all(isinstance(space, cst.SimpleWhitespace) for space in spaces):
        return node
    return node.with_changes(lpar=[], rpar=[])
