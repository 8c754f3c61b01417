"""The catalogue's format: what a pattern's file says, as data.

A pattern is a text file. Its first line is `P01 fix: what it is about`; the verdict is one of

- `fix`: rewritten by default,
- `unsafe`: reported, and rewritten only with `--unsafe`,
- `flag`: reported, never rewritten,
- `leave`: no finding, no edit.

Prose may follow. `== title` opens a spread, which is a project of its own: the first one stands in one file,
the others in several. `@@ path` opens a file, whose lines are those of a diff: `-` before, `+` after, a blank
in both. `#! RM205` at the end of a line says that this is found there and not edited, `#? RM201` that it is
found there and edited only with `--unsafe`; they are not part of the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

VERDICTS = ("fix", "unsafe", "flag", "leave")
_HEAD = re.compile(r"(P\d+[a-z]?) (\w+): (.+)")
_MARKS = re.compile(r"(.*?)  #([!?]) (RM\d+(?: RM\d+)*)")


@dataclass
class Spread:
    """One project: files before and after, and what is found in them: `app.py:3 RM201 unsafe`.

    `doubtful` is found before and gone afterwards, because `--unsafe` edits it.
    """

    title: str
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    doubtful: list[str] = field(default_factory=list)
    left_before: list[str] = field(default_factory=list)
    left_after: list[str] = field(default_factory=list)


@dataclass
class Pattern:
    """One pattern with its verdict."""

    code: str
    verdict: str
    about: str
    spreads: list[Spread]


def load(path: Path) -> Pattern:
    """Read one pattern's file."""
    head, *sections = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    match = _HEAD.match(head)
    assert match is not None, f"{path.name}: the first line is not like `P01 fix: ...`"
    code, verdict, about = match.groups()
    assert verdict in VERDICTS, f"{path.name}: {verdict} is no verdict"
    return Pattern(code, verdict, about, [_spread(section, path) for section in sections])


def _spread(section: str, path: Path) -> Spread:
    title, *files = re.split(r"^@@ (.+)\n", section, flags=re.MULTILINE)
    spread = Spread(title.strip())
    for name, body in zip(files[::2], files[1::2], strict=True):
        _file(spread, name.strip(), body.strip("\n").split("\n"), path)
    return spread


def _file(spread: Spread, name: str, lines: list[str], path: Path) -> None:
    before: list[str] = []
    after: list[str] = []
    for line in lines:
        sign, text = line[:1] or " ", line[1:]
        assert sign in " -+", f"{path.name}: a line of {name} starts neither with a sign nor a blank: {line}"
        marks = _MARKS.fullmatch(text)
        text = marks[1] if marks else text
        if sign != "+":
            before.append(text)
        if sign != "-":
            after.append(text)
        for code in marks[3].split() if marks else ():
            here, there = f"{name}:{len(before)} {code}", f"{name}:{len(after)} {code}"
            if marks and marks[2] == "?":
                spread.doubtful.append(f"{here} unsafe")
                assert sign != "+", f"{path.name}: {line}: what --unsafe edits stands before"
            else:
                spread.left_before += [f"{here} manual"] if sign != "+" else []
                spread.left_after += [f"{there} manual"] if sign != "-" else []
    spread.before[name] = _text(before)
    spread.after[name] = _text(after)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if any(lines) else ""
