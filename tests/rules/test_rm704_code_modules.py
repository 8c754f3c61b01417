"""RM704: `CodeAct` and `ProgramOfThought` are reported where they are imported or named."""

from __future__ import annotations

import pytest
from rewriting import check_noop


@pytest.mark.parametrize(
    "code",
    [
        "from dspy import CodeAct",
        "from dspy import Predict, CodeAct as C",
        "from dspy.predict import ProgramOfThought",
        "from dspy.predict.code_act import CodeAct",
        "from dspy.predict.program_of_thought import ProgramOfThought",
        "import dspy; dspy.CodeAct(s, tools=[])",
        "import dspy as d; isinstance(x, d.ProgramOfThought)",
        "import dspy; dspy.predict.code_act.CodeAct",
        "def f():\n    from dspy import CodeAct",
        "try:\n    from dspy import CodeAct\nexcept ImportError:\n    CodeAct = None",
    ],
)
def test_names(code: str) -> None:
    line = 2 if "\n" in code else 1
    check_noop(code + "\n", f"app.py:{line} RM704 manual")


@pytest.mark.parametrize(
    "code",
    [
        "from mine import CodeAct\nCodeAct()",
        "from .dspy import CodeAct",
        "class CodeAct: pass\n\n\nCodeAct()",
        "def f(dspy): return dspy.CodeAct",
        "mine.CodeAct()",
        'print("dspy.CodeAct")',
    ],
)
def test_other_names(code: str) -> None:
    check_noop(code + "\n")


def test_a_local_dspy() -> None:
    check_noop(
        {
            "dspy.py": "class CodeAct:\n    pass\n",
            "app.py": "from dspy import CodeAct\nimport dspy\n\ndspy.CodeAct\n",
        }
    )
