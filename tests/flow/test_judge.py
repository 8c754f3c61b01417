"""From what an expression may hold to a verdict and its reasons."""

from __future__ import annotations

import pytest
from judging import HEAD, build, values_of

from react_migrate.flow import Verdict, judge
from react_migrate.flow.values import (
    NOTHING,
    Foreign,
    Instance,
    Library,
    NoValue,
    Other,
    Prediction,
    StandIn,
    Trajectory,
    Unknown,
    Value,
)

REACT = Prediction("dspy.ReAct")
COT = Prediction("dspy.ChainOfThought")


@pytest.mark.parametrize("module", ["dspy.ReAct", "dspy.ReActV2", "react_shims.ReAct", "react_shims.ReActV2"])
def test_predictions_of_every_react_are_proven(module: str) -> None:
    assert judge(frozenset({Prediction(module)})).verdict is Verdict.PROVEN


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({REACT}, Verdict.PROVEN),
        ({REACT, Prediction("dspy.ReActV2")}, Verdict.PROVEN),
        ({REACT, NoValue()}, Verdict.PROVEN),  # None has no attributes: it is never read from
        ({REACT, StandIn()}, Verdict.PROVEN),  # carries a trajectory of its own
        ({REACT, COT}, Verdict.MIXED),
        ({REACT, Unknown("it is a parameter")}, Verdict.MIXED),
        ({REACT, Other("a constant")}, Verdict.MIXED),
        ({REACT, Library("robots.plan")}, Verdict.MIXED),
        ({Unknown("it is a parameter")}, Verdict.UNKNOWN),
        ({Unknown("it is a parameter"), COT}, Verdict.UNKNOWN),
        (NOTHING, Verdict.UNKNOWN),
        ({Library("robots.plan")}, Verdict.FOREIGN),
        ({Instance(Library("robots.Robot"))}, Verdict.FOREIGN),
        ({Foreign("the result of `robots.plan`"), COT}, Verdict.FOREIGN),
        ({COT}, Verdict.OTHER),
        ({Library("json.loads"), Library("builtins.len"), Library("dspy.settings")}, Verdict.OTHER),
        ({Trajectory("dspy.ReAct")}, Verdict.OTHER),
        ({Instance(Library("dspy.ReAct"))}, Verdict.OTHER),  # the agent, not what it gave
        ({NoValue()}, Verdict.OTHER),
        ({StandIn()}, Verdict.OTHER),
    ],
)
def test_verdicts(values: set[Value], verdict: Verdict) -> None:
    assert judge(frozenset(values)).verdict is verdict


def test_the_reasons_name_what_else_it_may_be_and_where_that_is_from() -> None:
    code = (
        "def ask(q, hard, other):\n"
        "    x = agent(q=q) if hard else cot(q=q)\n"
        "    if other:\n"
        "        x = other.plan()\n"
        "    return x\n"
    )
    assert judge(values_of(HEAD + code)).why == (
        "anything: `other` is a parameter of `ask`, and no call in these files says what it gets",
        "the prediction of a `dspy.ChainOfThought`, line 5",
    )


def test_the_trail_leads_from_the_class_to_the_place() -> None:
    code = "def ask(q):\n    return agent(q=q)\n\n\nx = ask(1)\nprint(x)\n"
    trail = judge(values_of(HEAD + code)).trail
    assert trail is not None
    assert [(step.text, getattr(step.node, "lineno", None)) for step in trail.steps()] == [
        ("imported", 1),
        ("`dspy.ReAct` is made", 3),
        ("assigned to `agent`", 3),
        ("called: it gives a prediction", 5),
        ("returned by `ask`", 8),
        ("assigned to `x`", 8),
    ]


def test_a_file_that_does_not_parse_is_a_failure_with_its_reason_and_breaks_nothing_else() -> None:
    program = build({"a.py": "agent = (", "b.py": "from a import agent\n\nx = agent(q=1)\nx.trajectory\n"})
    assert [(path.name, type(error)) for path, error in program.failures.items()] == [("a.py", SyntaxError)]
    (file,) = program.files.values()
    ((node, scope),) = file.index.attributes["trajectory"]
    judgement = judge(file.values(node.value, scope))
    assert judgement.verdict is Verdict.UNKNOWN
    assert judgement.why == ("anything: `agent` comes from a file that does not parse",)
