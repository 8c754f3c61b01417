"""RM706: `REPLHistory` and the input that carried it."""

from __future__ import annotations

import pytest
from rewriting import check_noop, findings

HEAD = 'import dspy\n\nrlm = dspy.RLM("d -> a")\ncot = dspy.ChainOfThought("d -> a")\n'


@pytest.mark.parametrize(
    "code",
    [
        "from dspy.primitives.repl_types import REPLHistory",
        "from dspy.primitives.repl_types import REPLEntry, REPLHistory as H",
        "from dspy.primitives import REPLHistory",
        "from dspy import REPLHistory",
        "import dspy.primitives.repl_types; dspy.primitives.repl_types.REPLHistory()",
        "from dspy.primitives import repl_types as t; t.REPLHistory()",
        "import dspy; dspy.REPLHistory",
    ],
)
def test_the_class(code: str) -> None:
    check_noop(f"{code}\n", "app.py:1 RM706 manual")


@pytest.mark.parametrize(
    "code",
    [
        "from dspy.primitives.repl_types import REPLEntry, REPLVariable",
        "from mine import REPLHistory",
        "from .dspy import REPLHistory",
        "class REPLHistory: pass\n\n\nREPLHistory()",
        "import mine; mine.REPLHistory()",
        "def f(dspy): return dspy.REPLHistory",
        'print("REPLHistory")',
    ],
)
def test_other_classes(code: str) -> None:
    check_noop(f"{code}\n")


@pytest.mark.parametrize(
    "code",
    [
        "class S(dspy.Signature):\n    repl_history: str = dspy.InputField()",
        "class B(dspy.Signature): pass\nclass S(B): repl_history = dspy.InputField(desc='so far')",
        "\ndspy.Predict('variables_info, repl_history -> code')",
        "\nS = 'repl_history: list[str] -> code'",
    ],
)
def test_an_input_of_a_signature(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", "app.py:6 RM706 manual")


@pytest.mark.parametrize(
    "code",
    [
        "class S(dspy.Signature): repl_history: str = dspy.OutputField()",
        "class S: repl_history: str = dspy.InputField()",
        "class S(dspy.Signature): repl_history: str = ''",
        "class S(dspy.Signature): history: dspy.History = dspy.InputField()",
        "dspy.Predict('code -> repl_history')",
        "dspy.Predict('my_repl_history -> code')",
        "print('repl_history')",
        "print('the repl_history is kept -> there')",
    ],
)
def test_no_input_of_a_signature(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


def test_a_loop_of_ones_own_where_no_rlm_can_come() -> None:
    own = "class Next(dspy.Signature):\n    repl_history: str = dspy.InputField()\n"
    check_noop(f"import dspy\n\n{own}dspy.Predict('repl_history -> code')\n")
    check_noop("print('repl_history -> code')\n")


@pytest.mark.parametrize(
    "code",
    [
        'rlm.generate_action.signature.input_fields["repl_history"]',
        'rlm.generate_action.signature.fields["repl_history"].annotation',
        '"repl_history" in rlm.generate_action.signature.input_fields',
        'rlm.generate_action.signature.input_fields.get("repl_history")',
        'rlm.generate_action.signature.delete("repl_history")',
        "action = rlm.generate_action; action(repl_history=h, iteration='1/5')",
        'fields = rlm.generate_action.signature.input_fields; fields["repl_history"]',
        "rlm.generate_action(variables_info=v, repl_history=h)",
        "async def f(): await rlm.generate_action.acall(repl_history=h)",
        "class Mine(dspy.RLM):\n    def step(self, h): return self.generate_action(repl_history=h)",
    ],
)
def test_uses_of_the_predictor_that_writes_code(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", f"app.py:{5 + code.count(chr(10))} RM706 manual")


@pytest.mark.parametrize(
    "code",
    [
        'rlm.extract.signature.input_fields["repl_history"]',
        "rlm.extract(variables_info=v, repl_history=h)",
        'rlm.generate_action.signature.input_fields["variables_info"]',
        'cot.generate_action.signature.input_fields["repl_history"]',
        'other.generate_action.signature.input_fields["repl_history"]',
        "cot(repl_history=h)",
        "run(repl_history=h)",
        'store["repl_history"]',
        "for x in y: x = x['repl_history']",
    ],
)
def test_other_uses(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


def test_across_files() -> None:
    files = {
        "engine.py": 'import dspy\n\n\ndef build():\n    return dspy.RLM("d -> a")\n',
        "app.py": "from engine import build\n\n"
        "print(build().generate_action.signature.input_fields['repl_history'])\n",
    }
    check_noop(files, "app.py:3 RM706 manual")
    (one,) = findings(files, files)["/project/app.py"]
    assert "reaches it as the `history`" in one.message
