"""What the fuzzing in this folder has found, each as small as it gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from invariants import check_rewrite

from react_migrate.source import decode

AGENT = 'import dspy\nr = dspy.ReAct("q -> a", tools=[])(q="é")\n'


def test_an_encoding_is_declared_on_a_line_that_ends_like_all_others() -> None:
    """Python reads the declaration whatever the newlines are; the tokenize module wants a \\n after it."""
    text = f"# coding: latin-1\n{AGENT}print(r.trajectory)\n"
    for newline in ("\n", "\r\n", "\r"):
        raw = text.replace("\n", newline).encode("latin-1")
        assert decode(Path("app.py"), raw).encoding == "iso-8859-1"
        done = check_rewrite({"app.py": raw})
        assert b"print(trajectory_of(r))" in done.files["app.py"]


@pytest.mark.parametrize("place", ["\fr.trajectory\n", "if r:\n    \f\n    pass\n\fr.trajectory\n"])
def test_white_space_that_libcst_cannot_keep_is_named(place: str) -> None:
    """Before code; and without all of the code in the message, which is one line if lines end in \\r."""
    for newline in ("\n", "\r"):
        raw = f"{AGENT}{place}".replace("\n", newline).encode()
        done = check_rewrite({"app.py": raw})
        assert done.files["app.py"] == raw
        line = 3 if place[0] == "\f" else 6
        assert [message.partition(" (")[0] for message in done.failed] == [f"has white space on line {line}"]


@pytest.mark.parametrize(
    "last", ["from dspy import ReActV2 as V2, LM", "r.trajectory", "if r:\n    r.trajectory"]
)
@pytest.mark.parametrize(("first", "ending"), [("\r", "\r"), ("\r", ""), ("\n", "\r"), ("\r\n", "\r")])
def test_lines_go_on_ending_in_the_same_way_up_to_the_last(first: str, ending: str, last: str) -> None:
    """libcst drops a lone \\r at the end of a file; what it got instead came out again after an import."""
    raw = f"{AGENT.replace(chr(10), first)}{last.replace(chr(10), ending or first)}{ending}".encode()
    after = check_rewrite({"app.py": raw}).files["app.py"]
    assert b"react_shims" in after
    assert after.endswith(b"\r") == bool(ending) or last.startswith("from")


def test_a_trajectory_of_a_trajectory_is_no_agents_the_first_and_the_second_time() -> None:
    """Of `x.trajectory.trajectory.copy()` the outer read looked like an agent's; once that was written with
    the shim, the inner one did too."""
    raw = b"import dspy\n\ndef f(x):\n    return x.trajectory.trajectory.copy()\n"
    after = check_rewrite({"app.py": raw}, unsafe=True).files["app.py"]
    assert b"return trajectory_of(x.trajectory).copy()" in after


@pytest.mark.parametrize(
    "imports",
    [
        "from agents import agent",
        "\ufefffrom agents import agent",
        "x = 1\rfrom agents import agent",
        "if 1:\f from agents import agent",
        "if 1: from\\\n agents import agent",
        "from agents import*",
        "from agents import(agent)",
        "from . import (\n    größe,  # (how large)\n    # and who\n    agents,\n)\nagent = agents.agent",
        "import größe\nagent = größe.agent",
    ],
)
def test_imports_are_seen_however_they_are_written(imports: str) -> None:
    """Files that no import ties to an agent are not analysed at all, and nothing is said about them."""
    files = {
        "agents.py": 'import dspy\nagent = dspy.ReAct("q -> a", tools=[])\n',
        "größe.py": "from agents import agent\n",
        "app.py": f"{imports}\nprint(agent(q=1).trajectory)\n",
    }
    after = check_rewrite({name: text.encode() for name, text in files.items()}).files
    assert b"print(trajectory_of(agent(q=1)))" in after["app.py"]
