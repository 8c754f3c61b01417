"""RM206: a whole prediction made into a dict has other keys on the new engine."""

from __future__ import annotations

import pytest
from rewriting import check_noop

HEAD = 'import dspy\n\nr = dspy.ReAct("q -> a", tools=[])(q=1)\n'


@pytest.mark.parametrize(
    "code",
    [
        "r.toDict()",
        'r.toDict()["trajectory"]',
        "print(r.toDict())",
        "dict(r)",
        "dict(r, more=1)",
        "dict(r.items())",
        "dict(**r)",
        "save(**r)",
        "dspy.Example(**r)",
        "{**r}",
        '{"id": 1, **r}',
        "row.update(r)",
        "row.update(r.items())",
        "row.update(**r)",
        "[dict(p) for p in [r]]",
    ],
)
def test_dumps(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", "app.py:4 RM206 manual")


@pytest.mark.parametrize(
    "code",
    [
        "x.toDict()",
        "dict(x)",
        "dict()",
        "dict(a=r.a)",
        "save(**kwargs)",
        "save(*r)",
        "{**x}",
        "row.update(a=r.a)",
        "set.update(x)",
        'dspy.Predict("q -> a")(q=1).toDict()',
        "dspy.Prediction(a=1).toDict()",
        "r.a.toDict()",
        "def f(**r):\n    return save(**r), {**r}",
    ],
)
def test_other_dicts(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


@pytest.mark.parametrize(
    "code",
    [
        "if isinstance(r, dict):\n    print(dict(r))",
        "if x and isinstance(r, Mapping):\n    for y in z:\n        row.update(r)",
        "print({**r} if isinstance(r, dict) else r)",
        "for x in y:\n    if not isinstance(r, dict):\n        continue\n    print(dict(r))",
    ],
)
def test_what_was_found_to_be_a_dict_is_no_prediction(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")


@pytest.mark.parametrize(
    "code",
    [
        "if isinstance(r, dict) or x: dict(r)",
        "if isinstance(x, dict): dict(r)",
        "if isinstance(r, dspy.Prediction): dict(r)",
        "dict(x) if isinstance(r, dict) else dict(r)",
    ],
)
def test_what_was_not_found_to_be_a_dict_may_be_one(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", f"app.py:{len(HEAD.splitlines()) + 1} RM206 manual")


def test_what_is_bound_after_it_was_checked_may_be_another() -> None:
    check_noop(
        f"""{HEAD}
def ask(given):
    if not isinstance(given, dict):
        return None
    given = dspy.ReAct("q -> a", tools=[])(q=1)
    return dict(given)
""",
        "app.py:9 RM206 manual",
    )


def test_one_that_may_be_another_is_reported_too() -> None:
    check_noop(
        """
        import dspy

        react, cot = dspy.ReAct("q -> a", tools=[]), dspy.ChainOfThought("q -> a")


        def ask(q, hard):
            return (react if hard else cot)(q=q).toDict()
        """,
        "app.py:7 RM206 manual",
    )
