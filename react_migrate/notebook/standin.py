"""What stands in a notebook's module for text that is not Python, and between two cells.

A stand-in is an integer literal, spelled as nobody writes one: valid wherever a statement or an expression
is, without a name, without an effect, and found again in the edited module. `0x_00` and so on stand for
magics and for cells that are left out, `0x_ce11_00` and so on for the end of a cell.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

LITERAL = re.compile(r"0x_[0-9a-f_]+")
_ANY = "0x_"
_BOUNDARY = "0x_ce11_"
_NEWLINES = re.compile(r"\r\n|\r|\n")


def literals(taken: Container[str]) -> Iterator[str]:
    """Literals for magics and cells, the shortest first; none that the notebook has itself."""
    return (one for number in itertools.count() if (one := f"{_ANY}{number:02x}") not in taken)


def boundaries(taken: Container[str]) -> Iterator[str]:
    """Literals for the ends of cells; none that the notebook has itself."""
    return (one for number in itertools.count() if (one := f"{_BOUNDARY}{number:02x}") not in taken)


def is_stand_in(literal: str) -> bool:
    """Whether an integer literal is the stand-in of anything."""
    return literal.startswith(_ANY)


def is_boundary(literal: str) -> bool:
    """Whether an integer literal stands for the end of a cell."""
    return literal.startswith(_BOUNDARY)


class Aside(NamedTuple):
    """A part of a cell's text that is not Python. A prefix has a Python statement behind it on its line."""

    start: int
    end: int
    is_prefix: bool = False


class StoodFor(NamedTuple):
    """What stands in the module, the literal in it, and what it stands for."""

    stand_in: str
    literal: str
    original: str


def set_aside(text: str, asides: Iterable[Aside], literals: Iterable[str]) -> tuple[str, list[StoodFor]]:
    """The text with a stand-in for each part that is set aside; and these stand-ins, in order."""
    stood_for: list[StoodFor] = []
    parts: list[str] = []
    last = 0
    for aside, literal in zip(asides, literals, strict=False):
        original = text[aside.start : aside.end]
        stand_in = _as_prefix(original, literal) if aside.is_prefix else _as_statement(original, literal)
        stood_for.append(StoodFor(stand_in, literal, original))
        parts += [text[last : aside.start], stand_in]
        last = aside.end
    return "".join([*parts, text[last:]]), stood_for


def _as_statement(original: str, literal: str) -> str:
    """For whole lines, or for the rest of one: it has as many line ends as they have."""
    newlines = "".join(
        "\n" if end == "\r" else end for end in _NEWLINES.findall(original)
    )  # "\r", "\n" are two
    return f"({literal}{newlines})" if newlines else literal


def _as_prefix(original: str, literal: str) -> str:
    """For a magic in front of a statement: as wide as that, so that columns stay right."""
    return f"{literal};".ljust(len(original))
