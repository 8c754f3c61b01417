"""How an origin travels, case by case: see the files in `specs`.

A spec is code whose reads of a `.trajectory` say in a comment what is known of what they are read from:
`proven` (it is a ReAct prediction on every way here), `mixed` (on some), `unknown`, `foreign` (it comes from
a package that is not among the files) or `other`. `== heading` begins a group, with code that all its cases
begin with; `--` begins a case, and may say what it is about. In cases of one file `agent` is a ReAct and
`cot` is none; those of several files name each with `@@`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import check_verdicts


def cases() -> Iterator[object]:
    for path in sorted(Path(__file__).with_name("specs").glob("*.txt")):
        _, *groups = re.split(r"^== (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for heading, group in zip(groups[::2], groups[1::2], strict=True):
            common, *parts = re.split(r"^--(.*)\n", group, flags=re.MULTILINE)
            for number, (about, code) in enumerate(zip(parts[::2], parts[1::2], strict=True), 1):
                name = f"{path.stem}, {heading} {number}{':' if about else ''}{about}"
                yield pytest.param(f"{common}\n\n{code}", id=name)


@pytest.mark.parametrize("code", [*cases()])
def test_spec(code: str) -> None:
    _, *files = re.split(r"^@@ (.+)\n", code, flags=re.MULTILINE)
    if files:
        check_verdicts(dict(zip(files[::2], files[1::2], strict=True)))
    else:
        check_verdicts(code, head=True)
