"""Rewrite a few files with the real engine and see what became of them: shared by all tests of verdicts.

A test states code before and code after; everything else has to stay as it was, a second run has to find
nothing to do, and the order in which the files are looked at must not matter.
"""

from __future__ import annotations

import ast
import itertools
import re
import tempfile
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from react_migrate.engine import Options, run
from react_migrate.finding import Finding
from react_migrate.flow import Program
from react_migrate.rules import all_rules
from react_migrate.source import Source, decode

Files: TypeAlias = str | Mapping[str, str]
"""The text of one file, which is then called `app.py`, or of several by their paths; indented as it likes."""


@dataclass(frozen=True)
class Outcome:
    """The files after a rewrite, and the findings in the form `app.py:3 RM201 unsafe`.

    `left` have the positions of the file as it is now, `fixed` those it had before.
    """

    files: dict[str, str]
    left: list[str]
    fixed: list[str]


def check_noop(files: Files, *left: str, unsafe: bool = False) -> None:
    """Nothing is edited, and exactly these findings are left: `app.py:3 RM201 unsafe`, or none."""
    texts = as_files(files)
    outcome = rewrite(texts, unsafe=unsafe)
    assert outcome.files == texts
    assert outcome.left == sorted(left)
    assert_any_order(texts)


def check_transformed(before: Files, after: Files, *left: str, unsafe: bool = False) -> None:
    """`before` becomes `after` (files that do not change may be left out), and these findings are left.

    A second run changes nothing and still says the same.
    """
    texts, expected = as_files(before), as_files(after)
    assert expected.keys() <= texts.keys()
    outcome = rewrite(texts, unsafe=unsafe)
    assert outcome.files == {**texts, **expected}
    assert outcome.left == sorted(left)
    assert outcome.fixed
    again = rewrite(outcome.files, unsafe=unsafe)
    assert again == Outcome(outcome.files, outcome.left, [])
    assert_any_order(texts)


def check_needs_unsafe(before: Files, after: Files, *held_back: str, left: Sequence[str] = ()) -> None:
    """Only `--unsafe` makes `after` of `before`, leaving `left`; without it exactly `held_back` is found."""
    check_noop(before, *held_back)
    check_transformed(before, after, *left, unsafe=True)


def rewrite(files: Files, *, unsafe: bool = False) -> Outcome:
    """What `react-migrate rewrite` makes of the files."""
    texts = as_files(files)
    options = Options(frozenset(all_rules()), fix=True, unsafe=unsafe, write=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in texts.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        result = run([root], options)
        left = [shown(root, job.path, one) for job in result.jobs for one in job.left]
        fixed = [shown(root, job.path, one) for job in result.jobs for one in job.fixed]
        after = {name: (root / name).read_text(encoding="utf-8") for name in texts}
    for name, text in after.items():
        if text != texts[name]:
            compile(text, name, "exec", dont_inherit=True, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return Outcome(after, sorted(left), sorted(fixed))


def shown(root: Path, path: Path, finding: Finding) -> str:
    """`app.py:3 RM201 unsafe`; with its message if it is about the file, which no test here wants to see."""
    where = path.relative_to(root).as_posix()
    message = f": {finding.message}" if finding.code.startswith("RM0") else ""
    return f"{where}:{finding.span.line} {finding.code} {finding.fix.value}{message}"


def assert_any_order(texts: Mapping[str, str]) -> None:
    """The findings are the same in whatever order the files are given and asked about."""
    names = sorted(texts)
    few = (names, names[::-1], names[1::2] + names[::2])
    orders = itertools.permutations(names) if len(names) <= 4 else few
    first = findings(texts, names)
    for order in orders:
        assert findings(texts, order) == first, order


def findings(files: Files, order: Iterable[str]) -> dict[str, list[Finding]]:
    """What the rules say about each file, when they are given and checked in this order.

    Left out are the edits, which are functions and follow from the rest, and in the reasons the lines, for of
    two ways to the same place any one may be told.
    """
    texts = as_files(files)
    sources: list[Source] = [decode(Path("/project", name), texts[name].encode()) for name in order]
    program = Program.build(sources)
    found: dict[str, list[Finding]] = {}
    for source in sources:
        file = program.files.get(source.path)  # not there when it cannot have a finding
        said = [_plain(one) for rule in all_rules().values() for one in rule.check(file)] if file else []
        found[source.path.as_posix()] = sorted(said, key=lambda one: (one.span, one.code, one.message))
    return found


def _plain(one: Finding) -> Finding:
    why = tuple(sorted({re.sub(r", line \d+$", "", reason) for reason in one.why}))
    return Finding(one.code, one.span, one.message, one.fix, why=why, group=one.group is None)


def as_files(files: Files) -> dict[str, str]:
    """The files by path, unindented."""
    named = {"app.py": files} if isinstance(files, str) else files
    return {name: _unindented(text) for name, text in named.items()}


def _unindented(text: str) -> str:
    """A text that is indented as a whole, or starts with a blank line, without that; any other as it is."""
    return textwrap.dedent(text).lstrip("\n") if text[:1] in {"\n", " "} else text
