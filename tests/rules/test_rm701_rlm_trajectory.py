"""RM701: an RLM prediction's trajectory is read with the shim, and nothing else's is."""

from __future__ import annotations

import re

import pytest
from rewriting import check_needs_unsafe, check_noop, check_transformed, findings, rewrite

HEAD = 'import dspy\n{}\nrlm = dspy.RLM("d -> a")\nr = rlm(d=1)\n'


def _becomes(before: str, after: str) -> None:
    used = [name for name in ("has_trajectory", "repl_trajectory_of") if f"{name}(" in after]
    imports = f"from react_shims import {', '.join(used)}\n"
    check_transformed(f"{HEAD.format('')}{before}\n", f"{HEAD.format(imports)}{after}\n")


# --- every form ---


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("r.trajectory", "repl_trajectory_of(r)"),
        ("r.trajectory[-1]['code']", "repl_trajectory_of(r)[-1]['code']"),
        ("r['trajectory']", "repl_trajectory_of(r)"),
        ("getattr(r, 'trajectory')", "repl_trajectory_of(r)"),
        ("getattr(r, 'trajectory', [])", "repl_trajectory_of(r, [])"),
        ("r.get('trajectory')", "repl_trajectory_of(r, None)"),
        ("r.get('trajectory', [])", "repl_trajectory_of(r, [])"),
        ("hasattr(r, 'trajectory')", "has_trajectory(r)"),
        ("not hasattr(r, 'trajectory')", "not has_trajectory(r)"),
        ("'trajectory' in r", "has_trajectory(r)"),
        ("'trajectory' in r.keys()", "has_trajectory(r)"),
        ("'trajectory' not in r", "not has_trajectory(r)"),
        ("f'{len(r.trajectory)} steps'", "f'{len(repl_trajectory_of(r))} steps'"),
        ("[s['code'] for s in r.trajectory]", "[s['code'] for s in repl_trajectory_of(r)]"),
        ("for s in r.trajectory: s['output']", "for s in repl_trajectory_of(r): s['output']"),
        ("for s in r.trajectory: s['thought']", "for s in repl_trajectory_of(r): s['thought']"),
        ("(lambda p=r.trajectory: p)()", "(lambda p=repl_trajectory_of(r): p)()"),
    ],
)
def test_forms(before: str, after: str) -> None:
    _becomes(before, after)


@pytest.mark.parametrize(
    "made",
    [
        "rlm(d=1)",
        "dspy.RLM(s)(d=1)",
        "dspy.predict.RLM(s)(d=1)",
        "rlm.deepcopy()(d=1)",
        "rlm.batch([x])[0]",
        "dspy.BestOfN(rlm, N=2, reward_fn=f, threshold=1.0)(d=1)",
        "dspy.Refine(module=rlm, N=2, reward_fn=f, threshold=1.0)(d=1)",
        "dspy.BootstrapFewShot(metric=m).compile(rlm, trainset=t)(d=1)",
        "dspy.Parallel()([(rlm, x)])[0]",
    ],
)
def test_ways_to_a_prediction(made: str) -> None:
    _becomes(f"{made}.trajectory", f"repl_trajectory_of({made})")


def test_the_shims_own_rlm() -> None:
    check_transformed(
        """
        from react_shims import RLM

        print(RLM("d -> a")(d=1).trajectory)
        """,
        """
        from react_shims import RLM, repl_trajectory_of

        print(repl_trajectory_of(RLM("d -> a")(d=1)))
        """,
    )
    check_transformed(
        """
        from react_shims.rlm.module import RLM

        print(RLM("d -> a")(d=1).trajectory)
        """,
        """
        from react_shims import repl_trajectory_of
        from react_shims.rlm.module import RLM

        print(repl_trajectory_of(RLM("d -> a")(d=1)))
        """,
    )


def test_a_subclass_with_a_loop_of_its_own_gives_what_that_returns() -> None:
    check_transformed(
        """
        import dspy

        class Mine(dspy.RLM):
            def forward(self, **inputs):
                return super().forward(**inputs)

        class Other(dspy.RLM):
            def forward(self, **inputs):
                return dspy.Predict("d -> a")(**inputs)

        Mine("d -> a")(d=1).trajectory
        Other("d -> a")(d=1).trajectory
        """,
        """
        import dspy
        from react_shims import repl_trajectory_of

        class Mine(dspy.RLM):
            def forward(self, **inputs):
                return super().forward(**inputs)

        class Other(dspy.RLM):
            def forward(self, **inputs):
                return dspy.Predict("d -> a")(**inputs)

        repl_trajectory_of(Mine("d -> a")(d=1))
        Other("d -> a")(d=1).trajectory
        """,
    )


