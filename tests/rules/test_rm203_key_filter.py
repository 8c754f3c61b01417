"""RM203: filters that leave out V1's key let V2's through."""

from __future__ import annotations

import pytest
from rewriting import check_noop

HEAD = 'import dspy\n\nr = dspy.ReAct("q -> a", tools=[])(q=1)\n'


@pytest.mark.parametrize(
    "code",
    [
        '{k: v for k, v in r.items() if k != "trajectory"}',
        '{k: v for k, v in r.items() if "trajectory" != k}',
        '{k: v for k, v in r.items() if not k == "trajectory"}',
        '{k: v for k, v in r.items() if k not in ("trajectory", "reasoning")}',
        '{k: v for k, v in r.items() if k not in ["trajectory"]}',
        '{k: v for k, v in r.items() if k not in {"trajectory"} and v}',
        '[k for k in r if k != "trajectory"]',
        '[k for k in r.keys() if k != "trajectory"]',
        'list(k for k in r if k != "trajectory")',
        '[v for i, (k, v) in enumerate(r.items()) if k != "trajectory"]',
        'r.without("trajectory")',
        'r.without("trajectory", "reasoning")',
        'f = lambda: {k: v for k, v in r.items() if k != "trajectory"}',
    ],
)
def test_filters(code: str) -> None:
    check_noop(f"{HEAD}{code}\n", "app.py:4 RM203 manual")


def test_loops_and_named_sets() -> None:
    check_noop(
        """
        import dspy

        SKIP = frozenset(("a",)), {"trajectory", "reasoning"}
        HIDDEN = ["trajectory"]


        def outputs(q):
            r = dspy.ReAct("q -> a", tools=[])(q=q)
            found = {}
            for k, v in r.items():
                if k == "trajectory":
                    continue
                found[k] = v
            for k in r:
                if k in HIDDEN:
                    del found[k]
            return found
        """,
        "app.py:11 RM203 manual",
        "app.py:15 RM203 manual",
    )


@pytest.mark.parametrize(
    "code",
    [
        '{k: v for k, v in r.items() if k not in {"trajectory", "history", "termination_reason"}}',
        '{k: v for k, v in r.items() if k != "answer"}',
        'r.without("trajectory", "history")',
        'r.without("answer")',
        '{k: v for k, v in record.items() if k != "trajectory"}',
        '{k: v for k, v in {"trajectory": 1}.items() if k != "trajectory"}',
        'for k in r:\n    pass\nprint(name != "trajectory")',
        'dspy.Prediction(trajectory={}).without("trajectory")',
        '{k: v for k, v in dspy.Predict("q -> a")(q=1).items() if k != "trajectory"}',
    ],
)
def test_other_filters(code: str) -> None:
    check_noop(f"{HEAD}{code}\n")
