"""What holds for the edits of every program: it does the same, lints no worse, and is done at once."""

from __future__ import annotations

import ast
import subprocess
import sys
import types
from types import SimpleNamespace

from editing import migrate, moves, reads, renames
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from react_migrate.edit import apply

TOP = ["", "#!/usr/bin/env python\n", "# licence\n# more of it\n", "# -*- coding: utf-8 -*-\n\n# about\n"]
DOCSTRING = ["", '"""Doc."""\n', "'''Doc\nof two lines'''  # end\n\n", 'r"raw" " joined"\n']
FUTURE = ["", "from __future__ import annotations\n", "from __future__ import annotations; import math\n"]
IMPORTS = [
    "import os\n",
    "import os, json as j\n",
    "import dspy\n",
    "import dspy as d\n",
    "import os; import dspy\n",
    "import dspy.predict\n",
    "from dspy import LM, ReActV2\n",
    "from dspy import ReActV2  # the agent\n",
    "from dspy import ReActV2 as V2, LM as L\n",
    "from dspy.predict import (\n    LM,  # lm\n    # below\n    ReActV2,  # agent\n)\n",
    "from dspy import (ReActV2,\n    LM,)\n",
    "from dspy import LM, \\\n    ReActV2\n",
    "import os; from dspy import ReActV2; rec('mid', ReActV2)\n",
    "from react_shims import trajectory_of\n",
    "from react_shims import (\n    ReAct,  # ours\n)\n",
    "from react_shims import ReAct as MyReAct\n",
    "import react_shims\n",
    "import react_shims as rs\n",
    "try:\n    import dspy\nexcept ImportError:\n    dspy = None\n",
    "try:\n    from dspy import ReActV2\nexcept ImportError:\n    ReActV2 = None\n",
    "if True:\n    from dspy import ReActV2\nelse:\n    import dspy\n",
    "if False: import os\nelse: from dspy import ReActV2\n",
    "\n",
    "# a comment\n",
    "\n# a section\n",
]
CODE = [
    "rec(1, P.trajectory)\n",
    "rec(2, (P\n    .trajectory))  # in parentheses\n",
    "def f(p, q=P.trajectory):\n    '''Doc.'''\n\n    return p.trajectory, q\nrec(3, f(P))\n",
    "class A:\n    t = P.trajectory\n    def trajectory_of(self): return self\nrec(4, A.t)\n",
    "trajectory_of = 5\nrec(5, trajectory_of)\n",
    "rec(6, [trajectory_of.trajectory for trajectory_of in [P]])\n",
    "rec(7, f'{P.trajectory} {P.trajectory!r:>30}')\n",
    "rec(8, dspy.ReActV2)\n",
    "rec(9, d.ReActV2, d.LM)\n",
    "rec(10, ReActV2)\n",
    "rec(11, V2, L)\n",
    "ReAct = 12\nrec(12, ReAct, dspy.ReActV2)\n",
    "def g():\n    from dspy import ReActV2\n    return ReActV2\nrec(13, g())\n",
    "def h():\n    import dspy\n\n    # why\n    return dspy.ReActV2\nrec(14, h())\n",
    "class B(dspy.ReActV2 if dspy else object): x: 'dspy.ReActV2' = 15\nrec(15, B.x)\n",
    "import os\nrec(16, os.sep, P.trajectory)\n",
    "rec(17, dspy.LM, isinstance(1, dspy.ReActV2))\n",
    "if rec: rec(18, P.trajectory); rec(18, dspy.ReActV2)\n",
    "rec(19, (lambda trajectory_of=P: trajectory_of.trajectory)())\n",
    "from react_shims import trajectory_of\nrec(20, P.trajectory, trajectory_of)\n",
    "\n\n",
    "# between\n",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A module that records what it computes, with imports of every form in every order."""
    head = draw(st.sampled_from(TOP)) + draw(st.sampled_from(DOCSTRING)) + draw(st.sampled_from(FUTURE))
    imports = draw(st.lists(st.sampled_from(IMPORTS), max_size=6))
    code = draw(st.lists(st.sampled_from(CODE), min_size=1, max_size=5))
    text = head + "".join(imports + code)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


class Engine:
    """What `ReActV2` is, on the old side and on the new."""


def run(text: str) -> list[object]:
    """What the program records, with stand-ins for dspy and the shim."""
    record: list[object] = []
    dspy = types.ModuleType("dspy")
    vars(dspy).update(ReActV2=Engine, LM="LM", __path__=[])
    predict = types.ModuleType("dspy.predict")
    vars(predict).update(vars(dspy))
    vars(dspy).update(predict=predict)
    shims = types.ModuleType("react_shims")
    vars(shims).update(ReAct=Engine, trajectory_of=trajectory_of)
    known = {"dspy": dspy, "dspy.predict": predict, "react_shims": shims}
    before = {name: sys.modules.get(name) for name in known}
    sys.modules.update(known)
    scope = {
        "__name__": "program",
        "P": SimpleNamespace(trajectory={"thought_0": "x"}),
        "rec": lambda *x: record.append(x),
    }
    try:
        exec(compile(text, "program", "exec", dont_inherit=True), scope)
    except (NameError, AttributeError, TypeError) as error:
        raise AssertionError(text) from error
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return record


def trajectory_of(prediction: SimpleNamespace) -> object:
    return prediction.trajectory


def runs(text: str) -> bool:
    try:
        run(text)
    except AssertionError:
        return False
    return True


def complaints(text: str, codes: str) -> list[str]:
    """What ruff says about the text, without positions."""
    options = ["--isolated", "--no-cache", "--output-format", "concise", "--select", codes]
    command = [sys.executable, "-m", "ruff", "check", *options, "-"]
    found = subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout
    return [line.partition(" ")[2] for line in found.splitlines() if line.startswith("-:")]


@settings(max_examples=150, deadline=None)
@given(programs())
def test_an_edited_program_does_the_same(text: str) -> None:
    assume(runs(text))
    assert run(migrate(text)) == run(text)


@settings(max_examples=150, deadline=None)
@given(programs())
def test_there_is_nothing_left_to_edit(text: str) -> None:
    after = migrate(text)
    assert not [*reads(after), *renames(after), *moves(after)]
    assert migrate(after) == after


@settings(max_examples=100, deadline=None)
@given(programs())
def test_every_line_that_needs_no_edit_stays(text: str) -> None:
    """Lines in order, without blank ones and import lines; an edit here never makes two lines of one."""
    after = migrate(text)

    def others(code: str) -> list[str]:
        lines = code.replace("\r\n", "\n").split("\n")
        words = ("trajectory", "ReAct", "import", "LM", "#", ")", "(P")
        return [line for line in lines if line.strip() and not any(word in line for word in words)]

    assert [line for line in others(after) if line.strip() != "pass"] == others(text)


@settings(max_examples=100, deadline=None)
@given(programs())
def test_comments_stay(text: str) -> None:
    """But for those on a line that is gone."""
    after = migrate(text)
    for comment in (
        "# licence",
        "# about",
        "# end",
        "# a comment",
        "# a section",
        "# why",
        "# between",
        "# ours",
        "# lm",
    ):
        assert after.count(comment) == text.count(comment)


@settings(max_examples=60, deadline=None)
@given(programs())
def test_no_name_is_used_without_an_import_and_no_import_is_left_unused(text: str) -> None:
    before, after = complaints(text, "F401,F811,F821"), complaints(migrate(text), "F401,F811,F821")
    unknown = [line for line in after if "F821" in line]
    assert sorted(set(unknown)) == sorted({line for line in before if "F821" in line} & set(unknown))
    assert not [line for line in after if "trajectory_of` imported but" in line and line not in before]
    if "except ImportError" not in text:  # a feature test stays, used or not
        assert sum("F401" in line for line in after) <= sum("F401" in line for line in before)


@settings(max_examples=60, deadline=None)
@given(programs())
def test_sorted_imports_stay_sorted(text: str) -> None:
    after = migrate(text)
    assume(" as " not in after)  # isort has several ways with those, as its user likes
    if not complaints(text, "I001"):
        assert not complaints(after, "I001"), after


@given(programs())
@settings(max_examples=50, deadline=None)
def test_without_edits_nothing_changes(text: str) -> None:
    assert apply(text, []) == text
    ast.parse(text)
