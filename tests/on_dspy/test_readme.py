"""The examples of shims/README.md run as they stand, on both engines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dspy
import pytest

from react_shims.testing import Act, Call, Finish, Script
from react_shims.transition import v2_class

README = Path(__file__).resolve().parents[2] / "shims" / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
READING, TESTING = [example for example in EXAMPLES if "agent(" in example]


def find_order(order: int) -> str:
    return f"order {order} is on its way"


def agents() -> list[Any]:
    classes = {dspy.ReAct, v2_class() or dspy.ReAct}
    if v2_class():
        from react_shims import ReAct

        classes.add(ReAct)
    return [each("question -> answer", tools=[find_order]) for each in sorted(classes, key=repr)]


@pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning")
def test_reading_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    for agent in agents():
        plan = [Act("Look it up.", Call("find_order", {"order": 17})), Finish("Done.", {"answer": "soon"})]
        with Script(plan):
            exec(READING, {"agent": agent})
        assert capsys.readouterr().out == "order 17 is on its way\n"


@pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning")
def test_testing_a_program() -> None:
    for agent in agents():
        exec(TESTING, {"agent": agent})
