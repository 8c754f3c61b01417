"""A cell's source as JSON text: new text in the spelling of the old.

A source is one string, or a list of strings, usually of one line each. Lines that stay keep the very
characters they are spelled with in the file, whatever is escaped in them and how.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DECODER = json.JSONDecoder()
Spelled: TypeAlias = list[tuple[str, str]]  # characters, each with how it is written


class Style(NamedTuple):
    """How a document is written: letters beyond ASCII as escapes, no space after colons."""

    in_ascii: bool
    is_compact: bool


def respelled(old: str, text: str, style: Style) -> str:
    """The JSON text of a source that says `text`, where `old` is the JSON text that it replaces."""
    if old.startswith('"'):
        before = _lines(_characters(old))
        return _quoted("".join(_spelled_lines(before, text.splitlines(keepends=True), style.in_ascii)))
    elements, opening, between, closing = _list_parts(old)
    before = [_characters(element) for element in elements]
    parts = [*map(_quoted, _spelled_lines(before, _cut(text, list(map(_text, before))), style.in_ascii))]
    if not parts:
        return "[]"
    separator = between or ("," + (opening or ("" if style.is_compact else " ")))
    return f"[{opening}{separator.join(parts)}{closing}]"


def _list_parts(old: str) -> tuple[list[str], str, str, str]:
    """The elements of a JSON list, and what is written before, between and after them."""
    elements: list[str] = []
    places: list[tuple[int, int]] = []
    at = old.find('"')
    while at >= 0:
        _, end = _DECODER.raw_decode(old, at)
        elements.append(old[at:end])
        places.append((at, end))
        at = old.find('"', end)
    if not places:
        return [], "", "", ""
    between = old[places[0][1] : places[1][0]] if len(places) > 1 else ""
    return elements, old[1 : places[0][0]], between, old[places[-1][1] : -1]


def _cut(text: str, before: Sequence[str]) -> list[str]:
    """The text in parts, as the old one was: in one, or in lines, which most writers cut as Python does."""
    if len(before) == 1 and len(before[0].splitlines()) > 1:
        return [text] if text else []
    if [*before] == "".join(before).splitlines(keepends=True):
        return text.splitlines(keepends=True)
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _spelled_lines(before: Sequence[Spelled], after: Sequence[str], in_ascii: bool) -> Iterator[str]:
    """Each line of `after` as it is written inside of quotes."""
    matcher = difflib.SequenceMatcher(None, [*map(_text, before)], after, autojunk=False)
    for _, start, stop, first, last in matcher.get_opcodes():
        for old, new in itertools.zip_longest(before[start:stop], after[first:last]):
            if new is not None:
                yield _spelled_line(old or [], new, in_ascii)


def _spelled_line(old: Spelled, new: str, in_ascii: bool) -> str:
    """A line whose beginning and end, as far as they are the same, are written as before."""
    was = _text(old)
    head = _length_in_common(was, new)
    rest = _length_in_common(was[head:][::-1], new[head:][::-1])
    middle = new[head : len(new) - rest]
    written = [one for _, one in old]
    return "".join([*written[:head], _escaped(middle, in_ascii), *written[len(old) - rest :]])


def _length_in_common(one: str, other: str) -> int:
    """How many characters two strings begin with are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _escaped(text: str, in_ascii: bool) -> str:
    written = json.dumps(text, ensure_ascii=in_ascii)[1:-1]
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", written)


def _characters(literal: str) -> Spelled:
    """The characters of a JSON string, each with how it is written."""
    units = _UNIT.findall(literal[1:-1])
    return [(_DECODER.decode(f'"{unit}"') if unit[0] == "\\" else unit, unit) for unit in units]


def _lines(characters: Spelled) -> list[Spelled]:
    """The characters of each line, cut where `str.splitlines` cuts."""
    lines: list[Spelled] = []
    at = 0
    for line in _text(characters).splitlines(keepends=True):
        lines.append(characters[at : at + len(line)])
        at += len(line)
    return lines


def _text(characters: Spelled) -> str:
    return "".join(character for character, _ in characters)


def _quoted(written: str) -> str:
    return f'"{written}"'
