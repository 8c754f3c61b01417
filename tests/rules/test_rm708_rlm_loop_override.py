"""RM708: what subclasses of RLM do to its loop, and what is done to it from outside."""

from __future__ import annotations

import pytest
from rewriting import check_noop

METHODS = [
    "_build_signatures",
    "_execute_iteration",
    "_aexecute_iteration",
    "_process_execution_result",
    "_extract_fallback",
    "_aextract_fallback",
]


@pytest.mark.parametrize("method", METHODS)
def test_an_override(method: str) -> None:
    code = f"import dspy\n\nother = dspy.RLM(s)\n\nclass Mine(BASE):\n    def {method}(self, *args): pass\n"
    check_noop(code.replace("BASE", "dspy.RLM"), "app.py:6 RM708 manual")
    check_noop(code.replace("BASE", "dspy.Module"))
    check_noop(code.replace("BASE", "dspy.ReAct"))
    check_noop(code.replace("(BASE)", ""))


def test_an_override_in_a_class_below_one_of_another_file() -> None:
    check_noop(
        {
            "base.py": "from dspy import RLM\n\n\nclass Base(RLM):\n    pass\n",
            "app.py": "from base import Base\n\n\nclass Mine(Base):\n"
            "    async def _aextract_fallback(self, *args):\n        pass\n",
        },
        "app.py:5 RM708 manual",
    )


@pytest.mark.parametrize(
    "code",
    [
        "rlm._execute_iteration = f",
        'setattr(rlm, "_execute_iteration", f)',
        "dspy.RLM._execute_iteration = f",
        "def enable(rlm: dspy.RLM): rlm._execute_iteration = f",
        "class Mine(dspy.RLM): pass\nMine._execute_iteration = f",
    ],
)
def test_a_replacement(code: str) -> None:
    line = 4 + code.count("\n")
    check_noop(f'import dspy\n\nrlm = dspy.RLM("d -> a")\n{code}\n', f"app.py:{line} RM708 manual")


@pytest.mark.parametrize(
    "code",
    [
        "other._execute_iteration = f",
        'dspy.Predict("d -> a")._execute_iteration = f',
        "rlm.verbose = True",
        "class Mine(dspy.RLM):\n    def forward(self, **inputs): return super().forward(**inputs)",
        "class Mine(dspy.RLM):\n    def _prepare(self): pass",
    ],
)
def test_other_methods(code: str) -> None:
    check_noop(f'import dspy\n\nrlm = dspy.RLM("d -> a")\n{code}\n')
