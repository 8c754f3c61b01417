"""The report for a person at a terminal: code frames and colours. No text is parsed as rich markup."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from react_migrate.engine import Job, Run
from react_migrate.finding import Finding, Fix
from react_migrate.report.diff import unified
from react_migrate.report.escape import printable
from react_migrate.report.text import change_line, finding_line, shown_findings

_STYLES = {Fix.SAFE: "green", Fix.UNSAFE: "yellow", Fix.MANUAL: "red"}
_DIFF_STYLES = {"---": "bold", "+++": "bold", "@": "cyan", "-": "red", "+": "green"}
_GUTTER = 10  # cells for line numbers
_CUT = "..."


def show(run: Run, console: Console, verbose: bool = False) -> None:
    """Every finding with the line of code it is about."""
    for job in run.jobs:
        if job.applied:
            console.print(Text(change_line(job), "green"), soft_wrap=True)
        for finding in shown_findings(job, verbose):
            for line in frame(job, finding, console.width):
                console.print(line, soft_wrap=True)


def show_diff(job: Job, console: Console) -> None:
    """The diff of one file, in colours, with everything that acts on a terminal made visible."""
    assert job.before is not None
    for raw in unified(job):
        line = printable(
            raw.decode(job.before.encoding, "backslashreplace").rstrip("\r\n").replace("\t", "    ")
        )
        style = next((style for start, style in _DIFF_STYLES.items() if line.startswith(start)), "")
        console.print(Text(line, style), soft_wrap=True)


def frame(job: Job, finding: Finding, width: int) -> Iterator[Text]:
    """The finding's line, the code, what is meant in it underlined, and the reasons."""
    style = _STYLES[finding.fix if finding.edits else Fix.MANUAL]
    head = Text(finding_line(job, finding), "bold")
    head.highlight_words([finding.code], f"bold {style}")
    yield head
    source = job.source_of(finding)
    span = finding.span
    code = source.line(span.line).rstrip("\r\n") if source else ""
    if source is None or not code:
        return
    stop = span.end_column if span.end_line == span.line else len(code) + 1
    before, marked, after = (
        _visible(part)
        for part in (code[: span.column - 1], code[span.column - 1 : stop - 1], code[stop - 1 :])
    )
    before, marked, after = _cropped(before, marked, after, width)
    number = str(source.locate(span.line).line)
    gutter = " " * len(number)
    yield Text.assemble((f"{gutter} |", "blue"))
    yield Text.assemble((f"{number} | ", "blue"), before, (marked, style), after)
    yield Text.assemble(
        (f"{gutter} | ", "blue"), " " * cell_len(before), ("^" * max(cell_len(marked), 1), style)
    )


def _visible(code: str) -> str:
    return printable(code.replace("\t", "    "))


def _cropped(before: str, marked: str, after: str, width: int) -> tuple[str, str, str]:
    """The line cut to what fits beside its number, around what is marked in it."""
    room = max(width - _GUTTER, 3 * len(_CUT))
    if cell_len(before + marked + after) <= room:
        return before, marked, after
    marked = _head(marked, room)
    left = min(cell_len(before), max((room - cell_len(marked)) // 2, 0))
    before = _head(before[::-1], left)[::-1]
    return before, marked, _head(after, room - cell_len(before + marked))


def _head(text: str, cells: int) -> str:
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, cells - len(_CUT)) + _CUT if cells > len(_CUT) else ""
