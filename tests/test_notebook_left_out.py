"""Notebooks and cells that are not for us: what is passed over, what is left out, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from notebooks import (
    AGENT,
    FIXED,
    IMPORT,
    READ,
    check,
    code,
    command,
    jupyter,
    rewrite,
    said,
    sources,
    written,
)

# --- cells ---


def test_a_cell_that_does_not_parse_is_reported_and_the_others_are_done(tmp_path: Path) -> None:
    path = written(tmp_path, AGENT, "x = 1\nprint(result.trajectory", "!ls\nif x:\nprint(1)", READ)
    before = sources(path.read_bytes())
    assert said(rewrite(path)) == ["cell 2:2:6: RM004", "cell 3:3:1: RM004"]
    assert sources(path.read_bytes())[1:] == [*before[1:3], FIXED]
    done = command("check", path)
    assert done.exit_code == 1
    assert "cell 2:2:6: RM004 this cell does not parse with Python" in done.stdout
    assert "2 not checked" in done.stdout


def test_python_that_a_magic_takes_is_reported_where_it_mentions_what_changes(tmp_path: Path) -> None:
    cells = [
        "%%writefile agent.py\nimport dspy\n\nprint(agent().trajectory)",
        "%%writefile other.py\nimport dspy",
        "%%bash\necho .trajectory",
        "%%javascript\nx.trajectory",
        "!echo trajectory\n!echo {result.trajectory}",
        "%timeit -n 3 result.trajectory\n%pip install trajectory",
    ]
    path = written(tmp_path, AGENT, *cells)
    before = path.read_bytes()
    assert said(rewrite(path)) == ["cell 2:4:1: RM004", "cell 6:2:1: RM004", "cell 7:1:1: RM004"]
    assert path.read_bytes() == before


def test_what_only_a_cell_that_does_not_parse_mentions_is_a_reason_to_look(tmp_path: Path) -> None:
    written(tmp_path, "x = 1", "import dspy\nagent = dspy.ReAct(")
    assert said(check(tmp_path)) == ["cell 2:2:19: RM004"]


def test_what_is_left_out_can_be_ignored(tmp_path: Path) -> None:
    path = written(tmp_path, AGENT, "print(  # react-migrate: ignore[RM004]\n'a'", "print(")
    assert said(check(path)) == ["cell 3:1:6: RM004"]
    assert command("check", "--ignore", "RM004", path).exit_code == 0


# --- notebooks ---

R = {"kernelspec": {"display_name": "R", "language": "R", "name": "ir"}}


@pytest.mark.parametrize(
    "metadata",
    [
        R,
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"name": "x"}, "language_info": {"name": "scala"}},
        {"application/vnd.databricks.v1+notebook": {"language": "sql"}},
    ],
)
def test_notebooks_in_other_languages_are_passed_over(metadata: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, f"{AGENT}\n{READ}", metadata=metadata)
    for outcome in (check(tmp_path), check(path)):
        assert (outcome.jobs, outcome.checked, outcome.skipped) == ([], 0, 1)
    assert command("check", path).exit_code == 0


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"kernelspec": {"name": "venv"}},
        {"language_info": {"name": "ipython"}},
        {"language_info": [], "kernelspec": 3},
    ],
)
def test_notebooks_that_do_not_name_another_language_are_python(
    metadata: dict[str, Any], tmp_path: Path
) -> None:
    assert said(check(written(tmp_path, f"{AGENT}\n{READ}", metadata=metadata))) == ["cell 1:4:7: RM201"]


def test_single_cells_in_other_languages_are_passed_over(tmp_path: Path) -> None:
    sql = code(READ, metadata={"vscode": {"languageId": "sql"}})
    python = code(READ, metadata={"vscode": {"languageId": "python"}})
    assert said(check(written(tmp_path, AGENT, sql, python))) == ["cell 3:1:7: RM201"]


def test_nbformat_3_is_rewritten_too(tmp_path: Path) -> None:
    def document(first: str, second: str) -> dict[str, Any]:
        sheets = [
            {"cells": [{"cell_type": "heading", "level": 1, "source": "Agent"}, code3(first)]},
            {"cells": [code3("1 +", language="haskell"), code3(second)]},
        ]
        return {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}

    path = tmp_path / "nb.ipynb"
    path.write_bytes(jupyter(document(AGENT, READ)))
    assert said(check(path)) == ["cell 4:1:7: RM201"]
    rewrite(path)
    assert path.read_bytes() == jupyter(document(AGENT.replace("\n", f"\n{IMPORT}\n", 1), FIXED))


def code3(text: str, language: str = "python") -> dict[str, Any]:
    lines = text.splitlines(keepends=True)
    return {"cell_type": "code", "collapsed": False, "input": lines, "language": language, "outputs": []}


def test_python_2_is_said_once(tmp_path: Path) -> None:
    metadata = {"language_info": {"name": "python", "version": "2.7.18"}}
    path = written(tmp_path, AGENT, "print 1", "print result.trajectory", metadata=metadata)
    done = command("check", path)
    (line,) = done.stdout.splitlines()[:-1]
    assert "nb.ipynb:1:1: RM001 is a notebook for Python 2" in line
