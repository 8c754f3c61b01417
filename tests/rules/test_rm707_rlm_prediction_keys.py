"""RM707: dumps and filters of all keys, and writes, where it is an RLM's prediction."""

from __future__ import annotations

import pytest
from rewriting import check_noop, findings, rewrite

HEAD = 'import dspy\n\nr = dspy.RLM("d -> a")(d=1)\n'


@pytest.mark.parametrize(
    "code",
    [
        "r.toDict()",
        "dict(r)",
        "dict(r.items())",
        "row.update(r)",
        "save(**r)",
        "row = {**r}",
        'x = {k: v for k, v in r.items() if k != "trajectory"}',
        'x = [k for k in r.keys() if k not in ("trajectory", "final_reasoning")]',
        'r.without("trajectory")',
        "r.trajectory = []",
        "del r.trajectory",
        'r["trajectory"] = []',
        'setattr(r, "trajectory", [])',
        'r._store["trajectory"]',
        'dict(dspy.RLM("d -> a")(d=1))',
        "async def f(): save(**await dspy.asyncify(dspy.RLM(s))(d=1))",
        "def f(result=r): return dict(result)",
        "[result.toDict() for result in [r]]",
        "[dict(result) for result in [r]]",
    ],
)
def test_what_depends_on_the_keys(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", "app.py:4 RM707 manual")


@pytest.mark.parametrize(
    "code",
    [
        "r.a, r.get('a'), r['a']",
        'dspy.Predict("d -> a")(d=1).toDict()',
        'dspy.CodeAct("d -> a", tools=[])(d=1).toDict()  # react-migrate: ignore[RM704]',
        "dspy.Prediction(trajectory=[]).toDict()",
        "unknown.toDict()",
        'x = {k: v for k, v in r.items() if k != "a"}',
        'x = {k: v for k, v in r.items() if k not in ("trajectory", "history")}',
        "r.answer = 1",
    ],
)
def test_what_does_not(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


def test_where_it_may_be_an_agents_as_well_only_the_agents_rules_speak() -> None:
    code = f"""{HEAD}
if input():
    r = dspy.ReAct("d -> a", tools=[])(d=1)
r.toDict()
r.trajectory = []
x = {{k: v for k, v in r.items() if k != "trajectory"}}
"""
    assert rewrite(code).left == ["app.py:7 RM206 manual", "app.py:8 RM205 manual", "app.py:9 RM203 manual"]


def test_in_another_file() -> None:
    files = {
        "store.py": "def save(run):\n    return run.toDict()\n",
        "app.py": f"{HEAD}from store import save\n\nsave(r)\n",
    }
    check_noop(files, "store.py:2 RM707 manual")
    (one,) = findings(files, files)["/project/store.py"]
    assert (
        one.message == "on DSPy 3.5 this dump has `history` and `repl_trajectory` where it had `trajectory`"
    )