def test_a_mixin_before_it_does_not_hide_that_it_is_an_rlm() -> None:
    check_transformed(
        """
        import dspy

        class Logged(dspy.Module):
            pass

        class Engine(dspy.RLM):
            pass

        class Mine(Logged, Engine):
            pass

        Mine("d -> a")(d=1).trajectory
        """,
        """
        import dspy
        from react_shims import repl_trajectory_of

        class Logged(dspy.Module):
            pass

        class Engine(dspy.RLM):
            pass

        class Mine(Logged, Engine):
            pass

        repl_trajectory_of(Mine("d -> a")(d=1))
        """,
    )


def test_files_that_only_imports_tie_to_an_rlm() -> None:
    files = {
        "engine.py": 'import dspy\n\nrlm = dspy.RLM("d -> a")\n',
        "desk.py": "from engine import rlm\n\n\ndef ask(d):\n    return rlm(d=d)\n",
        "shop.py": "import desk\n\n\ndef order():\n    return desk.ask(1)\n",
        "app.py": "from shop import order\n\nprint(order().trajectory)\n",
    }
    after = "from react_shims import repl_trajectory_of\nfrom shop import order\n\n"
    check_transformed(files, {"app.py": f"{after}print(repl_trajectory_of(order()))\n"})


def test_what_has_been_rewritten_is_still_known_to_be_a_list_of_steps() -> None:
    """So that nothing is said of it the second time: a `trajectory` of the list itself is nobody's."""
    _becomes(
        "def show(steps): return steps.trajectory\nshow(r.trajectory)",
        "def show(steps): return steps.trajectory\nshow(repl_trajectory_of(r))",
    )


def test_what_an_override_of_its_loop_gets_from_the_loop() -> None:
    outcome = rewrite(
        """
        import dspy

        class Mine(dspy.RLM):
            def _process_execution_result(self, *args):
                given = super()._process_execution_result(*args)
                if isinstance(given, dspy.Prediction):
                    print(given.trajectory)
                return given

            def _finish(self, *args):
                return self._extract_fallback(*args).trajectory
        """
    )
    assert outcome.left == ["app.py:5 RM708 manual", "app.py:8 RM701 unsafe"]  # below the import
    assert outcome.fixed == ["app.py:11 RM701 safe"]


# --- not an RLM's ---


@pytest.mark.parametrize(
    "code",
    [
        "r.a.trajectory",
        "r.repl_trajectory, r.history, r.final_reasoning",
        "rlm.trajectory",
        "rlm.generate_action.trajectory",
        'dspy.Predict("q -> a")(q=1).trajectory',
        "robot.trajectory[0]",
        'robot.trajectory[0]["speed"]',
        "for point in robot.trajectory: point['speed'], point['code']",
        'def f(self): return self.trajectory[0]["speed"]',
        'def f(record): return record["trajectory"][0]["code"]',
        "dspy.Prediction(trajectory=[]).trajectory",
    ],
)
def test_other_reads_in_a_file_with_an_rlm(code: str) -> None:
    robot = "class Robot:\n    trajectory = []\n\n\nrobot = Robot()\n"
    check_noop(f"{HEAD.format('')}{robot}{code}\n")


@pytest.mark.parametrize("module", ["CodeAct", "ProgramOfThought"])
def test_predictions_of_the_modules_that_go_are_left_alone(module: str) -> None:
    check_noop(
        f"""
        import dspy

        rlm = dspy.RLM("d -> a")
        act = dspy.{module}("d -> a")


        class Mine(dspy.{module}):
            pass


        r = act(d=1)
        if hasattr(r, "trajectory"):
            print(r.trajectory, Mine("d -> a")(d=1)["trajectory"])
        """,
        "app.py:4 RM704 manual",
        "app.py:7 RM704 manual",
    )


def test_one_of_them_or_an_rlm_is_only_probably_an_rlms() -> None:
    code = """
        import dspy

        rlm, act = dspy.RLM("d -> a"), dspy.CodeAct("d -> a", tools=[])


        def ask(d, hard):
            return (rlm if hard else act)(d=d).trajectory
        """
    before = rewrite(code).left
    assert before == ["app.py:3 RM704 manual", "app.py:7 RM701 unsafe"]


# --- what may be an RLM's ---


def test_together_or_not_at_all() -> None:
    check_needs_unsafe(
        """
        import dspy

        rlm, cot = dspy.RLM("d -> a"), dspy.ChainOfThought("d -> a")
        r = rlm(d=1)
        if hasattr(r, "trajectory"):
            if input():
                r = cot(d=1)
            print(r.trajectory)
        """,
        """
        import dspy
        from react_shims import has_trajectory, repl_trajectory_of

        rlm, cot = dspy.RLM("d -> a"), dspy.ChainOfThought("d -> a")
        r = rlm(d=1)
        if has_trajectory(r):
            if input():
                r = cot(d=1)
            print(repl_trajectory_of(r))
        """,
        "app.py:5 RM701 unsafe",
        "app.py:8 RM701 unsafe",
    )


