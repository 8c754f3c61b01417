"""The release under test is the one asked for, and has the agents that its generation has."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path

import dspy
import pytest


def test_the_release_is_the_installed_one() -> None:
    assert importlib.metadata.version("dspy") == dspy.__version__
    assert str(Path(dspy.__file__).parent.parent) == os.environ["PYTHONPATH"].split(os.pathsep)[0]


@pytest.mark.dspy("<3.5")
def test_react_keeps_a_trajectory_until_3_4() -> None:
    agent = dspy.ReAct("question -> answer", tools=[])
    assert [name for name, _ in agent.named_predictors()] == ["react", "extract.predict"]


@pytest.mark.dspy(">=3.5")
def test_react_keeps_a_history_from_3_5() -> None:
    agent = dspy.ReAct("question -> answer", tools=[])
    assert [name for name, _ in agent.named_predictors()] == ["react"]
    assert list(agent.tools) == ["submit"]


def test_react_v2_exists_in_the_window_only() -> None:
    release = tuple(int(part) for part in dspy.__version__.split(".")[:2])
    assert hasattr(dspy, "ReActV2") == ((3, 3) <= release <= (3, 5))


@pytest.mark.dspy(">=3.5,<3.6")
def test_the_alias_warns() -> None:
    with pytest.warns(DeprecationWarning, match=r"Use `dspy\.ReAct`"):
        agent = dspy.ReActV2("question -> answer", tools=[])
    assert isinstance(agent, dspy.ReAct)
    assert type(agent).__mro__[1] is dspy.ReAct


@pytest.mark.dspy(">=3.5")
def test_code_agents_are_gone() -> None:
    assert not hasattr(dspy, "CodeAct")
    assert not hasattr(dspy, "ProgramOfThought")
