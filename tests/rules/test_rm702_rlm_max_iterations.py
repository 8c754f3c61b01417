"""RM702: `max_iterations=` where it goes to the constructor of `dspy.RLM`."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed


@pytest.mark.parametrize(
    "code",
    [
        'dspy.RLM("d -> a", max_iterations=5)',
        'dspy.RLM("d -> a", max_iterations = 5, verbose=True)',
        'R("d -> a", max_iterations=5)',
        'dspy.predict.RLM("d -> a", max_iterations=5)',
        "partial(dspy.RLM, max_iterations=5)",
        'class Mine(dspy.RLM): pass\nMine("d -> a", max_iterations=5)',
        'class Mine(dspy.RLM):\n    def __init__(self): super().__init__("d -> a", max_iterations=5)',
        'class Mine(dspy.RLM):\n    def __init__(self): dspy.RLM.__init__(self, "d -> a", max_iterations=5)',
        'f"{dspy.RLM(s, max_iterations=5)}"',
    ],
)
def test_calls(code: str) -> None:
    head = "from functools import partial\n\nimport dspy\nfrom dspy import RLM as R\n\n"
    check_transformed(
        f"{head}{code}\n",
        f"{head}{code.replace('max_iterations =', 'max_iters =').replace('max_iterations=', 'max_iters=')}\n",
    )


@pytest.mark.parametrize(
    "code",
    [
        'limits = {"max_iterations": 5}\ndspy.RLM("d -> a", **limits)',
        'limits = dict(max_iterations=5)\ndspy.RLM("d -> a", **limits)',
        'dspy.RLM("d -> a", **{"max_iterations": 5})',
        'dspy.RLM("d -> a", **dict(max_iterations=5))',
    ],
)
def test_dicts_that_are_spread(code: str) -> None:
    check_noop(f"import dspy\n\n{code}\n", "app.py:3 RM702 manual")


@pytest.mark.parametrize(
    "code",
    [
        "solve(max_iterations=5)",
        'dspy.ReAct("q -> a", tools=[], max_iterations=5)',
        'dspy.RLM("d -> a", max_iters=5)',
        'limits = {"max_iterations": 5}\nsolve(**limits)',
        "class RLM:\n    pass\n\n\nRLM(max_iterations=5)",
        "class Mine(dspy.RLM):\n    def __init__(self, max_iterations): pass\n\n\nMine(max_iterations=5)",
        'print("max_iterations")',
    ],
)
def test_other_calls(code: str) -> None:
    check_noop(f"import dspy\n\n{code}\n")
