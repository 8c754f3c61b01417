"""RM703: an interpreter is handed to an RLM as a factory now."""

from __future__ import annotations

import pytest
from rewriting import as_files, check_noop, findings

HEAD = 'import dspy\n\nrlm = dspy.RLM("d -> a")\n'


@pytest.mark.parametrize(
    "code",
    [
        'dspy.RLM("d -> a", interpreter=mine)',
        'dspy.RLM("d -> a", 20, 50, 10_000, False, None, None, dspy.PythonInterpreter())',
        "rlm(d=1, interpreter=mine)",
        "rlm(mine, d=1)",
        "rlm.forward(mine, d=1)",
        "async def f(): await rlm.acall(mine, d=1)",
        "dspy.RLM(s)(mine, d=1)",
        "import react_shims; react_shims.RLM(s)(mine, d=1)",
        "import functools; functools.partial(dspy.RLM, interpreter=mine)",
        'class Mine(dspy.RLM):\n    def __init__(self): super().__init__("d -> a", interpreter=mine)',
        "def make(**kw): return dspy.RLM(s, **kw)\nmake(interpreter=mine)",
    ],
)
def test_old_ways(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", f"app.py:{4 + code.count(chr(10))} RM703 manual")


@pytest.mark.parametrize(
    "code",
    [
        'dspy.RLM("d -> a", interpreter_factory=make)',
        'dspy.RLM("d -> a", 20, 50, 10_000, False, None, None, dspy.PythonInterpreter)',
        'dspy.RLM("d -> a", 20, 50)',
        "rlm(d=1)",
        "rlm(d=1, interpreter_factory=make)",
        "rlm(*args, d=1)",
        "rlm.deepcopy()",
        "rlm.save(path, mode=1)",
        "run(interpreter=mine)",
        "dspy.Predict(s)(mine)",
        "subprocess.run(interpreter, args)",
    ],
)
def test_other_ways(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


@pytest.mark.parametrize(
    ("made", "passed", "instead"),
    [
        ("", "None", "leave it out"),
        ("", "dspy.PythonInterpreter()", "write `interpreter_factory=dspy.PythonInterpreter`"),
        (
            "",
            "dspy.PythonInterpreter(sync_files=True)",
            "write `interpreter_factory=lambda: dspy.PythonInterpreter(sync_files=True)`",
        ),
        ("", "sandbox.make('e2b')", "write `interpreter_factory=lambda: sandbox.make('e2b')`"),
        ("x = dspy.LocalInterpreter()", "x", "write `interpreter_factory=dspy.LocalInterpreter`"),
        ("x = Mine(3)", "x", "write `interpreter_factory=lambda: Mine(3)`"),
        (
            "x = Mine(3) if input() else Mine(4)",
            "x",
            "write `interpreter_factory=`, a function that makes a fresh one like `x`",
        ),
        ("", "given", "write `interpreter_factory=`, a function that makes a fresh one like `given`"),
    ],
)
def test_what_to_write(made: str, passed: str, instead: str) -> None:
    code = f"{HEAD}class Mine:\n    pass\n\n\n{made}\n"
    for call in (f"dspy.RLM('d -> a', interpreter={passed})", f"rlm({passed}, d=1)"):
        (one,) = findings(f"{code}{call}\n", as_files(call))["/project/app.py"]
        assert one.message.endswith(f": {instead}")


def test_an_interpreter_from_another_file_is_made_as_there() -> None:
    files = {
        "tools.py": "import dspy\n\nshared = dspy.PythonInterpreter(enable_network_access=['x.org'])\n",
        "app.py": 'import dspy\nfrom tools import shared\n\ndspy.RLM("d -> a", interpreter=shared)\n',
    }
    (one,) = findings(files, files)["/project/app.py"]
    assert "lambda: dspy.PythonInterpreter(enable_network_access=['x.org'])" in one.message
