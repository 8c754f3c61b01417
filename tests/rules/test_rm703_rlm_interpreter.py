"""RM703: an interpreter is handed to an RLM as a factory now."""

from __future__ import annotations

import pytest
from rewriting import check_noop

HEAD = 'import dspy\n\nrlm = dspy.RLM("d -> a")\n'


@pytest.mark.parametrize(
    "code",
    [
        'dspy.RLM("d -> a", interpreter=mine)',
        "rlm(d=1, interpreter=mine)",
        "rlm(mine, d=1)",
        "rlm.forward(mine, d=1)",
        "async def f(): await rlm.acall(mine, d=1)",
        "dspy.RLM(s)(mine, d=1)",
    ],
)
def test_old_ways(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", "app.py:4 RM703 manual")


@pytest.mark.parametrize(
    "code",
    [
        'dspy.RLM("d -> a", interpreter_factory=make)',
        "rlm(d=1)",
        "rlm(d=1, interpreter_factory=make)",
        "rlm.deepcopy()",
        "run(interpreter=mine)",
        "dspy.Predict(s)(mine)",
        "subprocess.run(interpreter, args)",
    ],
)
def test_other_ways(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")
