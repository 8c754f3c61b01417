"""Names into and out of import statements (libcst nodes), with the comments and layout of the others kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias, cast

import libcst as cst

Import: TypeAlias = cst.Import | cst.ImportFrom
Space: TypeAlias = cst.BaseParenthesizableWhitespace


class Taken(NamedTuple):
    """An import statement less some names (None when none is left), and the comments beside those."""

    rest: Import | None
    comments: tuple[cst.Comment, ...]


def take_out(statement: Import, names: Collection[str]) -> Taken:
    """`statement` without the parts called `names` (see `finding.MoveImport`)."""
    if isinstance(statement.names, cst.ImportStar):
        return Taken(statement, ())
    comments: list[cst.Comment] = []
    rest: Import = statement
    aliases = statement.names
    for alias in aliases:
        if dotted(alias.name) in names:
            if len(cast(Sequence[cst.ImportAlias], rest.names)) == 1:
                return Taken(None, (*comments, *_comments_of(statement, alias)))
            comments += _comments_of(rest, alias)
            rest = _without(rest, alias)
    return Taken(rest, tuple(comments))


def _without(statement: Import, alias: cst.ImportAlias) -> Import:
    """One name less. The space before it and after it become one; comments of its neighbours stay in it."""
    names = list(cast(Sequence[cst.ImportAlias], statement.names))
    index = names.index(alias)
    is_last = index == len(names) - 1
    merged = _merge(_space_before(statement, index), _space_after(statement, alias))
    del names[index]
    if index:
        previous = names[index - 1]
        if is_last and not isinstance(alias.comma, cst.Comma):
            names[index - 1] = previous.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return _with_closing_space(statement.with_changes(names=names), merged)
        if isinstance(previous.comma, cst.Comma):
            comma = previous.comma.with_changes(whitespace_after=merged)
            names[index - 1] = previous.with_changes(comma=comma)
    elif isinstance(statement, cst.ImportFrom) and statement.lpar:
        return statement.with_changes(names=names, lpar=statement.lpar.with_changes(whitespace_after=merged))
    return statement.with_changes(names=names)


def _space_before(statement: Import, index: int) -> Space | None:
    if index:
        comma = cast(Sequence[cst.ImportAlias], statement.names)[index - 1].comma
        return comma.whitespace_after if isinstance(comma, cst.Comma) else None
    if isinstance(statement, cst.ImportFrom) and statement.lpar:
        return statement.lpar.whitespace_after
    return None


def _space_after(statement: Import, alias: cst.ImportAlias) -> Space | None:
    if isinstance(alias.comma, cst.Comma):
        return alias.comma.whitespace_after
    if isinstance(statement, cst.ImportFrom) and statement.rpar:
        return statement.rpar.whitespace_before
    return None


def _merge(before: Space | None, after: Space | None) -> Space:
    if not isinstance(after, cst.ParenthesizedWhitespace):
        return before or after or cst.SimpleWhitespace("")
    if not isinstance(before, cst.ParenthesizedWhitespace):
        return after.with_changes(first_line=_bare(after.first_line))
    lines = [*before.empty_lines, *after.empty_lines]
    return after.with_changes(first_line=before.first_line, empty_lines=lines)


def _without_indent(space: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    return space.with_changes(last_line=cst.SimpleWhitespace(""))


def _bare(line_end: cst.TrailingWhitespace) -> cst.TrailingWhitespace:
    return line_end.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))


def _with_closing_space(statement: Import, space: Space) -> Import:
    if isinstance(statement, cst.ImportFrom) and statement.rpar:
        keep = statement.rpar.whitespace_before
        if isinstance(space, cst.ParenthesizedWhitespace):
            keep = space if isinstance(keep, cst.ParenthesizedWhitespace) else _without_indent(space)
        return statement.with_changes(rpar=statement.rpar.with_changes(whitespace_before=keep))
    return statement


def _comments_of(statement: Import, alias: cst.ImportAlias) -> tuple[cst.Comment, ...]:
    space = _space_after(statement, alias)
    comment = space.first_line.comment if isinstance(space, cst.ParenthesizedWhitespace) else None
    return (comment,) if comment else ()


def local_names(statement: cst.CSTNode) -> dict[str, str]:
    """The names in an import statement, and what each is called here."""
    assert isinstance(statement, cst.Import | cst.ImportFrom), type(statement)
    return {} if isinstance(statement.names, cst.ImportStar) else dict(map(_pair, statement.names))


def dotted(node: cst.BaseExpression) -> str:
    """`a.b.c` of a Name or an Attribute chain."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join(reversed([*parts, node.value if isinstance(node, cst.Name) else "?"]))


