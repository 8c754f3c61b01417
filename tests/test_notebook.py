"""Notebooks from file to file: what is found and where, what is edited, and what is said of broken ones."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from notebooks import (
    AGENT,
    FIXED,
    IMPORT,
    READ,
    WRITERS,
    check,
    command,
    compact,
    markdown,
    notebook,
    rewrite,
    said,
    sources,
    written,
)

FIXTURES = Path(__file__).parent.parent / "fixtures/notebooks"


# --- what is found ---


def test_notebooks_are_found_without_being_named(tmp_path: Path) -> None:
    written(tmp_path, AGENT, READ)
    (tmp_path / ".ipynb_checkpoints").mkdir()
    written(tmp_path / ".ipynb_checkpoints", AGENT, READ)
    outcome = check(tmp_path)
    assert outcome.checked == 1
    assert said(outcome) == ["cell 2:1:7: RM201"]


def test_all_code_cells_are_one_program(tmp_path: Path) -> None:
    path = written(
        tmp_path, AGENT, markdown("Look:"), "def show(p):\n    return p.trajectory", "show(result)"
    )
    assert said(check(path)) == ["cell 3:2:12: RM201"]


def test_cells_are_counted_among_all_cells_and_lines_within_the_cell(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        markdown("# Title\n\nmore"),
        AGENT,
        {**markdown(READ), "cell_type": "raw"},
        f"x = 1\n\n{READ}",
    )
    assert said(check(path)) == ["cell 4:3:7: RM201"]
    done = json.loads(command("check", "--output-format", "json", path).stdout)
    (finding,) = done["findings"]
    places = ("cell", "line", "column", "end_line", "end_column")
    assert [finding[key] for key in places] == [4, 3, 7, 3, 24]
    assert done["files"]["checked"] == 1


def test_columns_count_characters_and_are_right_behind_magics(tmp_path: Path) -> None:
    path = written(tmp_path, AGENT, "%time é = result.trajectory['é'], result.trajectory")
    assert said(check(path)) == ["cell 2:1:11: RM201", "cell 2:1:35: RM201"]


def test_columns_are_right_behind_the_last_of_many_magics(tmp_path: Path) -> None:
    path = written(tmp_path, AGENT, "!ls\n" * 300 + "%time result.trajectory")
    assert said(check(path)) == ["cell 2:301:7: RM201"]


def test_only_outputs_and_prose_that_mention_a_trajectory_are_no_reason_to_look(tmp_path: Path) -> None:
    path = written(
        tmp_path, markdown("`result.trajectory` of a ReAct"), "import dspy\ndspy.LM('x')", "print("
    )
    assert said(check(tmp_path)) == []
    assert said(check(path)) == ["cell 3:1:6: RM004"]  # named, it is looked at whatever is in it


def test_a_value_travels_between_notebooks_and_modules(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def steps(prediction):\n    return prediction.trajectory\n")
    written(tmp_path, "from helper import steps", AGENT, "steps(result)")
    outcome = rewrite(tmp_path)
    assert said(outcome) == []
    assert "trajectory_of(prediction)" in (tmp_path / "helper.py").read_text()


def test_reasons_name_lines_by_their_cell(tmp_path: Path) -> None:
    either = (
        "other = dspy.RLM('question -> answer')\nif len(agent.tools) > 5:\n\n    result = other(question='?')"
    )
    path = written(tmp_path, AGENT, either, READ)
    (job,) = check(path).jobs
    (finding,) = [one for one in job.left if one.code == "RM201"]
    assert "cell 2, line 4" in " ".join(finding.why)


def test_what_changes_together_is_named_by_its_cell(tmp_path: Path) -> None:
    guard = (
        "p = result\nif hasattr(p, 'trajectory'):\n    if x:\n        p = input()\n    print(p.trajectory)"
    )
    (job,) = check(written(tmp_path, AGENT, "x = 1", guard)).jobs
    assert "it changes together with cell 3, line 5 or not at all" in job.left[0].why


def test_how_a_verdict_came_about_is_told_with_cells_and_their_lines(tmp_path: Path) -> None:
    path = written(tmp_path, AGENT, f"%time result = agent(question='!')\n{READ}")
    shown = command("check", "--why", f"{path}:cell 2:2").stdout
    assert f"{path}, cell 2, line 2: `result` is the prediction of a ReAct agent" in shown
    assert f"{path}, cell 1, line 2: `dspy.ReAct` is made" in shown
    assert "\n       %time result = agent(question='!')\n" in shown
    missing = command("check", "--why", f"{path}:cell 1:1")
    assert "cell 1, line 1" in missing.stderr
    assert missing.exit_code == 2


# --- what is edited ---


def test_an_agent_and_an_rlm_under_one_name_are_told_apart(tmp_path: Path) -> None:
    """Cells run in their order: the name is the agent's at first, then the RLM's."""
    path = written(
        tmp_path,
        AGENT,
        "steps = result.trajectory\nif hasattr(result, 'trajectory'):\n    result.trajectory['thought_0']",
        "rlm = dspy.RLM('doc -> answer')\nresult = rlm(doc='...')",
        "%time\nsteps = result.trajectory\nfor step in result['trajectory']:\n    print(step['code'])",
    )
    assert said(rewrite(path)) == []
    first, agents, _, rlms = sources(path.read_bytes())
    assert "from react_shims import has_trajectory, repl_trajectory_of, trajectory_of" in first
    assert agents == (
        "steps = trajectory_of(result)\nif has_trajectory(result):\n    trajectory_of(result)['thought_0']"
    )
    assert rlms == (
        "%time\nsteps = repl_trajectory_of(result)\nfor step in repl_trajectory_of(result):\n"
        "    print(step['code'])"
    )


def test_only_the_source_of_changed_cells_differs(tmp_path: Path) -> None:
    for writer in WRITERS:
        before = writer(notebook(markdown("é \u2028 \x7f"), AGENT, "print('é')", f"# é\n{READ}"))
        path = tmp_path / f"{writer.__name__}.ipynb"
        path.write_bytes(before)
        rewrite(path)
        cells = (
            markdown("é \u2028 \x7f"),
            AGENT.replace("\n", f"\n{IMPORT}\n", 1),
            "print('é')",
            f"# é\n{FIXED}",
        )
        expected = writer(notebook(*cells))
        assert path.read_bytes() == expected, writer.__name__


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.ipynb")))
def test_the_fixtures_become_what_was_written_by_hand(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes((FIXTURES / name).read_bytes())
    rewrite(path)
    assert path.read_bytes() == (FIXTURES / "rewritten" / name).read_bytes()
    assert not any(job.changed for job in rewrite(path).jobs)
    assert path.read_bytes() == (FIXTURES / "rewritten" / name).read_bytes()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            [
                "%pip install dspy",
                "import os\nimport dspy\nfrom tqdm import tqdm",
                AGENT.partition("\n")[2],
                READ,
            ],
            {2: f"import os\nimport dspy\n{IMPORT}\nfrom tqdm import tqdm", 4: FIXED},
            id="beside the import of dspy",
        ),
        pytest.param(
            [f"%%capture\n!pip install dspy\n{AGENT}", READ],
            {
                1: f"%%capture\n!pip install dspy\n{AGENT}".replace("dspy\nagent", f"dspy\n{IMPORT}\nagent"),
                2: FIXED,
            },
            id="below the magic that has to be first",
        ),
        pytest.param(
            [
                "!ls",
                "x = 1",
                "import json\nimport numpy",
                "try:\n    import dspy\nexcept ImportError:\n    pass",
                AGENT.partition("\n")[2],
                READ,
            ],
            {3: f"import json\nimport numpy\n{IMPORT}", 6: FIXED},
            id="in the cell of the first imports",
        ),
        pytest.param(
            [
                "# setup\nimport json",
                "def f():\n    import dspy\n    return dspy.ReAct('a -> b', tools=[])",
                "r = f()(a=1)\nr.trajectory",
            ],
            {1: f"# setup\nimport json\n\n{IMPORT}", 3: "r = f()(a=1)\ntrajectory_of(r)"},
            id="a section of its own, without blank lines at the end of the cell",
        ),
        pytest.param(
            [
                "x = 1",
                "def f():\n    import dspy\n    return dspy.ReAct('a -> b', tools=[])",
                "%%time\n# run it\nr = f()(a=1).trajectory",
                "import json",
            ],
            {3: f"%%time\n{IMPORT}\n\n# run it\nr = trajectory_of(f()(a=1))"},
            id="without imports before, in the cell of the first use, below its magic",
        ),
        pytest.param(
            ["%%time\ndef f():\n    import dspy\n    return dspy.ReAct('a', tools=[])\nf()().trajectory"],
            {
                1: f"%%time\n{IMPORT}\n\n\ndef f():\n    import dspy\n    return dspy.ReAct('a', tools=[])\n"
                "trajectory_of(f()())"
            },
            id="in the only cell, below its magic",
        ),
        pytest.param(
            ["import dspy", "agent = dspy.ReAct('a -> b', tools=[])\r\nagent(a=1).trajectory\r\n"],
            {
                1: f"import dspy\r\n{IMPORT}",
                2: "agent = dspy.ReAct('a -> b', tools=[])\r\ntrajectory_of(agent(a=1))\r\n",
            },
            id="with the line ends of the other cells",
        ),
        pytest.param(
            ["def show(r):\n    return r.trajectory", AGENT, "show(result)"],
            {1: f"{IMPORT}\n\n\ndef show(r):\n    return trajectory_of(r)"},
            id="imports come too late: in the cell of the use",
        ),
        pytest.param(
            ["x = 1", "from __future__ import annotations\nimport os", AGENT, READ],
            {3: AGENT.replace("\n", f"\n{IMPORT}\n", 1), 4: FIXED},
            id="a future import in a later cell",
        ),
        pytest.param(
            [
                "import dspy\n\nfrom dspy import ReActV2",
                "a = ReActV2('a -> b', tools=[])",
                "import os\n\nfrom dspy import ReActV2\n\nx = 1",
                "from dspy import ReActV2\n\nx = 1",
                "import os\n\nfrom dspy import ReActV2",
            ],
            {
                1: "import dspy\n\nfrom react_shims import ReAct",
                2: "a = ReAct('a -> b', tools=[])",
                3: "import os\n\nx = 1",
                4: "x = 1",
                5: "import os",
            },
            id="names that move",
        ),
    ],
)
def test_the_import_goes_where_it_runs_before_the_use(
    before: list[str], after: dict[int, str], tmp_path: Path
) -> None:
    path = written(tmp_path, *before)
    rewrite(path)
    expected = dict(enumerate(before, 1)) | after
    assert dict(enumerate(sources(path.read_bytes()), 1)) == expected


@pytest.mark.parametrize("name", sorted(path.stem for path in (FIXTURES.parent / "programs").glob("*.py")))
def test_a_program_cut_into_cells_is_rewritten_as_it_is_in_one_file(name: str, tmp_path: Path) -> None:
    """What the rewritten programs do on DSPy is proven elsewhere; here they must come out the same."""
    program = FIXTURES.parent / "programs" / f"{name}.py"
    lines = program.read_text().splitlines(keepends=True)
    starts = [statement.lineno - 1 for statement in ast.parse(program.read_text()).body]
    starts = [start for start in starts if not lines[start - 1].startswith("@")]
    cells = ["".join(lines[first:last]) for first, last in zip([0, *starts], [*starts, None], strict=True)]
    path = written(tmp_path, "%pip install dspy", *(f"!date\n{cell}%who\n" for cell in cells))
    plain = tmp_path / "program.py"
    plain.write_bytes(program.read_bytes())
    assert said(rewrite(tmp_path)) == []
    joined = "\n".join(sources(path.read_bytes())[1:])
    assert joined.count("!date\n") == joined.count("%who\n") == len(cells)
    in_cells = ast.parse(joined.replace("!date\n", "").replace("%who\n", ""))
    assert without_imports(in_cells) == without_imports(ast.parse(plain.read_text()))


def without_imports(tree: ast.Module) -> tuple[list[str], set[str]]:
    """The statements of a module in their order, and its imports, which may stand in another."""
    imports = {ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    return [text for node in tree.body if (text := ast.unparse(node)) not in imports], imports


def test_names_that_only_a_magic_uses_stay_imported(tmp_path: Path) -> None:
    cells = ["import dspy", "agent = dspy.ReActV2('a -> b', tools=[])"]
    path = written(tmp_path, *cells, "dspy?")
    rewrite(path)
    assert sources(path.read_bytes())[0] == "import dspy\nfrom react_shims import ReAct"
    path = written(tmp_path, *cells, "!pip install dspy")
    rewrite(path)
    assert sources(path.read_bytes())[0] == "from react_shims import ReAct"


def test_waiting_outside_of_functions_is_fine_in_a_notebook(tmp_path: Path) -> None:
    path = written(
        tmp_path, AGENT, "async for x in y:\n    pass\nr = await agent.acall(question='?')\nr.trajectory"
    )
    rewrite(path)
    assert sources(path.read_bytes())[1].endswith("\ntrajectory_of(r)")


def test_comments_ignore_findings(tmp_path: Path) -> None:
    lines = [
        f"{READ}  # react-migrate: ignore[RM201]",
        f"{READ}  # react-migrate: ignore[RM1]",
        "x = (  # react-migrate: ignore",
    ]
    path = written(tmp_path, AGENT, *lines)
    assert said(check(path)) == ["cell 3:1:7: RM201"]


def test_comments_for_humans_go_into_the_cell_and_never_into_what_is_no_python(tmp_path: Path) -> None:
    switch = "%%time\n!ls\nif hasattr(dspy, 'ReActV2'):\n    print(1)"
    path = written(tmp_path, AGENT, switch, "%%writefile x.py\nx.trajectory", "print(\nx.trajectory")
    before = sources(path.read_bytes())
    expected = ["cell 2:4:18: RM102", "cell 3:2:1: RM004", "cell 4:1:6: RM004"]
    assert said(rewrite(path, annotate=True)) == expected
    after = sources(path.read_bytes())
    time, shell, comment, *rest = after[1].split("\n")
    assert "\n".join([time, shell, *rest]) == switch
    assert comment.startswith("# TODO(react-migrate): RM102 ")
    assert [after[0], *after[2:]] == [before[0], *before[2:]]


def test_standard_input_is_a_notebook_when_it_is_called_one(tmp_path: Path) -> None:
    before = compact(notebook(AGENT, READ))
    expected = compact(notebook(AGENT.replace("\n", f"\n{IMPORT}\n", 1), FIXED))
    done = command("rewrite", "-", "--stdin-filename", "x.ipynb", stdin=before)
    assert (done.stdout_bytes, done.exit_code) == (expected, 0)
    done = command("check", "-", "--stdin-filename", "x.ipynb", stdin=before)
    assert done.stdout.startswith("x.ipynb:cell 2:1:7: RM201 ")
    assert done.exit_code == 1


def test_a_diff_shows_cells(tmp_path: Path) -> None:
    path = written(tmp_path, AGENT, f"x = 1\n{READ}")
    before = path.read_bytes()
    done = command("rewrite", "--diff", path)
    shown = done.stdout.splitlines()
    assert [line.rstrip() for line in shown if line.startswith(("---", "+++"))] == [
        f"{side * 3} {letter}{path}:cell {cell}" for cell in (1, 2) for side, letter in ("-a", "+b")
    ]
    assert shown[-3:] == [" x = 1", f"-{READ}", f"+{FIXED}"]
    assert path.read_bytes() == before
