"""Notebooks made for a test: cells in, bytes of a file out, in the ways that programs write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from react_migrate.cli import main
from react_migrate.engine import Options, Run, run
from react_migrate.finding import Finding
from react_migrate.job import Job
from react_migrate.report.text import finding_line
from react_migrate.rules import all_rules

PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
AGENT = "import dspy\nagent = dspy.ReAct('question -> answer', tools=[])\nresult = agent(question='Who?')"
READ = "print(result.trajectory)"
FIXED = "print(trajectory_of(result))"
IMPORT = "from react_shims import trajectory_of"


def markdown(text: str) -> dict[str, Any]:
    """A cell of prose."""
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(text: str, **more: Any) -> dict[str, Any]:
    """A code cell that was run and printed something, as Jupyter writes it."""
    output = {"name": "stdout", "output_type": "stream", "text": ["{'trajectory': 'ReAct'}\n"]}
    cell = {"cell_type": "code", "execution_count": 7, "id": "c0ffee", "metadata": {}, "outputs": [output]}
    return {**cell, "source": text.splitlines(keepends=True), **more}


def notebook(*cells: str | Mapping[str, Any], metadata: Mapping[str, Any] = PYTHON) -> dict[str, Any]:
    """A notebook in nbformat 4; strings become code cells."""
    made = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    return {"cells": made, "metadata": dict(metadata), "nbformat": 4, "nbformat_minor": 5}


def jupyter(document: object) -> bytes:
    """The bytes that Jupyter writes."""
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def colab(document: object) -> bytes:
    """The bytes that some other writers write: other indent, escaped letters, no end of the last line."""
    return json.dumps(document, indent=2, ensure_ascii=True).encode()


def compact(document: object) -> bytes:
    """All in one line, without spaces."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


WRITERS: Sequence[Callable[[object], bytes]] = (jupyter, colab, compact)


def written(folder: Path, *cells: Any, name: str = "nb.ipynb", **more: Any) -> Path:
    """A notebook on disk, as Jupyter writes it."""
    path = folder / name
    path.write_bytes(jupyter(notebook(*cells, **more)))
    return path


def command(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    """Run react-migrate with these arguments."""
    return CliRunner().invoke(main, [*map(str, arguments)], input=stdin, catch_exceptions=False)


def rewrite(path: Path, **options: Any) -> Run:
    """Run `rewrite` on a file or folder."""
    settings = {"fix": True, "write": True, **options}
    return run([path], Options(frozenset(all_rules()), **settings))


def check(path: Path) -> Run:
    """Run `check` on a file or folder."""
    return run([path], Options(frozenset(all_rules())))


def said(outcome: Run) -> list[str]:
    """What is left, one per finding: `cell 3:2:5: RM201`."""
    return [_short(job, one) for job in outcome.jobs for one in job.left]


def _short(job: Job, one: Finding) -> str:
    where, _, rest = finding_line(job, one).removeprefix(f"{job.path}:").partition(": ")
    return f"{where}: {rest.split()[0]}"


def sources(data: bytes) -> list[str]:
    """The sources of all cells of a notebook in nbformat 4."""
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
