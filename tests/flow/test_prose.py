"""Names in code are told from words in comments and texts, without parsing."""

from __future__ import annotations

import pytest

from react_migrate.flow import prose


@pytest.mark.parametrize(
    "code",
    [
        "agent = dspy.ReAct(sig)",
        "from dspy import ReAct as R",
        "class Lean(ReAct): ...",
        "x = ''; agent = ReAct",
        "x = 'it\\'s'; ReAct",
        "x = '''a 'b' \"c\" '''; ReAct",
        "x = r'\\\\'; ReAct",
        "# it's odd\nReAct",
        "!echo it's a shell's line\nReAct",
        "x = '#'; ReAct",
        'getattr(dspy, "ReAct")',
        "patch('dspy.ReAct.forward')",
        "def ask(agent: 'dspy.ReAct'): ...",
        "def ask(agents: 'list[dspy.ReAct] | None'): ...",
        'f"{ReAct(x)}"',
        "F'''made {\n    ReAct(x)}'''",
        'return"ReAct"',
        "x = 'a' 'b'; y = in_'c'; ReAct",
    ],
)
def test_a_name_in_code(code: str) -> None:
    assert prose.names(code.encode(), b"ReAct", b"ReActV2")
    assert not prose.names(code.replace("ReAct", "Other").encode(), b"ReAct", b"ReActV2")


@pytest.mark.parametrize(
    "code",
    [
        "# like ReAct",
        'x = 1  # "ReAct"',
        '"""Loops as ReAct does."""',
        "'''Thinks, \"ReAct\" style,\nand acts.'''",
        "print('a ReAct agent')",
        'f"a ReAct {agent}"',
        "raise ValueError(rb'no ReAct here')",
        "MyReAct()",
        "ReActor()",
    ],
)
def test_a_word_in_prose(code: str) -> None:
    assert not prose.names(code.encode(), b"ReAct", b"ReActV2")
