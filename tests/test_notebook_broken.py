"""Files that are called notebooks and are none, or only just."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from notebooks import AGENT, FIXED, IMPORT, READ, code, command, notebook, rewrite, said, sources, written

DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("data", "rule", "place", "part"),
    [
        pytest.param(b"", "RM001", "1:1", "is empty", id="empty"),
        pytest.param(b" \n", "RM001", "1:1", "is empty", id="blank"),
        pytest.param(b'{"cells": [\n  {"cell_type"}]}', "RM001", "2:15", "is not valid JSON", id="no JSON"),
        pytest.param(b"<<<<<<< HEAD\n{}", "RM001", "1:1", "is not valid JSON", id="merge conflict"),
        pytest.param(b'{"cells": []} {}', "RM001", "1:15", "is not valid JSON", id="two documents"),
        pytest.param(b'{"cells": ["\t"]}', "RM001", "1:13", "is not valid JSON", id="control character"),
        pytest.param(b'{"x": ' + DEEP + b"}", "RM001", "1:1", "is JSON, but no notebook", id="deep"),
        pytest.param(b'{"x": ' + b"1" * 5000 + b"}", "RM001", "1:1", "is JSON, but no notebook", id="number"),
        pytest.param(b"[]", "RM001", "1:1", "it is no object", id="list"),
        pytest.param(b"{}", "RM001", "1:1", "it has no cells", id="no cells"),
        pytest.param(b'{"worksheets": [{}]}', "RM001", "1:1", "it has no cells", id="no cells in 3"),
        pytest.param(b'{\n"cells": {}}', "RM001", "2:10", "its cells are no list", id="cells no list"),
        pytest.param(b'{"worksheets": 1}', "RM001", "1:16", "its cells are no list", id="worksheets no list"),
        pytest.param(b'{"cells": [\n7]}', "RM001", "2:1", "cell 1 is none", id="cell no object"),
        pytest.param(b'{"cells": [{"cell_type": 1}]}', "RM001", "1:12", "cell 1 is none", id="no type"),
        pytest.param(b'{"cells": [{"cell_type": "code"}]}', "RM001", "1:12", "no source", id="no source"),
        pytest.param(
            b'{"cells": [{"cell_type": "code", "source": {"a": 1}}]}',
            "RM001", "1:44", "no text", id="wrong source",
        ),
        pytest.param(
            b'{"cells": [{"cell_type": "code", "source": ["a", 1]}]}',
            "RM001", "1:44", "no text", id="wrong lines",
        ),
        pytest.param(
            b'{"worksheets": [{"cells": [{"cell_type": "code", "input": ["a", "b"]}]}]}',
            "RM001", "1:59", "older than 3", id="nbformat 2",
        ),
        pytest.param('{"cells": []}'.encode("utf-16"), "RM002", "1:1", "is not UTF-8", id="utf-16"),
        pytest.param(b'{"cells": [],\n"\xe9": 1}', "RM002", "1:1", "(byte 0xe9 on line 2)", id="latin-1"),
    ],
)  # fmt: skip
def test_a_broken_notebook_gets_one_clear_line(
    data: bytes, rule: str, place: str, part: str, tmp_path: Path
) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_bytes(data)
    for name in ("check", "rewrite"):
        done = command(name, path)
        (line,) = done.stdout.splitlines()[:-1]
        assert line.startswith(f"{path}:{place}: {rule} ")
        assert part in line
        assert done.exit_code == {"RM001": 1, "RM002": 2}[rule]
        assert done.stderr == ""
    assert path.read_bytes() == data


def test_the_others_are_done_beside_a_broken_one(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b'{"trajectory"')
    written(tmp_path, AGENT, READ)
    outcome = rewrite(tmp_path)
    assert [job.path.name for job in outcome.jobs if job.failed] == ["a.ipynb"]
    assert [job.path.name for job in outcome.jobs if job.changed] == ["nb.ipynb"]


def test_of_several_members_with_one_name_the_last_one_counts(tmp_path: Path) -> None:
    """As for Jupyter, and every other reader of JSON that takes them at all."""
    first = b'{"cells": [{"cell_type": "code", "source": "1 +"}],'
    cell = b'"cells": [{"cell_type": "code", "source": %s, "source": %s}]}'
    text = (AGENT + "\n" + READ).encode().replace(b"\n", rb"\n")
    path = tmp_path / "nb.ipynb"
    path.write_bytes(first + cell % (b'"result.trajectory"', b'"%s"' % text))
    assert said(rewrite(path)) == []
    after = (AGENT.replace("\n", f"\n{IMPORT}\n", 1) + "\n" + FIXED).encode().replace(b"\n", rb"\n")
    assert path.read_bytes() == first + cell % (b'"result.trajectory"', b'"%s"' % after)


def test_a_notebook_of_many_megabytes_and_odd_outputs_keeps_them(tmp_path: Path) -> None:
    outputs = [{"data": {"image/png": "iVBORw0KGgo" * 1_000_000}, "x": float("nan"), "big": 10**400}]
    outputs[0]["lone"] = "\ud800 \udfff"
    path = tmp_path / "nb.ipynb"
    made = [json.dumps(notebook(code(AGENT, outputs=outputs), read), indent=1) for read in (READ, FIXED)]
    path.write_bytes(made[0].encode())
    assert said(rewrite(path)) == []
    assert path.read_bytes() == made[1].replace('dspy\\n",\n', f'dspy\\n",\n    "{IMPORT}\\n",\n', 1).encode()


def test_halves_of_surrogate_pairs_in_code_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text(json.dumps(notebook(AGENT, "x = '\ud800'", READ)))
    assert said(rewrite(path)) == ["cell 2:1:1: RM004"]
    assert sources(path.read_bytes())[1:] == ["x = '\ud800'", FIXED]
