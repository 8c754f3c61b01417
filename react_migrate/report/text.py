"""Findings as lines of text, `path:line:column: CODE message`, and the summary."""

from __future__ import annotations

from collections.abc import Iterator

from react_migrate import __version__
from react_migrate.engine import Job, Run
from react_migrate.finding import Finding, Fix
from react_migrate.project import declares_shims
from react_migrate.report.escape import printable, shown
from react_migrate.source import Place

PACKAGE = "react_shims"
_REQUIREMENT = f"react-shims>={__version__}"
NOTHING_FOUND = (
    "There is nothing to look at: no Python file or notebook was found. Name the folder that holds the code. "
    "What git ignores, virtual environments and what --exclude names are passed over, but for named files."
)
_MARKS = {Fix.SAFE: " [fix]", Fix.UNSAFE: " [unsafe fix]", Fix.MANUAL: ""}


def lines(run: Run, verbose: bool = False) -> Iterator[str]:
    """One line per finding that is left and per file that was changed; `verbose`: also per fixed finding."""
    for job in run.jobs:
        if job.applied:
            yield change_line(job)
        for finding in shown_findings(job, verbose):
            yield finding_line(job, finding)


def shown_findings(job: Job, verbose: bool) -> list[Finding]:
    """The findings to list: those that are left, and with `verbose` the fixed ones."""
    return sorted((*job.left, *(job.fixed if verbose else ())), key=lambda one: one.span)


def change_line(job: Job) -> str:
    """What was done to a file."""
    done = [f"{_counted(len(job.fixed), 'finding')} fixed"] if job.fixed else []
    done += [f"{_counted(job.comments, 'comment')} added"] if job.comments else []
    return f"{shown(job.path)}: {', '.join(done)}"


def finding_line(job: Job, finding: Finding) -> str:
    """`path:line:column: CODE message [fix]`; in a notebook `path:cell 3:line:column: ...`."""
    where = _where(job, finding)
    return f"{where}: {finding.code} {printable(full_message(finding))}{mark(job, finding)}"


def _where(job: Job, finding: Finding) -> str:
    source = job.source_of(finding)
    place = source.locate(finding.span.line) if source else Place(None, finding.span.line)
    cell = [f"cell {place.cell}"] if place.cell else []
    return ":".join([shown(job.path), *cell, str(place.line), str(finding.span.column)])


def full_message(finding: Finding) -> str:
    """The message with the reasons behind it."""
    return f"{finding.message} ({'; '.join(finding.why)})" if finding.why else finding.message


def mark(job: Job, finding: Finding) -> str:
    """Who may fix it, or that it is fixed."""
    if any(one is finding for one in job.fixed):
        return " [fixed]" if job.applied else " [would be fixed]"
    return _MARKS[finding.fix if finding.edits else Fix.MANUAL]


def summary(run: Run, *, rewriting: bool) -> Iterator[str]:
    """What was done and what is left, in a sentence; then what the project has to install for it.

    `rewriting` tells what can be done about the rest from what `rewrite` would do about it.
    """
    left = [finding for job in run.jobs for finding in job.left if not finding.code.startswith("RM0")]
    safe = sum(one.fix is Fix.SAFE and bool(one.edits) for one in left)
    unsafe = sum(one.fix is Fix.UNSAFE and bool(one.edits) for one in left)
    manual = len(left) - safe - unsafe
    counts = [
        (sum(len(job.fixed) for job in run.jobs if job.applied), "fixed"),
        (sum(len(job.fixed) for job in run.jobs if not job.applied), "would be fixed"),
        (safe, "not fixed" if rewriting else "for `rewrite` to fix"),
        (unsafe, "for `rewrite --unsafe` to fix"),
        (manual, "needs you" if manual == 1 else "need you"),
        (sum(job.failed for job in run.jobs), "failed"),
        (sum(one.code == "RM004" for job in run.jobs for one in job.left), "not checked"),
    ]
    said = [f"{count} {what}" for count, what in counts if count]
    unaffected = run.checked - sum(job.before is not None for job in run.jobs)
    said.append(f"{_counted(unaffected, 'file')} unaffected")
    yield ("Interrupted; until then: " if run.interrupted else "") + ", ".join(said)
    yield from _dependencies(run)


def _dependencies(run: Run) -> Iterator[str]:
    importing = [job for job in run.jobs if job.changed and job.after and PACKAGE in job.after.text]
    if not importing:
        return
    if all(declares_shims(job.path) for job in importing):
        yield f"The project requires react-shims already, which the code imports ({_REQUIREMENT})."
    else:
        yield f"Add {_REQUIREMENT} to the project's dependencies: the code imports react_shims."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
