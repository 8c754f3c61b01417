"""The report for programs: one JSON object."""

from __future__ import annotations

import json

from react_migrate.engine import Job, Run
from react_migrate.finding import Finding, Fix
from react_migrate.report.escape import shown
from react_migrate.report.text import full_message
from react_migrate.source import Place

FORMAT = 1  # raised when a field changes its meaning or goes


def as_json(run: Run) -> str:
    """Findings and counts of files; the fields are described in the README."""
    findings = [
        _finding(job, finding)
        for job in run.jobs
        for finding in sorted((*job.fixed, *job.left), key=lambda one: (one.span, one.code))
    ]
    files = {
        "checked": run.checked,
        "changed": sum(job.changed for job in run.jobs),
        "skipped": run.skipped,
        "failed": sum(job.failed for job in run.jobs),
    }
    return json.dumps({"version": FORMAT, "findings": findings, "files": files}, indent=2)


def _finding(job: Job, finding: Finding) -> dict[str, object]:
    span = finding.span
    source = job.source_of(finding)
    start = source.locate(span.line) if source else Place(None, span.line)
    return {
        "code": finding.code,
        "path": shown(job.path),
        "cell": start.cell,
        "line": start.line,
        "column": span.column,
        "end_line": start.line + span.end_line - span.line,
        "end_column": span.end_column,
        "message": full_message(finding),
        "fix": (finding.fix if finding.edits else Fix.MANUAL).value,
        "fixed": job.applied and any(one is finding for one in job.fixed),
    }
