"""RM705: names that an RLM claims for itself, in signatures that are proven to reach one."""

from __future__ import annotations

import re

import pytest
from rewriting import check_noop, findings

HISTORY = (
    "the input `history` is RLM's own from DSPy 3.5 on: if it is the conversation so far, drop it and pass "
    "`history=` to the call, which RLM takes itself there (`react_shims.RLM` from 3.3 on); else rename it"
)


def messages(code: str) -> list[str]:
    return [one.message for one in findings(code, ["app.py"])["/project/app.py"] if one.code == "RM705"]


def test_what_it_says() -> None:
    assert messages('import dspy\n\ndspy.RLM("doc, history -> a")\n') == [HISTORY]


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("doc, history_processor -> a", "input history_processor"),
        ("doc, interpreter_factory -> a", "input interpreter_factory"),
        ("print, SUBMIT -> a", "input SUBMIT, input print"),
        ("llm_query, llm_query_batched -> a", "input llm_query, input llm_query_batched"),
        ("dspy -> a", "input dspy"),
        ("doc -> trajectory, final_reasoning", "output final_reasoning, output trajectory"),
        ("doc -> history: list[str], a", "output history"),
        ("doc -> repl_trajectory", "output repl_trajectory"),
        ("history: dspy.History, doc: dict[str, int] -> a: bool", "input history"),
        ("history -> history", "input history, output history"),
        (
            "doc -> history_processor, interpreter_factory",
            "output history_processor, output interpreter_factory",
        ),
        (
            "iteration, variables_info -> repl_entry",
            "input iteration, input variables_info, output repl_entry",
        ),
        ("doc -> a", ""),
        ("trajectory, repl_trajectory, final_reasoning -> a", ""),
        ("doc -> dspy, print, SUBMIT", ""),
        ("iterations, entry -> variables", ""),
        ("my_history -> a_trajectory", ""),
        ("doc, history", ""),
        ("doc -> history -> a", ""),
        ("doc, (history) -> a", ""),
    ],
)
def test_which_names(signature: str, said: str) -> None:
    found = messages(f'import dspy\n\ndspy.RLM("{signature}")\n')
    names = [re.match(r"the (input|output) `(\w+)` is RLM's own from DSPy", message) for message in found]
    assert sorted(f"{name[1]} {name[2]}" for name in names if name) == [
        one for one in said.split(", ") if one
    ]
    assert None not in names


CLASS = """
class Read(dspy.Signature):
    doc: str = dspy.InputField()
    history: str = dspy.InputField()
    a: str = dspy.OutputField()


"""


@pytest.mark.parametrize(
    "code",
    [
        'S = "history -> a"\ndspy.RLM(S)',
        'dspy.RLM(signature="history -> a")',
        'dspy.RLM("history -> a" if input() else "doc -> a")',
        'from dspy.predict.rlm import RLM as R; R("history -> a")',
        'import react_shims; react_shims.RLM("history -> a")',
        'import functools; functools.partial(dspy.RLM, "history -> a")',
        'class Mine(dspy.RLM): pass\nMine("history -> a")',
        'class Mine(dspy.RLM):\n    def __init__(self): super().__init__("history -> a")',
        'class Mine(dspy.RLM):\n    def __init__(self): dspy.RLM.__init__(self, "history -> a")',
        'def make(s):\n    return dspy.RLM(s)\n\n\nmake("history -> a")',
        'class Desk(dspy.Module):\n    S = "history -> a"\n    def __init__(self): self.r = dspy.RLM(self.S)',
        'dspy.RLM(dspy.Signature("history -> a", "Read."))',
        'S = dspy.Signature("history -> a")\ndspy.RLM(S.with_instructions("Read."))',
        'dspy.RLM(dspy.Signature({"history": (str, dspy.InputField()), "a": (str, dspy.OutputField())}))',
        'dspy.RLM(dspy.Signature("doc -> a").append("history", dspy.InputField(), str))',
        'S = dspy.Signature("doc -> a").prepend("history", dspy.InputField())\nfor x in y: S = S.delete("b")'
        "\ndspy.RLM(S)",
        'dspy.RLM(dspy.Signature("doc -> a").insert(0, "history", dspy.InputField()).delete("doc"))',
        f"{CLASS}dspy.RLM(Read)",
        f"{CLASS}class More(Read):\n    extra: str = dspy.InputField()\n\n\ndspy.RLM(More)",
        f"{CLASS}dspy.RLM(Read.with_instructions('Read.'))",
    ],
)
def test_ways_to_an_rlm(code: str) -> None:
    (message,) = messages(f"import dspy\n\n{code}\n")
    assert message.startswith("the input `history`")


@pytest.mark.parametrize(
    "code",
    [
        'dspy.ReAct("doc -> history")',
        'dspy.ChainOfThought("history -> a"); dspy.RLM("doc -> a")',
        'rlm = dspy.RLM("doc -> a"); rlm("history -> a")',
        f"{CLASS}dspy.Predict(Read); dspy.RLM('doc -> a')",
        f"{CLASS}class Other(Read):\n    history: str = dspy.OutputField()\n\n\ndspy.Predict(Other)",
        "class Read:\n    history: str = dspy.InputField()\n\n\ndspy.RLM(Read)",
        "class Read(dspy.Signature):\n    history: str = None\n\n\ndspy.RLM(Read)",
        "dspy.RLM(given)",
        f"{CLASS}dspy.RLM(Read.delete('history'))",
        "S = dspy.Signature('history -> a')\nS = S.delete('history')\ndspy.RLM(S)",
        'class Mine(dspy.RLM):\n    def __init__(self, s): super().__init__("doc -> a")\n\n\n'
        'Mine("history -> a")',
    ],
)
def test_other_signatures(code: str) -> None:
    assert messages(f"import dspy\n\n{code}\n") == []


def test_a_field_that_a_subclass_redefines_counts_as_there() -> None:
    code = f"{CLASS}class Other(Read):\n    history: str = dspy.OutputField()\n\n\ndspy.RLM(Other)"
    (message,) = messages(f"import dspy\n\n{code}\n")
    assert message.startswith("the output `history` (line 11) is RLM's own from DSPy 3.5 on")


def test_it_is_reported_once_at_the_constructor_and_names_the_place_of_the_field() -> None:
    files = {
        "signatures.py": f"import dspy\n\n{CLASS}",
        "app.py": """
            import dspy
            from signatures import Read

            rlm = dspy.RLM(Read)
            """,
    }
    check_noop(files, "app.py:4 RM705 manual")
    (one,) = findings(files, files)["/project/app.py"]
    assert one.message.startswith("the input `history` (signatures.py, line 6) is RLM's own")
