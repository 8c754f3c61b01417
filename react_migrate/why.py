"""How a verdict came about: the way of a value from the import of DSPy to one place, step by step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from react_migrate.flow import Verdict, judge
from react_migrate.flow.judge import describe
from react_migrate.flow.known import REACT, RLM
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Trail, Value, Values, order
from react_migrate.rules.reading import reads

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile, Program

_PLACE = re.compile(r"(?P<path>.+?)(?::cell (?P<cell>\d+))?:(?P<line>\d+)(?::(?P<column>\d+))?")
_KINDS = {REACT: "a ReAct agent", RLM: "an RLM"}
_VERDICTS = {
    Verdict.PROVEN: "is the prediction of {}, whatever way it came",
    Verdict.MIXED: "may be the prediction of {}, and may be something else",
    Verdict.UNKNOWN: "is not known: nothing says that it is ReAct's, and something is not known",
    Verdict.FOREIGN: "is not known: it comes from a package that is not among these files",
    Verdict.OTHER: "is not the prediction of {}",
}


class NoSuchPlaceError(ValueError):
    """The place that was asked about is not one; the message says why."""


@dataclass(frozen=True)
class Asked:
    """A place as `path:line`, `path:line:column` or `path:cell 3:line:column`; lines and columns from 1."""

    path: Path
    cell: int | None
    line: int
    column: int | None

    @classmethod
    def parse(cls, text: str) -> Asked:
        """Raises `NoSuchPlaceError` for text of another form."""
        match = _PLACE.fullmatch(text)
        if match is None:
            raise NoSuchPlaceError(f"`{text}` is not a place: write PATH:LINE or PATH:LINE:COLUMN.")
        cell, column = match["cell"], match["column"]
        return cls(
            Path(match["path"]),
            int(cell) if cell else None,
            int(match["line"]),
            int(column) if column else None,
        )


def why(program: Program, asked: Asked) -> Iterator[str]:
    """Lines that say what the expressions at a place may be, and how that is known.

    Without a column these are the expressions on the line that a trajectory is read from. Raises
    `NoSuchPlaceError` where there is nothing to ask about.
    """
    file = _file(program, asked.path)
    found = {node: scope for node, scope in _expressions(file) if _is_at(file, node, asked)}
    if asked.column is not None and found:
        smallest = min(found, key=lambda node: _size(file, node))
        found = {smallest: found[smallest]}
    elif not found:
        where = "there is no name, attribute or call" if asked.column else "no trajectory is read"
        cell = "" if asked.cell is None else f" cell {asked.cell},"
        where = f"{where} at {asked.path},{cell} line {asked.line}"
        raise NoSuchPlaceError(f"{where}; with a column you can ask about any expression.")
    for node, scope in found.items():
        yield from _explained(file, node, scope)


def _file(program: Program, path: Path) -> AnalysedFile:
    for candidate, file in program.files.items():
        if candidate == path or candidate.resolve() == path.resolve():
            return file
    raise NoSuchPlaceError(
        f"{path} is not among the files that DSPy has to do with; name the folder of the whole project too."
    )


def _expressions(file: AnalysedFile) -> Iterator[tuple[ast.expr, Scope]]:
    for read in reads(file):
        yield read.receiver, read.scope
    index = file.index
    for names in index.names.values():
        yield from names
    for attributes in index.attributes.values():
        yield from attributes
    yield from index.all_calls


def _is_at(file: AnalysedFile, node: ast.expr, asked: Asked) -> bool:
    span = file.span(node)
    cell, line = file.place(span.line)
    if cell != asked.cell:
        return False
    if asked.column is None:
        return line == asked.line and any(read.receiver is node for read in reads(file))
    first, last = (line, span.column), (line + span.end_line - span.line, span.end_column)
    return first <= (asked.line, asked.column) < last


def _size(file: AnalysedFile, node: ast.expr) -> tuple[int, int]:
    span = file.span(node)
    return (span.end_line - span.line, span.end_column - span.column)


def _explained(file: AnalysedFile, node: ast.expr, scope: Scope) -> Iterator[str]:
    values = file.values(node, scope)
    yield f"{file.path}, {file.where(node.lineno)}: `{_text(file, node)}` {_verdict(values)}"
    verb = "is" if len(values) == 1 else "may be"
    for value in sorted(values, key=order):
        yield f"  it {verb} {describe(value)}" + (":" if value.trail else "")
        yield from _steps(value)
    if not values:
        yield "  no value reaches it: the code around it never runs, or what it is called on has none"


def _verdict(values: Values) -> str:
    """The verdict in words: on the first kind that something points to, or else on ReAct's."""
    verdicts = {name: judge(values, kind).verdict for kind, name in _KINDS.items()}
    for name, verdict in verdicts.items():
        if verdict in {Verdict.PROVEN, Verdict.MIXED}:
            return _VERDICTS[verdict].format(name)
    return _VERDICTS[verdicts[_KINDS[REACT]]].format(_KINDS[REACT])


def _steps(value: Value) -> Iterator[str]:
    steps: list[Trail] = value.trail.steps() if value.trail is not None else []
    for number, step in enumerate(steps, 1):
        line = getattr(step.node, "lineno", 1)
        yield f"    {number}. {step.file.path}, {step.file.where(line)}: {step.text}"
        yield f"       {step.file.written(line).strip()}"


def _text(file: AnalysedFile, node: ast.expr) -> str:
    return " ".join(file.source(node).split())
