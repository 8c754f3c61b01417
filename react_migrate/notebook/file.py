"""One notebook as one module: its cells joined, what is not Python stood in for, and the way back."""

from __future__ import annotations

import ast
import bisect
import codecs
import itertools
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from react_migrate.notebook import standin
from react_migrate.notebook.document import Document, read_document
from react_migrate.notebook.magics import Reading, names_in, read_cell
from react_migrate.notebook.standin import StoodFor, set_aside
from react_migrate.source import LeftOut, NotParsedError, Part, Place, RestoreError, SourceError, split_lines

_NEWLINE = re.compile(r"\r\n|\r|\n")


class CellText(NamedTuple):
    """A cell's part of the module, and its source."""

    code: str
    source: str


@dataclass(frozen=True)
class Notebook:
    """A notebook; see `source.Source`. Its text is that of all its code cells, in their order."""

    path: Path
    raw: bytes
    text: str
    _document: Document
    _readings: tuple[Reading, ...]
    _stood_for: tuple[StoodFor, ...]
    encoding: str = "utf-8"

    @cached_property
    def code(self) -> bytes:
        """The module, and what of it is code and left out: a notebook is about what that names, too."""
        return "\n".join([self.text, *(one.code for one in self.left_out)]).encode(errors="replace")

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """Cells that do not parse or are handed elsewhere, and arguments of magics."""
        return [
            replace(one, line=first + one.line - 1)
            for reading, first in zip(self._readings, self._first_lines, strict=False)
            for one in reading.left_out
        ]

    @cached_property
    def unseen(self) -> frozenset[str]:
        """The names in everything that is stood in for."""
        return frozenset(name for one in self._stood_for for name in names_in(one.original))

    def parts(self) -> Sequence[Part]:
        return [
            Part(cell.number, cell.source.encode(errors="backslashreplace")) for cell in self._document.cells
        ]

    def locate(self, line: int) -> Place:
        index = self._index(line)
        if index < 0:
            return Place(None, line)
        return Place(self._document.cells[index].number, line - self._first_lines[index] + 1)

    def line(self, number: int) -> str:
        lines = self._lines_of(self._index(number))
        at = number - self._first_lines[self._index(number)] if lines else 0
        return lines[at] if 0 <= at < len(lines) else ""

    def restore(self, text: str) -> bytes:
        """See `source.Source`. Raises `RestoreError` where a stand-in is not what it was, a cell that is left
        out changed, or a cell does not compile any more."""
        changed: dict[int, str] = {}
        before, after = self._cells_in(self.text), self._cells_in(text)
        for cell, reading, old, new in zip(self._document.cells, self._readings, before, after, strict=True):
            if new.source != cell.source:
                if any(one.end - one.start == len(cell.source) for one in reading.asides):
                    raise RestoreError(f"cell {cell.number} would change, and is not Python")
                if _compiles(old.code) and not _compiles(new.code):
                    raise RestoreError(f"cell {cell.number} would not compile any more")
                changed[cell.number] = new.source
        mark = codecs.BOM_UTF8 if self.raw.startswith(codecs.BOM_UTF8) else b""
        return mark + self._document.with_sources(changed).encode(self.encoding)

    def _cells_in(self, text: str) -> list[CellText]:
        """The cells of the module `text`, this notebook's own or an edited one."""
        known = {one.literal for one in self._stood_for}
        found = [token for token in standin.LITERAL.finditer(text) if token[0] in known]
        if [token[0] for token in found] != [one.literal for one in self._stood_for]:
            raise RestoreError("a magic or a cell was moved, lost or doubled")
        cells: list[CellText] = []
        parts: list[str] = []
        first = last = 0
        for token, one in zip(found, self._stood_for, strict=True):
            start = token.start() - one.stand_in.index(one.literal)
            if start < last or not text.startswith(one.stand_in, start):
                raise RestoreError(f"the magic {one.original!a} was edited")
            parts += [text[last:start], one.original]
            last = start + len(one.stand_in)
            if standin.is_boundary(one.literal):
                cells.append(CellText(text[first:start], "".join(parts)))
                parts, first = [], last
        if text[last:]:
            raise RestoreError("something was added below the last cell")
        return cells

    @cached_property
    def _first_lines(self) -> list[int]:
        """The line of the module that each cell starts in."""
        ends = {one.literal for one in self._stood_for if standin.is_boundary(one.literal)}
        lines = enumerate(split_lines(self.text), 1)
        return [1, *(number + 1 for number, line in lines if line.rstrip("\r\n") in ends)][: len(ends)]

    def _index(self, line: int) -> int:
        """The index of the cell that a line of the module is in; -1 when there is none."""
        return bisect.bisect_right(self._first_lines, line) - 1 if self._document.cells else -1

    def _lines_of(self, index: int) -> list[str]:
        return split_lines(self._document.cells[index].source) if index >= 0 else []


def decode_notebook(path: Path, data: bytes) -> Notebook:
    """`data` as a notebook.

    Raises `SourceError` for what is not text, `NotParsedError` for what is no notebook, `OtherLanguageError`
    for a notebook in another language than Python.
    """
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"is not UTF-8, as a notebook has to be (byte {error.object[error.start]:#04x} on line {line}); "
            "save it as UTF-8"
        ) from error
    document = read_document(text)
    readings = tuple(read_cell(cell.source) for cell in document.cells)
    if document.python.startswith("2") and any(one.error for one in readings):
        raise NotParsedError("is a notebook for Python 2, which cannot be parsed; move it to Python 3 first")
    module, stood_for = _joined([cell.source for cell in document.cells], readings)
    return Notebook(path, data, module, document, readings, stood_for)


def _joined(sources: Sequence[str], readings: Sequence[Reading]) -> tuple[str, tuple[StoodFor, ...]]:
    """The module of all cells, and the stand-ins in it, in order."""
    taken = {literal for source in sources for literal in standin.LITERAL.findall(source)}
    prefixes = sum(aside.is_prefix for reading in readings for aside in reading.asides)
    others = standin.literals(taken)
    narrow = iter([*itertools.islice(others, prefixes)])  # the shortest literals, to be no wider than %time
    ends = standin.boundaries(taken)
    newline = next((found[0] for source in sources if (found := _NEWLINE.search(source))), "\n")
    if newline == "\r" and any(source.startswith("\n") for source in sources):
        newline = "\n"  # the two would be one line end
    parts: list[str] = []
    stood_for: list[StoodFor] = []
    for source, reading in zip(sources, readings, strict=True):
        own = (next(narrow if aside.is_prefix else others) for aside in reading.asides)
        code, stood = set_aside(source, reading.asides, own)
        end = next(ends)
        parts += [code, f"{newline}{end}{newline}"]
        stood_for += [*stood, StoodFor(parts[-1], end, "")]
    return "".join(parts), tuple(stood_for)


def _compiles(code: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
