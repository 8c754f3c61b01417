"""RM303: code that runs V1's loop by hand, or replaces a part of it."""

from __future__ import annotations

import pytest
from rewriting import check_noop


def check_method(method: str, *found: str) -> None:
    check_noop(f"import dspy\n\n\nclass Mine(dspy.ReAct):\n    {method}\n", *found)


@pytest.mark.parametrize(
    "method",
    [
        'def forward(self, **inputs):\n        return self.react(**inputs, trajectory="")',
        "def forward(self, **inputs):\n        react = self.react\n        return react(**inputs)",
        "def forward(self, **inputs):\n        return self.extract(**inputs)",
        "def forward(self, **inputs):\n        return super().forward(**inputs).next_tool_name",
        "def forward(self, **inputs):\n        return self._format_trajectory({})",
        "def forward(self, **inputs):\n        return self.truncate_trajectory({})",
        "async def aforward(self, **inputs):\n        return await self.react.acall(**inputs)",
        "def forward(self, **inputs):\n        return [lambda: self.react(**inputs)]",
        "def __call__(self, **inputs):\n        return self.extract(**inputs)",
        "def step(self, **inputs):\n        return self.react(**inputs)",
        "def step(self, **inputs):\n        return self.extract.forward(**inputs)",
        "def step(self, pred):\n        return pred.next_tool_args",
        "def _format_trajectory(self, trajectory):\n        return ''",
        "def _call_with_potential_trajectory_truncation(self, *args):\n        return 1",
        "async def _async_call_with_potential_trajectory_truncation(self, *args):\n        return 1",
    ],
)
def test_methods(method: str) -> None:
    check_method(method, "app.py:5 RM303 manual")


@pytest.mark.parametrize(
    "method",
    [
        "def forward(self, **inputs):\n        return super().forward(**inputs)",
        "def forward(self, **inputs):\n        return dspy.ReAct.forward(self, **inputs)",
        "async def aforward(self, **inputs):\n        return await super().aforward(**inputs)",
        "def forward(self, **inputs):\n        print(self.max_iters, self.tools)\n"
        "        return super().forward(**inputs)",
        "def __init__(self, *args):\n        super().__init__(*args)\n        self.name = 'x'",
        "def shown(self):\n        return self.react.signature",
        "def step(self, other):\n        return other.react(q=1)",
    ],
)
def test_methods_that_rely_on_nothing_of_it(method: str) -> None:
    check_method(method)


@pytest.mark.parametrize(
    "code",
    [
        "agent.forward = run",
        "agent.aforward = run",
        "agent._format_trajectory = run",
        "dspy.ReAct._call_with_potential_trajectory_truncation = run",
        'monkeypatch.setattr(agent, "_format_trajectory", run)',
        'mock.patch.object(dspy.ReAct, "forward", run)',
        'mock.patch("dspy.ReAct.forward")',
    ],
)
def test_from_outside(code: str) -> None:
    check_noop(f'import dspy\n\nagent = dspy.ReAct("q -> a", tools=[])\n{code}\n', "app.py:4 RM303 manual")


@pytest.mark.parametrize(
    "code",
    [
        "agent.react = FakeReAct()",
        "module.forward = run",
        "dspy.Predict.forward = run",
        'mock.patch.object(module, "forward", run)',
        'mock.patch("dspy.Predict.forward")',
        "agent.forward(q=1)",
    ],
)
def test_other_code(code: str) -> None:
    check_noop(f'import dspy\n\nagent = dspy.ReAct("q -> a", tools=[])\n{code}\n')


def test_it_wins_over_the_mixin_in_one_class_and_below() -> None:
    check_noop(
        """
        import dspy


        class Budget(dspy.ReAct):
            def forward(self, **inputs):
                return self.react(**inputs, trajectory="")

            def truncate_trajectory(self, trajectory, budget):
                return trajectory


        class Leaner(Budget):
            def truncate_trajectory(self, trajectory):
                return trajectory
        """,
        "app.py:5 RM303 manual",
    )


@pytest.mark.parametrize("base", ["dspy.Module", "dspy.CodeActor", "object", "dspy.ChainOfThought"])
def test_other_modules_have_loops_of_their_own(base: str) -> None:
    check_noop(
        f"import dspy\n\n\nclass Mine({base}):\n    def forward(self, **inputs):\n"
        "        return self.react(**inputs).next_tool_name\n"
    )
