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


def of_keys(node: cst.BaseExpression) -> cst.BaseExpression:
    """`pred` of `pred.keys()`, as `"trajectory" in pred.keys()` asks no more than without it."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and not node.args:
        return node.func.value if node.func.attr.value == "keys" else node
    return node


def with_comments(made: cst.Call, dot: cst.Dot) -> cst.Call:
    """The call with the comments that stood around the dot it replaces: behind its argument."""
    for space in (dot.whitespace_before, dot.whitespace_after):
        if isinstance(space, cst.ParenthesizedWhitespace) and _has_comment(space):
            argument = made.args[0].with_changes(whitespace_after_arg=space)
            return made.with_changes(args=[argument])
    return made


def _has_comment(space: cst.ParenthesizedWhitespace) -> bool:
    return space.first_line.comment is not None or any(line.comment for line in space.empty_lines)
