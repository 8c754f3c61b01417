"""Which files are analysed: those an agent can get into by imports, and not by way of DSPy's own code."""

from __future__ import annotations

from pathlib import Path

from react_migrate.flow import Program
from react_migrate.source import decode

_AGENT = b'import dspy\n\nagent = dspy.ReAct("question -> answer", tools=[])\n'


def _within_reach(**files: bytes) -> set[str]:
    return {str(path) for path in _program(files).within_reach}


def _program(files: dict[str, bytes]) -> Program:
    paths = {name.replace("__", "/") + ".py": raw for name, raw in files.items()}
    return Program.build([decode(Path(path), raw) for path, raw in paths.items()])


def test_a_chain_of_imports_ties_files_to_an_agent() -> None:
    found = _within_reach(agents=_AGENT, desk=b"import agents\n", shop=b"import desk\n", other=b"pass\n")
    assert found == {"agents.py", "desk.py", "shop.py"}


def test_a_copy_of_dspy_ties_nothing_together() -> None:
    found = _within_reach(
        dspy__init=b"",
        dspy__predict__react=b"import http_client\n\nclass ReAct: ...\n",
        http_client=b"import sockets\n",
        sockets=b"",
        agents=_AGENT,
        judges=b"import dspy\n",
    )
    assert found == {"agents.py"}


def test_the_name_alone_in_a_file_far_from_dspy_is_another_react() -> None:
    assert _within_reach(ours=b"class ReAct: ...\n", user=b"from ours import ReAct\n") == set()


def test_speaking_of_react_is_not_having_one() -> None:
    """As packages do that have an RLM, and compare it with ReAct in their documentation."""
    talk = b'"""Not a ReAct loop."""\nimport dspy\n\nrlm = dspy.RLM("doc -> answer")  # unlike ReAct\n'
    assert _within_reach(ours=talk, user=b"from ours import rlm\n") == set()


def test_a_name_in_a_string_may_be_one() -> None:
    made = b'import dspy\n\nagent = getattr(dspy, "ReAct")("question -> answer", tools=[])\n'
    assert _within_reach(agents=made, desk=b"import agents\n") == {"agents.py", "desk.py"}


def test_agents_and_rlms_tie_files_each_for_themselves() -> None:
    rlm = b'import dspy\n\nrlm = dspy.RLM("doc -> answer")  # unlike ReAct\n'
    program = _program(
        {"agents": _AGENT, "desk": b"import agents\n", "reader": rlm, "hall": b"import reader\n"}
    )
    assert {str(path) for path in program.within_reach} == {"agents.py", "desk.py"}
    assert {str(path) for path in program.within_reach_of_rlm} == {"reader.py", "hall.py"}
