"""`describe_outputs=True`: the model is told what the outputs mean, and near misses are taken."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, Literal

import cloudpickle
import dspy
import pydantic
import pytest
from scripted import NATIVE, ScriptedLM, submit, turn
from ways import Way, in_every_way, look, search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

SYNC = Way(asynchronous=False, native=False)


class Place(pydantic.BaseModel):
    name: str
    population: int


class Report(dspy.Signature):
    """Write a report."""

    question: str = dspy.InputField()
    summary: str = dspy.OutputField(desc="one sentence, no names")
    score: int = dspy.OutputField(desc="how sure you are", ge=0, le=10)
    kind: Literal["short", "long"] = dspy.OutputField()
    places: list[Place] = dspy.OutputField()
    remark: str | None = dspy.OutputField(desc="if there is more to say")
    language: str = dspy.OutputField(default="English")


GIVEN = {"summary": "s", "score": 5, "kind": "short", "places": [{"name": "Rome", "population": 3}]}


def agent(**options: Any) -> Any:
    return ReAct(Report, tools=[search], describe_outputs=True, **options)


def shown_schema(program: Any) -> dict[str, Any]:
    """The schema of `submit` as a provider gets it."""
    function = program.tools["submit"].format_as_litellm_function_call()["function"]
    described: dict[str, Any] = function["parameters"]
    return described


def test_descriptions_and_constraints_are_in_the_schema() -> None:
    properties = shown_schema(agent())["properties"]
    assert properties["summary"]["description"] == "one sentence, no names"
    assert properties["score"]["minimum"] == 0
    assert properties["score"]["maximum"] == 10
    assert properties["score"]["description"].startswith("how sure you are")
    assert properties["kind"]["enum"] == ["short", "long"]
    assert "description" not in properties["kind"]
    assert properties["places"]["type"] == "array"


def test_outputs_with_a_default_or_none_are_optional() -> None:
    assert shown_schema(agent())["required"] == ["summary", "score", "kind", "places"]
    assert shown_schema(agent())["properties"]["language"]["default"] == "English"


def test_by_default_the_schema_is_the_installed_classes() -> None:
    bare, plain = v2_class()(Report, tools=[search]), ReAct(Report, tools=[search])
    assert shown_schema(plain) == shown_schema(bare)
    assert type(plain.tools["submit"]) is dspy.Tool


def test_the_schema_reaches_the_model() -> None:
    lm = ScriptedLM([submit(**GIVEN)])
    SYNC.ask(agent(), lm, question="why?")
    assert "one sentence, no names" in lm.shown(0)
    lm = ScriptedLM([submit(**GIVEN)], native=True)
    with dspy.context(lm=lm.lm, adapter=NATIVE):
        agent()(question="why?")
    assert "one sentence, no names" in json.dumps(lm.lm.history[-1]["kwargs"], default=str)


@in_every_way
def test_what_is_left_out_gets_its_default(way: Way) -> None:
    prediction = way.ask(agent(), way.lm([submit(**GIVEN)]), question="why?")
    assert prediction.termination_reason == "submit"
    assert (prediction.remark, prediction.language) == (None, "English")
    assert prediction.places == [Place(name="Rome", population=3)]


@in_every_way
@pytest.mark.parametrize(
    ("near", "value"),
    [
        ({"score": "7"}, 7),
        ({"score": 7.0}, 7),
        ({"summary": 42}, "42"),
        ({"places": '[{"name": "Rome", "population": "3"}]'}, [Place(name="Rome", population=3)]),
        ({"remark": None}, None),
    ],
)
def test_a_near_miss_is_taken_as_v1s_extractor_took_it(way: Way, near: dict[str, Any], value: Any) -> None:
    prediction = way.ask(agent(), way.lm([submit(**{**GIVEN, **near})]), question="why?")
    assert prediction.termination_reason == "submit"
    [name] = near
    assert prediction[name] == value
    assert type(prediction[name]) is type(value)


@in_every_way
@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"score": "many"}, "score is invalid"),
        ({"score": 11}, "11"),
        ({"score": "11"}, "11"),
        ({"kind": "medium"}, "medium"),
    ],
)
def test_what_is_wrong_is_refused_and_the_model_told(way: Way, wrong: dict[str, Any], complaint: str) -> None:
    lm = way.lm([submit(**{**GIVEN, **wrong}), submit(**GIVEN)])
    prediction = way.ask(agent(), lm, question="why?")
    assert prediction.score == 5
    assert complaint in lm.shown(1)


@in_every_way
def test_a_required_output_that_is_missing_is_refused(way: Way) -> None:
    lm = way.lm([submit(summary="s"), submit(**GIVEN)])
    assert way.ask(agent(), lm, question="why?").kind == "short"
    assert "Missing required final output field(s): score, kind, places" in lm.shown(1)


@in_every_way
def test_copies_and_pickles_describe_too(way: Way) -> None:
    program = agent()
    for other in (copy.deepcopy(program), program.deepcopy(), cloudpickle.loads(cloudpickle.dumps(program))):
        assert shown_schema(other) == shown_schema(program)
        lm = way.lm([turn("one", look("a")), submit(**{**GIVEN, "score": "7"})])
        assert way.ask(other, lm, question="why?").score == 7


@in_every_way
def test_types_without_a_schema_are_described_all_the_same(way: Way) -> None:
    fields = {
        "question": (str, dspy.InputField()),
        "thing": (Any, dspy.OutputField(desc="anything")),
        "function": (Callable[[int], int] | None, dspy.OutputField(desc="how")),
    }
    program = ReAct(dspy.Signature(fields, "Find it."), tools=[search], describe_outputs=True)
    assert shown_schema(program)["properties"]["thing"] == {"description": "anything"}
    assert shown_schema(program)["properties"]["function"]["description"] == "how"
    prediction = way.ask(program, way.lm([submit(thing=[1, 2])]), question="why?")
    assert (prediction.thing, prediction.function) == ([1, 2], None)


def test_a_default_that_is_no_json_is_shown_as_text_and_given_as_it_is() -> None:
    class Odd:
        def __str__(self) -> str:
            return "an odd thing"

    fields = {
        "question": (str, dspy.InputField()),
        "answer": (str, dspy.OutputField()),
        "thing": (Any, dspy.OutputField(default=Odd())),
    }
    program = ReAct(dspy.Signature(fields, "Find it."), tools=[search], describe_outputs=True)
    assert shown_schema(program)["properties"]["thing"]["default"] == "an odd thing"
    prediction = SYNC.ask(program, SYNC.lm([submit(answer="x")]), question="why?")
    assert type(prediction.thing) is Odd  # pydantic copies defaults
