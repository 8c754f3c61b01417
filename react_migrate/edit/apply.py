"""From a module's text and the edits of all rules to its new text."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable

import libcst as cst

from react_migrate.edit.depth import LIMIT, depth, with_room_for
from react_migrate.edit.names import Shims
from react_migrate.edit.scopes import parse
from react_migrate.edit.transform import EditError, transform
from react_migrate.edit.unused import newly_unused
from react_migrate.edit.verify import compiles, same_outside
from react_migrate.finding import Edit, MoveImport
from react_migrate.interpreter import without_gc
from react_migrate.source import SourceError, split_lines


def apply(
    text: str,
    edits: Iterable[Edit | MoveImport],
    *,
    keep_unused: bool = False,
    used_elsewhere: Collection[str] = (),
) -> str:
    """`text` with all edits made, the names they need imported, and imports dropped that only they had used.

    `keep_unused` keeps those, for a package's `__init__.py`, where an import is part of its interface.
    `used_elsewhere` are names that code outside of `text` may use.

    Raises `SourceError` when libcst cannot edit the code, and `EditError` when an edit cannot be made, or the
    result is not valid Python, or it differs from `text` outside of the edited nodes and import lines.
    """
    tree = parse(text)
    levels = depth(tree)
    if levels > LIMIT:
        raise SourceError(
            f"is nested {levels} levels deep, too deep to be edited safely; make this edit by hand"
        )
    with without_gc():
        return with_room_for(levels, lambda: _apply(text, tree, edits, keep_unused, used_elsewhere))


def _apply(
    text: str,
    tree: ast.Module,
    edits: Iterable[Edit | MoveImport],
    keep_unused: bool,
    used_elsewhere: Collection[str],
) -> str:
    shims = Shims(tree)
    edited = _pass(text, shims, edits)
    compiles(text, edited)
    if not keep_unused:
        asked_for = {local for _, local in shims.wanted} - shims.moved
        unused = list(newly_unused(tree, text, edited, asked_for, used_elsewhere))
        if unused:
            edited = _pass(edited, Shims(parse(edited)), unused)
            compiles(text, edited)
    return edited


def _pass(text: str, shims: Shims, edits: Iterable[Edit | MoveImport]) -> str:
    ending = _ending(text)
    module = _parsed(text + ending)
    try:
        edited, ranges = transform(module, shims, edits)
    except cst.CSTValidationError as error:
        raise EditError(f"libcst: {error}") from error
    result = edited.code
    same_outside(text + ending, result, ranges)
    last_line = len(split_lines(text))
    is_import = any(one.start.column == 0 and one.end.line > last_line for one in ranges)
    return result.removesuffix(ending.lstrip("\r\n") if is_import else ending)


def _ending(text: str) -> str:
    r"""What is put behind the text as long as libcst has it: an end for a last line that has none, and a
    comment behind a \r, which libcst would drop from the end of a file."""
    if text.endswith("\n"):
        return ""
    if text.endswith("\r"):
        return "#"
    found = re.search(r"\r\n|\r|\n", text)
    newline = found[0] if found else "\n"
    return "\r#" if newline == "\r" else newline


def _parsed(text: str) -> cst.Module:
    """The module, when libcst gives its text back as it is. Raises `SourceError`."""
    lines = split_lines(text)
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        fed = next((i for i, line in enumerate(lines, 1) if _FORM_FEED.match(line)), None)
        if fed is not None:
            raise _odd_space(fed) from error
        raise SourceError(
            f"uses syntax that libcst cannot edit yet; make this edit by hand ({_short(error)})"
        ) from error
    if module.code != text:
        pairs = zip(lines, split_lines(module.code), strict=False)
        raise _odd_space(next((i for i, (old, new) in enumerate(pairs, 1) if old != new), 1))
    return module


_FORM_FEED = re.compile(r"[ \t]*\f[ \t\f]*[^\s#]")  # before code: libcst takes its column for another one


def _odd_space(line: int) -> SourceError:
    return SourceError(
        f"has white space on line {line} (a form feed?) that libcst cannot keep; "
        "give it a line of its own, or make this edit by hand"
    )


def _short(error: cst.ParserSyntaxError) -> str:
    """libcst's words on one line, without the code it shows: a whole file, where lines end in \\r."""
    return " ".join(error.message.split())
