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
from difflib import SequenceMatcher
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(after)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            compile(before, "before", "exec", flags=flags, dont_inherit=True)
        except SyntaxError:
            return
        compile(after, "after", "exec", flags=flags, dont_inherit=True)


def _assert_newlines_are_of_one_kind(before: bytes, after: bytes) -> None:
    kinds = set(re.findall(rb"\r\n|\r|\n", before))
    if kinds:  # a single line without an end may get one of any kind
        assert set(re.findall(rb"\r\n|\r|\n", after)) <= kinds


def _decoded(raw: bytes) -> str:
    lines = io.BytesIO(re.sub(rb"\r\n?", b"\n", raw))
    return raw.decode(tokenize.detect_encoding(lines.readline)[0])


def _assert_only_edits(before: str, after: str, fixed: list[Finding]) -> None:
    """Lines that no edit names stay, in order; new ones are imports, or stand for edited ones."""
    edits = [edit for finding in fixed for edit in finding.edits]
    old, new = LINE.findall(before), LINE.findall(after)
    tree = ast.parse(before)
    imports, edited = set(_import_lines(tree)), set(_edited_lines(tree, edits))
    filler = (number for number, line in enumerate(new, 1) if line.strip() in ("", "pass"))
    added = {*_import_lines(ast.parse(after)), *filler}
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        touched = {i for i in range(i1 + 1, i2 + 1) if old[i - 1].strip() or i in edited}
        assert touched <= imports | edited, (old[i1:i2], new[j1:j2])
        if not touched & edited:
            last = {len(new)} if i2 == len(old) else set()  # an end of the last line that it did not have
            assert set(range(j1 + 1, j2 + 1)) <= added | last, (old[i1:i2], new[j1:j2])
        elif i2 - i1 == j2 - j1 and not touched & imports:
            _assert_rest_of_lines(old[i1:i2], new[j1:j2], i1 + 1, edits)


def _assert_rest_of_lines(
    old: list[str], new: list[str], first: int, edits: Sequence[Edit | MoveImport]
) -> None:
    """What stands before the first and after the last edit of a line stays."""
    spans = [edit.span for edit in edits if isinstance(edit, Edit) and edit.node != "ClassDef"]
    for number, (line, other) in enumerate(zip(old, new, strict=True), first):
        here = [span for span in spans if span.line == number == span.end_line]
        if any(span.line <= number <= span.end_line for span in spans if span not in here) or not here:
            continue
        start, stop = min(span.column for span in here) - 1, max(span.end_column for span in here) - 1
        assert other.startswith(line[:start]), (line, other)
        assert other.endswith(line[stop:]), (line, other)


def _import_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _edited_lines(tree: ast.Module, edits: Sequence[Edit | MoveImport]) -> Iterator[int]:
    headers = {node.lineno: node.body[0].lineno for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for edit in edits:
        span = edit.span
        if isinstance(edit, Edit) and edit.node == "ClassDef":
            line = next(line for line in itertools.count(span.line) if line in headers)
            yield from range(line, headers[line] + 1)
        else:
            yield from range(span.line, span.end_line + 1)
