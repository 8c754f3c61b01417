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
from judging import HEAD, check_verdicts

from react_migrate.flow.known import REACT, RLM


def cases() -> Iterator[object]:
    for path in sorted(Path(__file__).with_name("specs").glob("*.txt")):
        _, *groups = re.split(r"^== (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for heading, group in zip(groups[::2], groups[1::2], strict=True):
            common, *parts = re.split(r"^--(.*)\n", group, flags=re.MULTILINE)
            for number, (about, code) in enumerate(zip(parts[::2], parts[1::2], strict=True), 1):
                name = f"{path.stem}, {heading} {number}{':' if about else ''}{about}"
                yield pytest.param(f"{common}\n\n{code}", id=name)


SPECS = [*cases()]


@pytest.mark.parametrize("code", SPECS)
def test_spec(code: str) -> None:
    check_verdicts(_files(code), REACT)


@pytest.mark.parametrize("code", SPECS)
def test_spec_of_an_rlm(code: str) -> None:
    """With RLMs for the agents and agents for the RLMs, the same holds of RLMs."""
    exchanged = {"RLM": "ReAct", "ReAct": "RLM", "ReActV2": "RLM"}
    swapped = {
        name: re.sub(r"\b(RLM|ReAct|ReActV2)\b", lambda found: exchanged[found[1]], text)
        for name, text in _files(code).items()
    }
    check_verdicts(swapped, RLM)


def _files(code: str) -> dict[str, str]:
    _, *files = re.split(r"^@@ (.+)\n", code, flags=re.MULTILINE)
    return dict(zip(files[::2], files[1::2], strict=True)) if files else {"app.py": f"{HEAD}{code}"}
