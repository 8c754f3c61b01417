"""A notebook's JSON text: where its code cells are in it, and the same text with other sources in them.

The document is never written anew. The place of each source is found in the text, and only that is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from react_migrate.notebook.spelling import Style, respelled
from react_migrate.source import NotParsedError, OtherLanguageError

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_ESCAPED_LETTER = re.compile(r"(\\+)u(?!00[01])")  # not a control character; if the backslashes are odd
_ADVICE = "open it with Jupyter and save it, or pass it over with --exclude"


class Value(NamedTuple):
    """A JSON value and its place in the text, half open."""

    value: Any
    start: int
    end: int


class Cell(NamedTuple):
    """A code cell: its number among all cells, from 1, its source, and the place of that in the text."""

    number: int
    source: str
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """The text of a notebook, and its code cells that are in Python."""

    text: str
    cells: tuple[Cell, ...]
    python: str  # the version of Python it was last run with, or "" when it does not say

    def with_sources(self, sources: Mapping[int, str]) -> str:
        """The text with new sources in the cells of these numbers."""
        in_ascii = self.text.isascii() and _escapes_letters(self.text)
        parts: list[str] = []
        last = 0
        for cell in self.cells:
            if cell.number in sources:
                old = self.text[cell.start : cell.end]
                style = Style(in_ascii, is_compact=self.text[cell.start - 1] == ":")
                parts += [self.text[last : cell.start], respelled(old, sources[cell.number], style)]
                last = cell.end
        return "".join([*parts, self.text[last:]])


def _escapes_letters(text: str) -> bool:
    """Whether anything is written as an escape that need not be."""
    return "\\u" in text and any(len(found[1]) % 2 for found in _ESCAPED_LETTER.finditer(text))


def read_document(text: str) -> Document:
    """Find the code cells. Raises `NotParsedError` for what is no notebook, `OtherLanguageError` for one that
    is not in Python."""
    if not text.strip():
        raise NotParsedError(f"is empty, which no notebook is; {_ADVICE}")
    try:
        document = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        why = f"is not valid JSON, as a notebook has to be: {error.msg}; {_ADVICE}"
        raise NotParsedError(why, error.lineno, error.colno) from error
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits; thousands of brackets
        raise NotParsedError(f"is JSON, but no notebook: {error}; {_ADVICE}") from error
    if not isinstance(document, dict):
        raise NotParsedError(f"is JSON, but no notebook: it is no object with cells; {_ADVICE}")
    metadata = _mapping(document.get("metadata"))
    language = _language(metadata)
    if language and not language.startswith(("python", "ipython")):
        raise OtherLanguageError(f"is a notebook in {language}, not in Python")
    top = _members(text, _skip(text, 0))
    return Document(text, tuple(_code_cells(text, top)), _python(metadata))


def _language(metadata: Mapping[str, Any]) -> str:
    """What the notebook says it is written in; "" when it does not say."""
    databricks = _mapping(metadata.get("application/vnd.databricks.v1+notebook"))
    for place, key in (
        (_mapping(metadata.get("language_info")), "name"),
        (_mapping(metadata.get("kernelspec")), "language"),
        (databricks, "language"),
    ):
        if isinstance(place.get(key), str) and place[key]:
            return str(place[key]).casefold()
    return ""


def _python(metadata: Mapping[str, Any]) -> str:
    version = _mapping(metadata.get("language_info")).get("version")
    if isinstance(version, str):
        return version
    return "2" if _mapping(metadata.get("kernelspec")).get("name") == "python2" else ""


def _code_cells(text: str, top: Mapping[str, Value]) -> Iterator[Cell]:
    """The code cells; in nbformat 3 they are in worksheets, with their source under `input`."""
    for number, cell in enumerate(_all_cells(text, top), 1):
        if not isinstance(cell.value, dict) or not isinstance(cell.value.get("cell_type"), str):
            raise _broken(text, f"cell {number} is none", cell)
        if cell.value["cell_type"] != "code" or not _is_python(cell.value):
            continue
        members = _members(text, cell.start)
        source = members.get("source") or members.get("input")
        if source is None:
            raise _broken(text, f"cell {number} has no source", cell)
        lines = [source.value] if isinstance(source.value, str) else source.value
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise _broken(text, f"the source of cell {number} is no text", source)
        if "source" not in members and any(not line.endswith(("\n", "\r")) for line in lines[:-1]):
            raise _broken(text, f"its format is older than 3 (cell {number} has lines without ends)", source)
        yield Cell(number, "".join(lines), source.start, source.end)


def _all_cells(text: str, top: Mapping[str, Value]) -> Iterator[Value]:
    holders = [top]
    if "cells" not in top and "worksheets" in top:
        sheets = _elements(text, top["worksheets"])
        holders = [_members(text, sheet.start) for sheet in sheets if isinstance(sheet.value, dict)]
    for holder in holders:
        if "cells" not in holder:
            raise NotParsedError(f"is JSON, but no notebook: it has no cells; {_ADVICE}")
        yield from _elements(text, holder["cells"])


def _is_python(cell: Mapping[str, Any]) -> bool:
    """Whether a code cell is in Python: nbformat 3 and VS Code have cells in other languages."""
    own = cell.get("language")
    edited_as = _mapping(_mapping(cell.get("metadata")).get("vscode")).get("languageId")
    return all(
        not isinstance(one, str) or one.casefold().startswith("python") for one in (own, edited_as) if one
    )


def _broken(text: str, what: str, where: Value) -> NotParsedError:
    line = text.count("\n", 0, where.start) + 1
    column = where.start - text.rfind("\n", 0, where.start)
    return NotParsedError(f"is not a valid notebook: {what}; {_ADVICE}", line, column)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# --- places of values in text that is known to be valid JSON ---


def _members(text: str, start: int) -> dict[str, Value]:
    """The members of the object at `start`; of several with one name the last, which is what parsers take."""
    found: dict[str, Value] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        value = _value(text, _skip(text, at) + 1)
        found[key] = value
        at = _next(text, value.end)
    return found


def _elements(text: str, array: Value) -> Iterator[Value]:
    """The elements of an array."""
    if not isinstance(array.value, list):
        raise _broken(text, "its cells are no list", array)
    at = _skip(text, array.start + 1)
    while text[at] != "]":
        value = _value(text, at)
        yield value
        at = _next(text, value.end)


def _value(text: str, at: int) -> Value:
    start = _skip(text, at)
    value, end = _DECODER.raw_decode(text, start)
    return Value(value, start, end)


def _next(text: str, at: int) -> int:
    """Where the next member or element starts, or the bracket that closes them stands."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
