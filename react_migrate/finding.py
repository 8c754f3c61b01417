"""What a rule says about one place in the code, and how that place would be edited."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names


class Fix(enum.Enum):
    """Who may apply a fix, in ruff's meaning of the words."""

    SAFE = "safe"  # proven; applied by `rewrite`
    UNSAFE = "unsafe"  # probably right; applied by `rewrite --unsafe`
    MANUAL = "manual"  # a human has to decide; never applied


class Span(NamedTuple):
    """A half-open region of one module's text: lines from 1, columns from 1, counted in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Edit:
    """Replace the libcst node of type `node` that stands at `span`.

    `rewrite` receives the node with all edits inside it already made, and a `Names` that turns a name of
    `react_shims` into what this file calls it (adding the import). It returns the new node and must not
    mutate the old one. Edits may nest; no two edits may name the same node. Of a compound statement (a
    class, a function, an `if`) only the header may change; what is in its body has edits of its own.
    """

    span: Span
    node: str  # the libcst class's name: "Attribute", "Call", "ClassDef", ...
    rewrite: Callable[[cst.CSTNode, Names], cst.CSTNode | cst.FlattenSentinel[Any]]


@dataclass(frozen=True)
class MoveImport:
    """Take `name` out of the import statement at `span`.

    With `to` the statement is followed (or, when nothing else is left in it, replaced) by
    `from {to[0]} import {to[1]} as {bound}` in the same block; at module level what comes from `react_shims`
    is put into one import with what edits need from it. With `to=None` the name just goes.
    `from m import a as b` is named `a`; `import m.n as b` is named `m.n`.
    """

    span: Span
    name: str
    to: tuple[str, str] | None = None
    bound: str | None = None  # the name it binds afterwards; None keeps `to[1]`


@dataclass(frozen=True)
class Finding:
    """One place that a rule has something to say about.

    `why` holds the reasons a verdict is not stronger ("may also be the prediction of `cot`, line 12").
    `group` ties findings that must be fixed together or not at all (a guard and the reads it protects).
    """

    code: str
    span: Span
    message: str
    fix: Fix
    edits: tuple[Edit | MoveImport, ...] = ()
    why: tuple[str, ...] = ()
    group: object = None
