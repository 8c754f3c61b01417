"""`ReActV2` in annotations written as strings. For RM101."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit
from react_migrate.flow import hints
from react_migrate.flow.frames import Frame
from react_migrate.flow.scopes import Scope
from react_migrate.rules.annotations import in_annotation
from react_migrate.rules.v2_name import NEW, OLD, is_library, only_v2

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile

_QUOTED = re.compile(r"\b(?:\w+\.)*ReActV2\b")
_ONE_LITERAL = re.compile(r"""[rRuU]*(\"{3}|'{3}|"|')(?:(?!\1).)*\1""", re.DOTALL)


def quoted_v2(file: AnalysedFile, renamed: bool) -> Iterator[tuple[ast.Constant, Edit]]:
    """The string annotations that mean DSPy's class, and their edits.

    With `renamed` the name `ReActV2` by itself changes too, not only `dspy.ReActV2`.
    """
    for string, scope in _quoted_annotations(file):
        edit = _in_string(file, string, scope, renamed)
        if edit is not None:
            yield string, edit


def _quoted_annotations(file: AnalysedFile) -> Iterator[tuple[ast.Constant, Scope]]:
    """The string constants inside annotations that name `ReActV2`."""
    for text, found in file.index.strings.items():
        if OLD not in text:
            continue
        for string, scope in found:
            if in_annotation(file, string):
                yield string, scope


def _in_string(file: AnalysedFile, string: ast.Constant, scope: Scope, renamed: bool) -> Edit | None:
    """The edit of a quoted annotation, if the names in it are DSPy's and change."""
    frame = file.program.flow.frames.general(scope)
    texts = {match.group() for match in _QUOTED.finditer(str(string.value))}
    changing = {text for text in texts if _changes(file, text, frame, renamed)}
    if not changing or not _ONE_LITERAL.fullmatch(file.source(string)):
        return None

    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        import libcst as cst

        literal = cst.ensure_type(node, cst.SimpleString)
        new = _QUOTED.sub(lambda m: names.shim(NEW) if m.group() in changing else m.group(), literal.value)
        return literal.with_changes(value=new)

    return Edit(file.span(string), "SimpleString", rewrite)


def _changes(file: AnalysedFile, text: str, frame: Frame, renamed: bool) -> bool:
    """Whether a name means DSPy's class, and not by way of a module of the project."""
    flow = file.program.flow
    module, dot, _ = text.rpartition(".")
    if not (is_library(hints.quoted(flow, module, frame)) if dot else renamed):
        return False
    return only_v2(hints.quoted(flow, text, frame))
