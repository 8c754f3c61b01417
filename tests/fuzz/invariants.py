"""What holds of every rewrite, whatever the code is: checked from outside, on the bytes that come out.

The engine verifies much of this itself before it writes; nothing here relies on that.
"""

from __future__ import annotations

import ast
import io
import itertools
import json
import re
import tempfile
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from react_migrate.engine import Job, Options, Run, run, run_text
from react_migrate.finding import Edit, Finding, MoveImport
from react_migrate.report import text as text_report
from react_migrate.report.as_json import as_json
from react_migrate.rules import all_rules

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class Rewritten:
    """The files after a rewrite; what is left, as `app.py:3 RM201`; why a file could not be dealt with."""

    files: dict[str, bytes]
    left: list[str]
    failed: list[str]
    fixed: int


def check_rewrite(files: Mapping[str, bytes], *, unsafe: bool = False) -> Rewritten:
    """Rewrite the files and see that all invariants hold. Returns what became of them."""
    result, done = _rewrite(files, unsafe)
    _assert_it_can_be_told(result)
    jobs = {job.path.name if len(files) == 1 else job.path.as_posix(): job for job in result.jobs}
    for name, job in zip(jobs, result.jobs, strict=True):
        assert not [one for one in job.left if one.code == "RM003"], (name, job.left)
    for job in result.jobs:
        if job.before is None or job.after is None or job.after is job.before:
            continue
        before, after = job.before.raw, job.after.raw
        _assert_valid(before, after)
        _assert_newlines_are_of_one_kind(before, after)
        _assert_only_edits(_decoded(before), _decoded(after), job.fixed)
    _, again = _rewrite(done.files, unsafe)
    assert again == Rewritten(done.files, done.left, done.failed, 0)
    return done


def _rewrite(files: Mapping[str, bytes], unsafe: bool) -> tuple[Run, Rewritten]:
    options = Options(frozenset(all_rules()), fix=True, unsafe=unsafe, write=True)
    if len(files) == 1:
        [(name, raw)] = files.items()
        result = run_text(Path(name), raw, options)
        after = {name: next((job.after.raw for job in result.jobs if job.after), raw)}
        return result, _summary(result, after, Path())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, raw in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(raw)
        result = run([root], options)
        return result, _summary(result, {name: (root / name).read_bytes() for name in files}, root)


def _summary(result: Run, files: dict[str, bytes], root: Path) -> Rewritten:
    def shown(job: Job, one: Finding) -> str:
        return f"{job.path.relative_to(root)}:{one.span.line} {one.code}"

    left = [shown(job, one) for job in result.jobs for one in job.left]
    failed = [one.message for job in result.jobs if job.failed for one in job.left if one.code < "RM1"]
    return Rewritten(files, sorted(left), failed, sum(len(job.fixed) for job in result.jobs))


def _assert_it_can_be_told(result: Run) -> None:
    """Every finding stands in its file, and the reports can be written."""
    for job in result.jobs:
        for one in job.left:
            source = job.source_of(one)
            if source is not None:
                assert 1 <= one.span.line <= max(len(LINE.findall(source.text)), 1), one
    for line in (*text_report.lines(result, True), *text_report.summary(result, rewriting=True)):
        assert line.isprintable(), line
    json.loads(as_json(result))


def _assert_valid(before: bytes, after: bytes) -> None:
    assert parses(after)
    assert compiles(after) or not compiles(before)


def parses(code: str | bytes) -> bool:
    """Whether Python can read it."""
    return _is_valid(code, ast.PyCF_ONLY_AST)


def compiles(code: str | bytes) -> bool:
    """Whether Python can compile it, as a module or a notebook's cell."""
    return _is_valid(code, 0)


def _is_valid(code: str | bytes, flags: int) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "code", "exec", flags=flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except SyntaxError:
            return False
    return True


def _assert_newlines_are_of_one_kind(before: bytes, after: bytes) -> None:
    kinds = set(re.findall(rb"\r\n|\r|\n", before))
    if kinds:  # a single line without an end may get one of any kind
        assert set(re.findall(rb"\r\n|\r|\n", after)) <= kinds


def _decoded(raw: bytes) -> str:
    lines = io.BytesIO(re.sub(rb"\r\n?", b"\n", raw))
    return raw.decode(tokenize.detect_encoding(lines.readline)[0])


def _assert_only_edits(before: str, after: str, fixed: list[Finding]) -> None:
    """The lines before and after are the same, but for imports, blank lines and the edited ones."""
    edits = [edit for finding in fixed for edit in finding.edits]
    edited = _edited_lines(ast.parse(before), edits)
    new = [line for _, line in _lines_that_count(after)]
    reached = {0}  # how many of the new lines may stand for the old ones so far
    for number, line in _lines_that_count(before):
        if number not in edited:
            reached = {place + 1 for place in reached if new[place : place + 1] == [line]}
        elif edited[number] is None:  # edited as a part of something that goes over several lines
            reached = {place + more for place in reached for more in range(3) if place + more <= len(new)}
        else:
            start, stop = edited[number] or (0, 0)
            rest = line[:start], line[stop:]
            reached = {place + 1 for place in reached if place < len(new) and _is_around(new[place], *rest)}
        assert reached, f"line {number} changed: {line}"
    assert len(new) in reached, f"lines are added at the end: {new[max(reached) :]}"


def _is_around(line: str, start: str, end: str) -> bool:
    return line.startswith(start) and line.endswith(end) and len(line) >= len(start) + len(end)


def _lines_that_count(text: str) -> Iterator[tuple[int, str]]:
    """All lines without their ends but those of imports, `pass`, and blank ones outside of strings."""
    tree = ast.parse(text)
    imports, strings = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
        elif isinstance(node, (ast.Constant, ast.JoinedStr)):
            strings |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    for number, line in enumerate(LINE.findall(text), 1):
        is_filler = line.strip() in ("", "pass") and number not in strings
        if number not in imports and not is_filler:
            yield number, line.rstrip("\r\n")


def _edited_lines(tree: ast.Module, edits: Sequence[Edit | MoveImport]) -> dict[int, tuple[int, int] | None]:
    """The region of each edited line that may change; None for all of it."""
    found: dict[int, tuple[int, int] | None] = {}
    headers = {node.lineno: node.body[0].lineno for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for edit in edits:
        span = edit.span
        if isinstance(edit, Edit) and edit.node == "ClassDef":
            line = next(line for line in itertools.count(span.line) if line in headers)
            found.update(dict.fromkeys(range(line, headers[line] + 1)))
        elif span.line != span.end_line:
            found.update(dict.fromkeys(range(span.line, span.end_line + 1)))
        elif found.setdefault(span.line, (span.column - 1, span.end_column - 1)) is not None:
            start, stop = found[span.line] or (0, 0)
            found[span.line] = min(start, span.column - 1), max(stop, span.end_column - 1)
    return found
