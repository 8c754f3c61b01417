"""RM205: what is written to a prediction's trajectory goes nowhere on the new engine."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed

HEAD = 'import dspy\n\nr = dspy.ReAct("q -> a", tools=[])(q=1)\n'


@pytest.mark.parametrize(
    "code",
    [
        "r.trajectory = {}",
        "r.trajectory: dict = {}",
        "r.trajectory |= {}",
        "r.trajectory, x = {}, 1",
        "x = r.trajectory = {}",
        "for r.trajectory in x: pass",
        "with x as r.trajectory: pass",
        "[x for r.trajectory in y]",
        'r["trajectory"] = {}',
        'r["trajectory"] |= {}',
        "del r.trajectory",
        'del r["trajectory"]',
        'setattr(r, "trajectory", {})',
        'delattr(r, "trajectory")',
        "r._store",
        'r._store["trajectory"]',
        'r._store.pop("trajectory", None)',
        '"trajectory" in r._store',
    ],
)
def test_writes_and_the_private_store(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", "app.py:4 RM205 manual")


@pytest.mark.parametrize(
    "code",
    [
        "x = dspy.Prediction(a=1)\nx.trajectory = {}",
        "class Car:\n    def __init__(self):\n        self.trajectory = []",
        "car.trajectory = []",
        'row["trajectory"] = {}',
        "r.answer = 1",
        "x._store",
        'setattr(car, "trajectory", 1)',
    ],
)
def test_other_writes(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


def test_writing_into_the_view_is_a_read() -> None:
    check_transformed(
        f'{HEAD}r.trajectory["thought_0"] = ""\nr.trajectory.clear()\n',
        HEAD.replace("import dspy\n", "import dspy\nfrom react_shims import trajectory_of\n")
        + 'trajectory_of(r)["thought_0"] = ""\ntrajectory_of(r).clear()\n',
    )