def from_import(module: str, names: Iterable[tuple[str, str]]) -> cst.ImportFrom:
    """`from module import a, b as c`, for pairs of a name and what it is called here; in isort's order."""
    first, *rest = module.split(".")
    node: cst.Attribute | cst.Name = cst.Name(first)
    for part in rest:
        node = cst.Attribute(node, cst.Name(part))
    return cst.ImportFrom(module=node, names=[_alias(*pair) for pair in sorted(set(names), key=isort_key)])


def add_names(statement: cst.ImportFrom, names: Iterable[tuple[str, str]]) -> cst.ImportFrom:
    """The statement with more names, laid out as the others are; in isort's order if the others are in it."""
    for pair in sorted(set(names), key=isort_key):
        present = list(cast(Sequence[cst.ImportAlias], statement.names))
        keys = [isort_key(_pair(alias)) for alias in present]
        if isort_key(pair) in keys:
            continue
        index = next((i for i, key in enumerate(keys) if key > isort_key(pair)), len(keys))
        statement = _insert(statement, present, index if keys == sorted(keys) else len(keys), _alias(*pair))
    return statement


def _insert(
    statement: cst.ImportFrom, names: list[cst.ImportAlias], index: int, alias: cst.ImportAlias
) -> cst.ImportFrom:
    between = _separator(statement)
    if index < len(names):
        names.insert(index, alias.with_changes(comma=between))
        return statement.with_changes(names=names)
    last = names[-1]
    if not isinstance(last.comma, cst.Comma):
        names[-1] = last.with_changes(comma=between)
        return statement.with_changes(names=[*names, alias])
    inner, outer = between.whitespace_after, last.comma.whitespace_after
    if isinstance(inner, cst.ParenthesizedWhitespace) and isinstance(outer, cst.ParenthesizedWhitespace):
        inner, outer = (
            outer.with_changes(last_line=inner.last_line),
            inner.with_changes(last_line=outer.last_line),
        )
    names[-1] = last.with_changes(comma=last.comma.with_changes(whitespace_after=inner))
    alias = alias.with_changes(comma=last.comma.with_changes(whitespace_after=outer))
    return statement.with_changes(names=[*names, alias])


def _separator(statement: cst.ImportFrom) -> cst.Comma:
    """A comma as between the names of this statement: with a new line where each name has its own."""
    space = statement.lpar.whitespace_after if statement.lpar else None
    if isinstance(space, cst.ParenthesizedWhitespace):
        return cst.Comma(
            whitespace_after=space.with_changes(first_line=_bare(space.first_line), empty_lines=[])
        )
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _alias(name: str, local: str) -> cst.ImportAlias:
    return cst.ImportAlias(cst.Name(name), asname=cst.AsName(cst.Name(local)) if local != name else None)


def _pair(alias: cst.ImportAlias) -> tuple[str, str]:
    name = dotted(alias.name)
    return name, alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else name


def isort_key(pair: tuple[str, str]) -> tuple[int, str, str]:
    """isort's default order inside one statement: CONSTANTS, Classes, functions."""
    name, local = pair
    local = "" if local == name else local
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name, local
