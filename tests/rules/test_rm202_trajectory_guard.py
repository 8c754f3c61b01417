"""RM202: guards ask the shim, and change with the reads they protect or not at all."""

from __future__ import annotations

import pytest
from rewriting import check_needs_unsafe, check_noop, check_transformed

HEAD = 'import dspy\n{}\nagent = dspy.ReAct("q -> a", tools=[])\nr = agent(q=1)\n'


def check_guard(code: str, changed: str) -> None:
    names = [name for name in ("has_trajectory", "trajectory_of") if name in changed]
    shim = f"from react_shims import {', '.join(names)}\n"
    check_transformed(HEAD.format("") + code + "\n", HEAD.format(shim) + changed + "\n")


@pytest.mark.parametrize(
    ("guard", "changed"),
    [
        ('hasattr(r, "trajectory")', "has_trajectory(r)"),
        ("hasattr(r, 'trajectory')", "has_trajectory(r)"),
        ('not hasattr(r, "trajectory")', "not has_trajectory(r)"),
        ('getattr(r, "trajectory", {})', "trajectory_of(r, {})"),
        ('getattr(r, "trajectory", None) or {}', "trajectory_of(r, None) or {}"),
        (
            'getattr(r, "trajectory", getattr(r, "history", None))',
            'trajectory_of(r, getattr(r, "history", None))',
        ),
        ('getattr(r, "trajectory", (x for x in y))', "trajectory_of(r, (x for x in y))"),
        ('getattr(\n    r, "trajectory",\n    {},\n)', "trajectory_of(r, {})"),
        ('r.get("trajectory")', "trajectory_of(r, None)"),
        ('r.get("trajectory", {})', "trajectory_of(r, {})"),
        ('r.get("trajectory", default={})', "trajectory_of(r, {})"),
        ('r.get("trajectory", (x := {}))', "trajectory_of(r, (x := {}))"),
        ('"trajectory" in r', "has_trajectory(r)"),
        ('"trajectory" not in r', "not has_trajectory(r)"),
        ('not "trajectory" in r', "not has_trajectory(r)"),
        ('("trajectory" in r)', "(has_trajectory(r))"),
        ('x and "trajectory" not in r and y', "x and not has_trajectory(r) and y"),
        ('("trajectory" not in r) == x', "(not has_trajectory(r)) == x"),
        ('"trajectory" in r.keys()', "has_trajectory(r)"),
        ('"trajectory" not in r.keys()', "not has_trajectory(r)"),
        ('getattr(agent(q=2), "trajectory", {})["thought_0"]', 'trajectory_of(agent(q=2), {})["thought_0"]'),
        ("f\"{getattr(r, 'trajectory', {})}\"", 'f"{trajectory_of(r, {})}"'),
    ],
)
def test_every_form(guard: str, changed: str) -> None:
    check_guard(f"x = {guard}", f"x = {changed}")


@pytest.mark.parametrize(
    "guard",
    [
        'hasattr(r, "answer")',
        "getattr(r, name, {})",
        'r.get("answer")',
        "r.get(name)",
        '"answer" in r',
        'x == "trajectory"',
        '"trajectory" in r.answer',
        '"trajectory" in x in r',
        '"trajectory" in {"trajectory": 1}',
        '{"trajectory": 1}.get("trajectory")',
        'vars(x).get("trajectory")',
        "isinstance(r, dspy.Prediction)",
    ],
)
def test_other_questions(guard: str) -> None:
    check_noop(HEAD.format("") + f"x = {guard}\n")


def test_a_guard_of_an_unknown_value_needs_unsafe() -> None:
    check_needs_unsafe(
        """
        import dspy


        def steps(pred):
            if hasattr(pred, "trajectory"):
                return len(pred.trajectory)
            return 0
        """,
        """
        import dspy
        from react_shims import has_trajectory, trajectory_of


        def steps(pred):
            if has_trajectory(pred):
                return len(trajectory_of(pred))
            return 0
        """,
        "app.py:5 RM202 unsafe",
        "app.py:6 RM201 unsafe",
    )


def test_records_that_are_asked_like_dicts_are_left_alone() -> None:
    check_noop(
        """
        import dspy


        def load(record, pred):
            return record["trajectory"], record.get("trajectory", {}), "trajectory" in pred
        """
    )


# --- together or not at all ---


def test_a_read_in_a_lambda_or_a_function_inside_belongs_to_the_guard() -> None:
    check_noop(
        HEAD.format("")
        + 'if hasattr(r, "trajectory"):\n    later = lambda: r.trajectory\nr = robot.plan()\nlater()\n',
        "app.py:5 RM202 unsafe",
        "app.py:6 RM201 unsafe",
    )


def test_two_lives_of_a_name_are_two_groups() -> None:
    check_transformed(
        HEAD.format("")
        + 'if hasattr(r, "trajectory"):\n    print(r.trajectory)\nr = robot.plan()\n'
        + 'if hasattr(r, "trajectory"):\n    print(r.trajectory)\n',
        HEAD.format("from react_shims import has_trajectory, trajectory_of\n")
        + "if has_trajectory(r):\n    print(trajectory_of(r))\nr = robot.plan()\n"
        + 'if hasattr(r, "trajectory"):\n    print(r.trajectory)\n',
        "app.py:9 RM202 unsafe",
        "app.py:10 RM201 unsafe",
    )


def test_the_same_name_in_two_functions() -> None:
    check_transformed(
        """
        import dspy

        agent = dspy.ReAct("q -> a", tools=[])


        def one():
            r = agent(q=1)
            return r.trajectory if hasattr(r, "trajectory") else {}


        def two(r):
            return r.trajectory if hasattr(r, "trajectory") else {}
        """,
        """
        import dspy
        from react_shims import has_trajectory, trajectory_of

        agent = dspy.ReAct("q -> a", tools=[])


        def one():
            r = agent(q=1)
            return trajectory_of(r) if has_trajectory(r) else {}


        def two(r):
            return r.trajectory if hasattr(r, "trajectory") else {}
        """,
        "app.py:13 RM201 unsafe",
        "app.py:13 RM202 unsafe",
    )


@pytest.mark.parametrize("receiver", ["self.result", "rows[0].pred"])
def test_guards_of_attributes(receiver: str) -> None:
    code = f'def f(self, rows):\n    return {receiver}.trajectory if hasattr({receiver}, "trajectory") else 0'
    check_noop(f"import dspy\n\n\n{code}\n", "app.py:5 RM201 unsafe", "app.py:5 RM202 unsafe")


@pytest.mark.parametrize(
    ("read", "code"),
    [
        ('print(f"{r.trajectory=}")', "RM201"),
        ('for step in r.trajectory:\n        print(step["thought"])', "RM204"),
    ],
)
def test_a_read_that_only_a_human_can_change_holds_its_guard_back(read: str, code: str) -> None:
    check_noop(
        HEAD.format("") + f'if hasattr(r, "trajectory"):\n    {read}\n',
        "app.py:5 RM202 manual",
        f"app.py:6 {code} manual",
    )


def test_an_ignored_read_holds_its_guard_back() -> None:
    check_noop(
        HEAD.format("") + 'if hasattr(r, "trajectory"):\n    print(r.trajectory)  # react-migrate: ignore\n',
        "app.py:5 RM202 safe",
    )
