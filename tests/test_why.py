"""`check --why PLACE`: how a verdict came about."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from react_migrate.cli import main

AGENTS = """\
import dspy


def build():
    return dspy.ReAct("q -> a", tools=[])
"""
USE = """\
from agents import build


class Desk:
    def __init__(self):
        self.agent = build()

    def ask(self, q):
        return self.agent(q=q)


def show(p):
    print(p.trajectory)


show(Desk().ask(1))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agents.py").write_text(AGENTS)
    (tmp_path / "use.py").write_text(USE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["check", "--why", *arguments])
    return result.exit_code, result.output


def test_every_step_is_named_with_its_place(project: Path) -> None:
    code, output = ask("use.py:13")
    assert code == 0
    steps = [
        line.strip() for line in output.splitlines() if line.startswith("    ") and line.strip()[0].isdigit()
    ]
    assert steps == [
        "1. agents.py, line 1: imported",
        "2. agents.py, line 5: `dspy.ReAct` is made",
        "3. use.py, line 6: returned by `build`",
        "4. use.py, line 6: stored in `self.agent`",
        "5. use.py, line 9: called: it gives a prediction",
        "6. use.py, line 16: returned by `ask`",
        "7. use.py, line 16: passed as `p`",
    ]
    assert "`p` is the prediction of a ReAct agent" in output


def test_with_a_column_any_expression_can_be_asked_about(project: Path) -> None:
    code, output = ask("use.py:9:22")
    assert code == 0
    assert "`self.agent` is not the prediction of a ReAct agent" in output
    assert "it is an object of `dspy.ReAct`" in output


def test_what_is_not_known_is_said(project: Path) -> None:
    (project / "alone.py").write_text("import dspy\n\n\ndef grade(pred):\n    return pred.trajectory\n")
    code, output = ask("alone.py:5")
    assert code == 0
    assert "it is anything: `pred` is a parameter of `grade`, and no call in these files says" in output


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        ('dspy.RLM("d -> a")(d=1)', "`x` is the prediction of an RLM, whatever way it came"),
        (
            "rlm(d=1) if input() else cot(d=1)",
            "`x` may be the prediction of an RLM, and may be something else",
        ),
        ("rlm(d=1) if input() else agent(d=1)", "`x` may be the prediction of a ReAct agent, and may be"),
        ("cot(d=1)", "`x` is not the prediction of a ReAct agent"),
        ("robots.plan()", "`x` is not known: it comes from a package that is not among these files"),
    ],
)
def test_verdicts_on_rlms_and_others(project: Path, made: str, verdict: str) -> None:
    head = 'import dspy\nimport robots\n\nrlm, cot = dspy.RLM("d -> a"), dspy.ChainOfThought("d -> a")\n'
    agent = 'agent = dspy.ReAct("d -> a", tools=[])\n'
    (project / "rlms.py").write_text(f"{head}{agent}x = {made}\nx.trajectory\n")
    code, output = ask("rlms.py:7")
    assert code == 0
    assert verdict in output


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("use.py:1", "no trajectory is read at use.py, line 1"),
        ("use.py:1:900", "there is no name, attribute or call at use.py, line 1"),
        ("nowhere.py:1", "nowhere.py is not among the files that DSPy has to do with"),
        ("use.py", "`use.py` is not a place: write PATH:LINE or PATH:LINE:COLUMN."),
    ],
)
def test_a_place_that_is_none_gets_a_sentence(project: Path, place: str, sentence: str) -> None:
    code, output = ask(place)
    assert code == 2
    assert sentence in " ".join(output.split())
