"""RM204: keys taken for steps."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed

HEAD = 'import dspy\n\nr = dspy.ReAct("q -> a", tools=[])(q=1)\n'


@pytest.mark.parametrize(
    "code",
    [
        'for step in r.trajectory:\n    print(step["thought"])',
        'for step in r.trajectory:\n    print(step.get("thought"))',
        "for step in r.trajectory:\n    print(step.thought)",
        'for step in r["trajectory"]:\n    print(step["thought"])',
        'for step in getattr(r, "trajectory", []):\n    print(step["thought"])',
        'for step in r.get("trajectory", []):\n    print(step["thought"])',
        'for i, step in enumerate(r.trajectory):\n    print(i, step["thought"])',
        'for i, step in enumerate(r.trajectory, start=1):\n    print(i, step["thought"])',
        'for step in reversed(list(r.trajectory)):\n    print(step["thought"])',
        '[step["thought"] for step in r.trajectory]',
        "{step.name: 1 for step in r.trajectory if step.name}",
        'any(step["tool"] == "x" for step in r.trajectory)',
        'async def f():\n    return [step["thought"] for step in r.trajectory]',
    ],
)
def test_misreadings(code: str) -> None:
    line = 5 if code.startswith("async") else 4
    check_noop(f"{HEAD}{code}\n", f"app.py:{line} RM204 manual")


@pytest.mark.parametrize(
    "code",
    [
        "for key in r.trajectory:\n    print(key)",
        "for key in r.trajectory:\n    print(key.startswith('thought_'), key[:7], key[-1])",
        "for key, value in r.trajectory.items():\n    print(value['x'])",
        "for i, key in enumerate(r.trajectory):\n    print(i, key.upper())",
        "for step in r.trajectory:\n    print(other['thought'])",
    ],
)
def test_readings_that_work(code: str) -> None:
    shim = "import dspy\nfrom react_shims import trajectory_of\n"
    after = HEAD.replace("import dspy\n", shim) + code.replace("r.trajectory", "trajectory_of(r)")
    check_transformed(f"{HEAD}{code}\n", f"{after}\n")


def test_by_a_name_the_read_is_right_and_the_loop_is_not() -> None:
    check_transformed(
        """
        import dspy

        r = dspy.ReAct("q -> a", tools=[])(q=1)
        trajectory = r.trajectory
        for step in trajectory:
            print(step["thought"])
        thoughts = [step.thought for step in trajectory]
        """,
        """
        import dspy
        from react_shims import trajectory_of

        r = dspy.ReAct("q -> a", tools=[])(q=1)
        trajectory = trajectory_of(r)
        for step in trajectory:
            print(step["thought"])
        thoughts = [step.thought for step in trajectory]
        """,
        "app.py:6 RM204 manual",
        "app.py:8 RM204 manual",
    )


def test_an_rlms_trajectory_is_a_list_of_steps() -> None:
    check_transformed(
        """
        import dspy

        agent = dspy.ReAct("q -> a", tools=[])
        trajectory = dspy.RLM("doc -> a")(doc=1).trajectory
        for step in trajectory:
            print(step["code"])
        """,
        """
        import dspy
        from react_shims import repl_trajectory_of

        agent = dspy.ReAct("q -> a", tools=[])
        trajectory = repl_trajectory_of(dspy.RLM("doc -> a")(doc=1))
        for step in trajectory:
            print(step["code"])
        """,
    )


def test_unless_nothing_is_known_of_it() -> None:
    check_noop('for step in run.trajectory:\n    print(step["thought"])\n')