def test_a_guard_that_an_agent_and_an_rlm_share_changes_with_both() -> None:
    check_needs_unsafe(
        """
        import dspy

        rlm, agent, cot = dspy.RLM("d -> a"), dspy.ReAct("d -> a", tools=[]), dspy.Predict("d -> a")
        r = rlm(d=1) if input() else agent(d=1)
        print(r.trajectory if hasattr(r, "trajectory") else None)
        """,
        """
        import dspy
        from react_shims import has_trajectory, trajectory_of

        rlm, agent, cot = dspy.RLM("d -> a"), dspy.ReAct("d -> a", tools=[]), dspy.Predict("d -> a")
        r = rlm(d=1) if input() else agent(d=1)
        print(trajectory_of(r) if has_trajectory(r) else None)
        """,
        "app.py:5 RM201 unsafe",
        "app.py:5 RM202 unsafe",
    )


@pytest.mark.parametrize(
    "use",
    [
        'x.trajectory[0]["code"]',
        'x.trajectory[-1].get("output", "")',
        '[step["reasoning"] for step in x.trajectory]',
        'list(step.get("code") for step in reversed(x.trajectory))',
        'for n, step in enumerate(x.trajectory): step["code"], step["output"]',
        # a name that says it, and nothing that speaks against
        "pred.trajectory[-1]",
        "pred.trajectory[1:]",
        # no agent can come here
        "len(pred.trajectory)",
        "return x.trajectory",
    ],
)
def test_its_use_suggests_it(use: str) -> None:
    after = re.sub(r"(\w+)\.trajectory", r"repl_trajectory_of(\1)", use)
    check_needs_unsafe(
        f"{HEAD.format('')}\n\ndef f(x, pred):\n    {use}\n",
        HEAD.format("from react_shims import repl_trajectory_of\n") + f"\n\ndef f(x, pred):\n    {after}\n",
        "app.py:8 RM701 unsafe",
    )


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ("len(pred.trajectory)", "RM201"),
        ("pred.trajectory['thought_0']", "RM201"),
        ("pred.trajectory[-1]", "RM701"),
        ("pred.trajectory[0]['code']", "RM701"),
    ],
)
def test_where_an_agent_can_come_as_well_the_use_decides(use: str, code: str) -> None:
    agent = 'agent = dspy.ReAct("d -> a", tools=[])'
    found = rewrite(f"{HEAD.format('')}{agent}\n\n\ndef f(pred):\n    {use}\n")
    assert found.left == [f"app.py:9 {code} unsafe"]


@pytest.mark.parametrize(
    "use",
    [
        'x.trajectory[0]["thought"]',
        'for step in x.trajectory: step["code"], step["speed"]',
        'x["trajectory"][0]["code"]',
        "car.trajectory[0]",
        "car.trajectory[0].code",
        "pred.trajectory + [1]",
        "pred.trajectory.items()",
    ],
)
def test_other_keys_do_not(use: str) -> None:
    found = rewrite(f"{HEAD.format('')}\n\ndef f(x):\n    {use}\n")
    assert not any("RM701" in one for one in (*found.left, *found.fixed))


def test_nor_do_they_where_no_rlm_can_come() -> None:
    code = 'import dspy\n\n\ndef f(car):\n    return car.trajectory[0]["code"]\n'
    check_noop(code)
    check_noop({"app.py": code, "rlm.py": 'import dspy\n\nrlm = dspy.RLM("d -> a")\n'})


def test_the_finding_says_what_else_it_may_be() -> None:
    code = """
        import dspy

        rlm, cot = dspy.RLM("d -> a"), dspy.ChainOfThought("d -> a")
        r = rlm(d=1) if input() else cot(d=1)
        print(r.trajectory)
        """
    (one,) = findings(code, ["app.py"])["/project/app.py"]
    assert one.message == "`r.trajectory` is gone on DSPy 3.5: `r` may be the prediction of an RLM"
    assert one.why == ("the prediction of a `dspy.ChainOfThought`",)


# --- what is never edited ---


def test_an_f_string_that_prints_its_own_text() -> None:
    check_noop(f'{HEAD.format("")}print(f"{{r.trajectory=}}")\n', "app.py:5 RM701 manual")


def test_a_pattern() -> None:
    code = f"{HEAD.format('')}match r:\n    case dspy.Prediction(trajectory=t):\n        print(t)\n"
    check_noop(code, "app.py:6 RM701 manual")


def test_writes_are_no_reads() -> None:
    outcome = rewrite(f"{HEAD.format('')}r.trajectory = []\ndel r.trajectory\n")
    assert not any("RM701" in one for one in (*outcome.left, *outcome.fixed))
