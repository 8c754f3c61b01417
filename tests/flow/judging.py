"""Verdicts written beside the code they are about."""

from __future__ import annotations

import re
from pathlib import Path

from rewriting import Files, as_files

from react_migrate.flow import AnalysedFile, Program, judge
from react_migrate.flow.known import REACT
from react_migrate.flow.values import Values
from react_migrate.source import decode

_SAID = re.compile(r"#\s*(.+)$")
HEAD = 'import dspy\n\nagent, cot = dspy.ReAct("q -> a", tools=[]), dspy.ChainOfThought("q -> a")\n'


def check_verdicts(files: Files, kind: frozenset[str] = REACT) -> None:
    """Every line that reads a `.trajectory` ends in a comment with the verdicts on its reads, in order:
    `x.trajectory, y.trajectory  # proven, mixed`. They say whether it is the prediction of this kind."""
    texts = as_files(files)
    program = build(texts)
    checked = 0
    for name, text in texts.items():
        found = verdicts(program.files[Path("/project", name)], kind)
        lines = text.splitlines()
        for line, verdict in found.items():
            said = _SAID.search(lines[line - 1])
            assert said is not None, f"{name}:{line} says nothing, and is {verdict}: {lines[line - 1]}"
            assert verdict == said[1].strip(), f"{name}:{line} {lines[line - 1]}"
            checked += 1
    assert checked, "nothing reads a trajectory here"


def build(files: Files) -> Program:
    """The files, analysed as those of one project; all of them are looked at."""
    sources = [decode(Path("/project", name), text.encode()) for name, text in as_files(files).items()]
    return Program.build(sources, named=[source.path for source in sources])


def verdicts(file: AnalysedFile, kind: frozenset[str] = REACT) -> dict[int, str]:
    """For every line that reads a `.trajectory`, the verdicts on what it is read from."""
    found: dict[int, list[str]] = {}
    for attribute, scope in sorted(
        file.index.attributes["trajectory"], key=lambda pair: (pair[0].lineno, pair[0].end_col_offset)
    ):
        verdict = judge(file.values(attribute.value, scope), kind).verdict.value
        found.setdefault(attribute.end_lineno or attribute.lineno, []).append(verdict)
    return {line: ", ".join(words) for line, words in found.items()}


def values_of(files: Files, name: str = "x") -> Values:
    """What the name `x` holds where the last file (or the only one) reads it last."""
    texts = as_files(files)
    file = build(texts).files[Path("/project", list(texts)[-1])]
    node, scope = file.index.names[name][-1]
    return file.values(node, scope)
