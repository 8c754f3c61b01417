"""What `react_shims.ReAct` refuses when it is made, and warns about when it is called."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

import dspy
import pytest
from scripted import TEXT, ScriptedLM, submit
from ways import search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.react import ReAct
    from react_shims.react_run import IgnoredInputWarning

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("question -> history", "history"),
        ("question -> termination_reason", "termination_reason"),
        ("question -> next_thought", "next_thought"),
        ("question -> tool_calls", "tool_calls"),
        ("history, question -> answer", "history"),
        ("tools, question -> answer", "tools"),
        ("max_iters, question -> answer", "max_iters"),
        ("next_thought, question -> answer", "next_thought"),
        ("tool_calls, question -> answer", "tool_calls"),
    ],
)
def test_names_that_v2_needs_itself_are_refused(signature: str, name: str) -> None:
    kind = "Output" if signature.endswith(name) else "Input"
    with pytest.raises(ValueError, match=rf"{kind} field name\(s\) `{name}` are reserved"):
        ReAct(signature, tools=[search])


def test_a_tool_called_submit_is_refused() -> None:
    with pytest.raises(ValueError, match="`submit` is reserved"):
        ReAct("question -> answer", tools=[dspy.Tool(search, name="submit")])


def called(asynchronous: bool, **inputs: Any) -> list[warnings.WarningMessage]:
    agent = ReAct("question -> answer", tools=[search])
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        with dspy.context(lm=ScriptedLM([submit(answer="x")]).lm, adapter=TEXT):
            if asynchronous:
                asyncio.run(acalled(agent, inputs))
            else:
                agent(**inputs)  # the line of the call
    return [each for each in record if issubclass(each.category, IgnoredInputWarning)]


async def acalled(agent: Any, inputs: dict[str, Any]) -> Any:
    return await agent.acall(**inputs)  # the line of the call


@pytest.mark.parametrize("asynchronous", [False, True])
def test_unknown_inputs_are_named_at_the_line_of_the_call(asynchronous: bool) -> None:
    [warning] = called(asynchronous, question="why?", qestion="why?", config={"temperature": 1})
    expected = "ReAct ignores 'qestion', 'config': its signature has the inputs 'question'"
    assert expected in str(warning.message)
    assert warning.filename == __file__
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert "the line of the call" in source[warning.lineno - 1]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_known_inputs_and_controls_are_quiet(asynchronous: bool) -> None:
    controls = {"max_iters": 1, "history": dspy.History(messages=[]), "history_processor": None}
    assert called(asynchronous, question="why?", **controls) == []
