"""Mutations of how a program is written, never of what it does.

Each takes a text with `\n` newlines and four blanks of indentation, and a random choice to draw from; it
gives the new text, or None where it does not apply.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

Mutation = Callable[[str, Random], str | None]

COMMENTS = [
    "# r.trajectory",
    "# type: ignore",
    "# é \U0001f600 \u2028",
    "#",
    "#: RM201",
    "# fmt: off",
    "# trajectory_of(x)",
]


def inside_strings(text: str) -> set[int]:
    """The lines, from 1, that begin inside a string."""
    lines: set[int] = set()
    start: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            start.append(token.start[0])
        elif kind == "FSTRING_END":
            lines.update(range(start.pop() + 1, token.end[0] + 1))
        elif kind == "STRING":
            lines.update(range(token.start[0] + 1, token.end[0] + 1))
    return lines


def statements(text: str) -> Iterator[ast.stmt]:
    """All statements that begin a line of their own."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and not lines[first_line(node) - 1][: node.col_offset].strip():
            yield node


def first_line(node: ast.stmt) -> int:
    """Where a statement begins, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def comments_between(text: str, random: Random) -> str | None:
    """Comments on lines of their own, at any indentation."""
    lines = text.split("\n")
    taken = inside_strings(text) | _continued(text)
    for number in sorted({first_line(node) for node in statements(text)} - taken, reverse=True):
        if random.random() < 0.3:
            indent = random.choice(["", lines[number - 1][: _indent(lines[number - 1])], " " * 7])
            lines.insert(number - 1, indent + random.choice(COMMENTS))
    return "\n".join(lines)


def comments_behind(text: str, random: Random) -> str | None:
    """Comments and blanks at the ends of lines."""
    lines = text.split("\n")
    ends = {
        token.end[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NEWLINE and "#" not in lines[token.end[0] - 1]
    }
    for number in ends:
        if random.random() < 0.3:
            lines[number - 1] += random.choice(["  ", "\t", "  " + random.choice(COMMENTS)])
    return "\n".join(lines)


def blank_lines(text: str, random: Random) -> str | None:
    """More and fewer blank lines, some with blanks or a form feed in them."""
    lines = text.split("\n")
    taken = inside_strings(text) | _continued(text)
    for number in range(len(lines), 0, -1):
        if number in taken or number + 1 in taken:
            continue
        if not lines[number - 1].strip() and number < len(lines) and random.random() < 0.5:
            del lines[number - 1]
        elif random.random() < 0.2:
            lines.insert(number - 1, random.choice(["", "    ", "\t", "\f", "\f  "]))
    return "\n".join(lines)


def form_feed(text: str, random: Random) -> str | None:
    """A form feed before a statement."""
    places = sorted({first_line(node) for node in statements(text)} - inside_strings(text) - _continued(text))
    lines = text.split("\n")
    number = random.choice(places)
    lines[number - 1] = "\f" + lines[number - 1]
    return "\n".join(lines)


def tabs(text: str, random: Random) -> str | None:
    """Tabs for indentation."""
    kept = inside_strings(text)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if number not in kept:
            indent = _indent(line)
            lines[number - 1] = "\t" * (indent // 4) + " " * (indent % 4) + line[indent:]
    return "\n".join(lines)


def semicolons(text: str, random: Random) -> str | None:
    """Simple statements that follow each other, on one line."""
    lines = text.split("\n")
    simple = {
        node.lineno: node
        for node in statements(text)
        if node.lineno == node.end_lineno and not hasattr(node, "body") and "#" not in lines[node.lineno - 1]
    }
    for number in sorted(simple, reverse=True):
        other = simple.get(number + 1)
        if other is not None and other.col_offset == simple[number].col_offset and random.random() < 0.5:
            joined = random.choice(["; ", ";", " ; "]) + lines[number].strip()
            lines[number - 1 : number + 1] = [lines[number - 1].rstrip().rstrip(";") + joined]
    return "\n".join(lines)


def continued_lines(text: str, random: Random) -> str | None:
    """Backslashes and new lines between tokens."""
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip()]
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    places = []
    depth = inside = 0
    for token, following in pairwise(tokens):
        kind = tokenize.tok_name[token.type]
        depth += (token.string in "([{") - (token.string in ")]}") if kind == "OP" else 0
        inside += (kind == "FSTRING_START") - (kind == "FSTRING_END")
        is_code = kind in {"NAME", "OP", "NUMBER"} and following.type != tokenize.COMMENT
        if is_code and not inside and token.end[0] == following.start[0] and token.string != "@":
            places.append((offsets[token.end[0] - 1] + token.end[1], depth))
    for place, level in sorted(random.sample(places, min(4, len(places))), reverse=True):
        choices = [" \\\n    ", "\\\n  "] + (["\n  ", "  # c.trajectory\n "] if level else [])
        text = text[:place] + random.choice(choices) + text[place:].lstrip(" ")
    return text


def quotes(text: str, random: Random) -> str | None:
    """Docstrings in other quotes."""
    return text.replace('"""', "'''") if "'''" not in text and random.random() < 0.9 else None


def no_final_newline(text: str, random: Random) -> str | None:
    """A last line without an end, or many blank ones."""
    return text.rstrip("\n") + random.choice(["", "", "\n\n\n", "\n\f", "  "])


def head(text: str, random: Random) -> str | None:
    """What may stand at the top of a file."""
    top = random.choice(
        ["#!/usr/bin/env python3\n", "# -*- coding: utf-8 -*-\n", "\n\n", "# licence\n\n", "\f\n"]
    )
    return top + text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _continued(text: str) -> set[int]:
    """Lines that go on with the statement of the line above."""
    lines = text.split("\n")
    taken = {number + 1 for number, line in enumerate(lines, 1) if line.endswith("\\")}
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if depth:
            taken.add(token.start[0] + 1)
    return taken


FORMATS: tuple[Mutation, ...] = (
    comments_between,
    comments_behind,
    blank_lines,
    form_feed,
    tabs,
    semicolons,
    continued_lines,
    quotes,
    no_final_newline,
    head,
)


def as_bytes(text: str, random: Random) -> bytes:
    """The text as a file: its newlines, its encoding, a byte order mark."""
    newline = random.choice(["\n", "\n", "\r\n", "\r\n", "\r"])
    declares = any(re.search(r"coding[:=]", line) for line in text.split("\n")[:2])
    if not declares and random.random() < 0.2 and all(ord(sign) < 256 for sign in text):
        return f"# coding: latin-1\n{text}".replace("\n", newline).encode("latin-1")
    mark = b"\xef\xbb\xbf" if not declares and random.random() < 0.2 else b""
    return mark + text.replace("\n", newline).encode()
