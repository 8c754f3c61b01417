"""From a module's text and the edits of all rules to its new text."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

import libcst as cst

from react_migrate.edit.names import Shims
from react_migrate.edit.transform import EditError, transform
from react_migrate.edit.unused import newly_unused
from react_migrate.edit.verify import compiles, same_outside
from react_migrate.finding import Edit, MoveImport


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
    Raises `EditError` when an edit cannot be made, or when the result is not valid Python or differs from
    `text` anywhere else than in the edited nodes and in import lines.
    """
    tree = ast.parse(text)
    shims = Shims(tree)
    edited = _pass(text, shims, edits)
    if not keep_unused:
        asked_for = {local for _, local in shims.wanted} - shims.moved
        unused = list(newly_unused(tree, edited, asked_for, used_elsewhere))
        if unused:
            edited = _pass(edited, Shims(ast.parse(edited)), unused)
    compiles(text, edited)
    return edited


def _pass(text: str, shims: Shims, edits: Iterable[Edit | MoveImport]) -> str:
    try:
        module = cst.parse_module(text)
        if module.code != text:
            raise EditError("libcst does not reproduce the text as it is")
        edited, ranges = transform(module, shims, edits)
        result = edited.code
    except (cst.ParserSyntaxError, cst.CSTValidationError) as error:
        raise EditError(f"libcst: {error}") from error
    except RecursionError as error:
        raise EditError("the code is nested too deeply") from error
    same_outside(text, result, ranges)
    return result
