"""RM702: `max_iterations=` where it goes to the constructor of `dspy.RLM`."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed, findings


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
        'make = partial(dspy.RLM, "d -> a")\nmake(max_iterations=5)',
        'make = partial(partial(R, "d -> a"), max_iterations=5)',
        'import react_shims\nreact_shims.RLM("d -> a", max_iterations=5)',
        'type(dspy.RLM("d -> a"))("d -> a", max_iterations=5)',
        # through functions that only hand it on
        "def make(**kw): return R(s, **kw)\nmake(max_iterations=5)",
        "def make(**kw): return R(s, **kw)\npartial(make, max_iterations=5)",
        "def make(**kw): return R(s, **kw)\ndef more(**kw): return make(**kw)\nmore(max_iterations=5)",
        "class Mine(R):\n    def __init__(self, **kw): super().__init__(s, **kw)\nMine(max_iterations=5)",
        "class Kit:\n    def make(self, **kw): return R(s, **kw)\nKit().make(max_iterations=5)",
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
        'class Mine(dspy.RLM): limits = {"max_iterations": 5}\nMine("d -> a", **Mine.limits)',
        "def make(**kw): return kw.get('x'), dspy.RLM(s, **kw)\nmake(max_iterations=5)",
        "def make(**kw): kw = {}; return dspy.RLM(s, **kw)\nmake(max_iterations=5)",
    ],
)
def test_dicts_that_are_spread(code: str) -> None:
    line = 4 if code.startswith("def") else 3
    check_noop(f"import dspy\n\n{code}\n", f"app.py:{line} RM702 manual")


def test_a_key_that_is_added_to_the_dict() -> None:
    check_noop(
        """
        import dspy

        limits, other = {}, {}
        limits["max_iterations"] = 5
        other["max_iterations"] = 5
        dspy.RLM("d -> a", **limits)
        """,
        "app.py:4 RM702 manual",
    )


def test_a_dict_from_another_file_is_reported_where_it_is_spread() -> None:
    files = {
        "limits.py": 'LIMITS = {\n    "max_iterations": 5,\n}\n',
        "app.py": 'import dspy\nfrom limits import LIMITS\n\ndspy.RLM("d -> a", **LIMITS)\n',
    }
    check_noop(files, "app.py:4 RM702 manual")
    (one,) = findings(files, ["app.py", "limits.py"])["/project/app.py"]
    assert one.message.endswith(": it is in the dict from limits.py, line 2")


# --- the attribute ---


@pytest.mark.parametrize(
    "code",
    [
        "print(rlm.max_iterations)",
        "rlm.max_iterations = 3",
        "rlm.max_iterations += 1",
        "class Mine(dspy.RLM):\n    def forward(self, **kw): return self.max_iterations",
        "class Desk(dspy.Module):\n    def __init__(self): self.r = rlm\n"
        "    def forward(self): return self.r.max_iterations",
    ],
)
def test_the_attribute(code: str) -> None:
    head = 'import dspy\n\nrlm = dspy.RLM("d -> a")\n'
    check_transformed(f"{head}{code}\n", f"{head}{code.replace('max_iterations', 'max_iters')}\n")


@pytest.mark.parametrize(
    "code",
    [
        "solver.max_iterations",
        "x = rlm if input() else solver\nx.max_iterations",
        "class Mine(dspy.RLM):\n    max_iterations = 3\nMine(s).max_iterations",
        "class Mine(dspy.RLM):\n    def forward(self, **kw):\n        self.max_iterations = 3\n"
        "        return self.max_iterations",
        'dspy.ReAct("q -> a", tools=[]).max_iterations',
    ],
)
def test_other_attributes(code: str) -> None:
    check_noop(f'import dspy\n\nrlm = dspy.RLM("d -> a")\n{code}\n')


@pytest.mark.parametrize(
    "code",
    [
        "solve(max_iterations=5)",
        'dspy.ReAct("q -> a", tools=[], max_iterations=5)',
        'dspy.RLM("d -> a", max_iters=5)',
        'limits = {"max_iterations": 5}\nsolve(**limits)',
        "class RLM:\n    pass\n\n\nRLM(max_iterations=5)",
        "class Mine(dspy.RLM):\n    def __init__(self, max_iterations): pass\n\n\nMine(max_iterations=5)",
        "def make(**kw): return solve(**kw)\nmake(max_iterations=5)",
        "def make(max_iterations, **kw): return dspy.RLM(s, **kw)\nmake(max_iterations=5)",
        "def make(**kw): return dspy.RLM(s)\nmake(max_iterations=5)",
        "def make(**kw): return dspy.RLM(s, **kw), solve(**kw)\nmake(max_iterations=5)",
        "def make(**kw): return make(**kw)\nmake(max_iterations=5)",
        'print("max_iterations")',
    ],
)
def test_other_calls(code: str) -> None:
    check_noop(f"import dspy\n\nrlm = dspy.RLM(s)\n{code}\n")
