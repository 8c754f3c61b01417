"""RM302: overrides that the mixin could not call, and such as are put in from outside."""

from __future__ import annotations

import pytest
from rewriting import check_noop


@pytest.mark.parametrize(
    "override",
    [
        "def truncate_trajectory(self):\n        return {}",
        "def truncate_trajectory(self, trajectory, budget):\n        return {}",
        "def truncate_trajectory(self, trajectory, *, budget):\n        return {}",
        "def truncate_trajectory(self, trajectory, budget, keep=1):\n        return {}",
        "async def truncate_trajectory(self, trajectory):\n        return {}",
        "@staticmethod\n    def truncate_trajectory(trajectory):\n        return {}",
        "@classmethod\n    def truncate_trajectory(cls, trajectory):\n        return {}",
        "@property\n    def truncate_trajectory(self):\n        return {}",
        "def truncate_trajectory(self, trajectory):\n        yield {}",
        "def truncate_trajectory(self, trajectory):\n        trajectory.clear()",
        "def truncate_trajectory(self, trajectory):\n        trajectory.clear()\n        return",
        "def truncate_trajectory(self, trajectory):\n        return None",
        "def truncate_trajectory(self, trajectory):\n        pass",
        "def truncate_trajectory(self, trajectory): ...",
        "def truncate_trajectory(self, trajectory):\n        return trajectory, 1",
        "def truncate_trajectory(self, trajectory):\n        out = (trajectory, 1)\n        return out",
        "def truncate_trajectory(self, trajectory):\n        return [trajectory]",
        "def truncate_trajectory(self, t):\n        if t:\n            return {}, 1\n        return {}",
        "truncate_trajectory = shorten",
        "truncate_trajectory = lambda self, trajectory: {}",
    ],
)
def test_other_shapes(override: str) -> None:
    line = 5 + override.startswith("@")
    check_noop(f"import dspy\n\n\nclass Lean(dspy.ReAct):\n    {override}\n", f"app.py:{line} RM302 manual")


@pytest.mark.parametrize(
    "code",
    [
        "agent.truncate_trajectory = shorten",
        "agent.truncate_trajectory = types.MethodType(shorten, agent)",
        "dspy.ReAct.truncate_trajectory = shorten",
        "Mine.truncate_trajectory = shorten",
        'setattr(agent, "truncate_trajectory", shorten)',
        'monkeypatch.setattr(agent, "truncate_trajectory", shorten)',
        'mock.patch.object(agent, "truncate_trajectory")',
        'mock.patch.object(Mine, "truncate_trajectory", shorten)',
        'mock.patch("dspy.ReAct.truncate_trajectory", shorten)',
        'mock.patch("dspy.predict.react.ReAct.truncate_trajectory")',
        "unknown.truncate_trajectory = shorten",
    ],
)
def test_from_outside(code: str) -> None:
    head = 'import dspy\n\n\nclass Mine(dspy.ReAct):\n    pass\n\n\nagent = Mine("q -> a", tools=[])\n'
    check_noop(f"{head}{code}\n", "app.py:9 RM302 manual")


@pytest.mark.parametrize(
    "code",
    [
        "print(agent.truncate_trajectory)",
        "agent.truncate_trajectory({})",
        "agent.max_iters = 3",
        "Other.truncate_trajectory = shorten",
        'setattr(agent, "max_iters", 3)',
        'mock.patch("mine.ReAct.truncate_trajectory")',
        'print("dspy.ReAct.truncate_trajectory is new")',
    ],
)
def test_other_code(code: str) -> None:
    head = 'import dspy\n\n\nclass Other:\n    pass\n\n\nagent = dspy.ReAct("q -> a", tools=[])\n'
    check_noop(f"{head}{code}\n")


def test_an_override_in_the_same_file_of_another_class_is_none_of_ours() -> None:
    check_noop("class Lean:\n    def truncate_trajectory(self):\n        return 1, 2\n")


def test_what_is_mixed_in_does_not_fit() -> None:
    check_noop(
        """
        import dspy


        class Shorten:
            def truncate_trajectory(self, trajectory, budget):
                return trajectory


        class Lean(Shorten, dspy.ReAct):
            pass
        """,
        "app.py:9 RM302 manual",
    )
