"""The scripted model runs both generations of ReAct from one plan, in every format that adapters use."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import dspy
import pydantic
import pytest

from react_shims.testing import Act, Answer, Call, Finish, Garbled, OutOfTurns, Overflow, Script

GENERATIONS = [dspy.ReAct] + ([dspy.ReActV2] if hasattr(dspy, "ReActV2") else [])
RELEASE = tuple(int(part) for part in dspy.__version__.split(".")[:2])
RUNS = [(kind, "sync") for kind in GENERATIONS] + [
    (kind, "async")
    for kind in GENERATIONS
    if hasattr(kind, "aforward")  # V2 has none on 3.3
]

PLAN = [
    Act("Look <it> up & see.", Call("find", {"query": "x < y & z"}, returns="found x < y & z")),
    Act("Two at once.", Call("find", {"query": "a"}, returns="found a"), Call("fail", {"code": 3})),
    Finish("I know.", {"answer": "A & <b>"}),
]


def find(query: str) -> str:
    return f"found {query}"


def fail(code: int) -> str:
    raise ValueError(f"code {code}")


def is_v2(kind: type) -> bool:
    return "extract" not in vars(kind("question -> answer", tools=[find]))


def adapters() -> list[Any]:
    native = [True, False] if RELEASE >= (3, 3) else [False]
    kinds = [dspy.ChatAdapter, dspy.JSONAdapter, dspy.XMLAdapter]
    if RELEASE < (3, 3):
        return [kind() for kind in kinds]
    return [kind(use_native_function_calling=each) for kind in kinds for each in native]


def adapter_name(adapter: Any) -> str:
    return f"{type(adapter).__name__}-{'native' if adapter.use_native_function_calling else 'text'}"


@pytest.fixture(params=adapters(), ids=adapter_name)
def adapter(request: pytest.FixtureRequest) -> Any:
    with dspy.context(adapter=request.param):
        yield request.param


@pytest.fixture(params=GENERATIONS, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def run(agent: Any, mode: str, **inputs: Any) -> Any:
    return asyncio.run(agent.acall(**inputs)) if mode == "async" else agent(**inputs)


@pytest.mark.parametrize(("kind", "mode"), RUNS)
def test_one_plan_drives_every_generation_and_format(kind: Any, mode: str, adapter: Any) -> None:
    with Script(PLAN) as script:
        prediction = run(kind("question -> answer", tools=[find, fail]), mode, question="Q?")
    assert prediction.answer == "A & <b>"
    if is_v2(kind):
        calls = [call for event in prediction.history.messages for call in event["tool_calls"].tool_calls]
        assert [call.name for call in calls] == ["find", "find", "fail", "submit"]
        assert [str(event["next_thought"]) for event in prediction.history.messages] == [
            "Look <it> up & see.",
            "Two at once.",
            "I know.",
        ]
        assert prediction.termination_reason == "submit"
        assert len(script.requests) == 3
    else:
        trajectory = prediction.trajectory
        assert [trajectory[f"tool_name_{i}"] for i in range(4)] == ["find", "find", "fail", "finish"]
        assert [trajectory[f"thought_{i}"] for i in range(4)] == [
            "Look <it> up & see.",
            "Two at once.",
            "",
            "I know.",
        ]
        assert trajectory["observation_0"] == "found x < y & z"
        assert trajectory["observation_2"].startswith("Execution error in fail: ")
        assert len(script.requests) == 5


class Place(pydantic.BaseModel):
    name: str
    tags: list[str]


class Survey(dspy.Signature):
    """Survey a place."""

    question: str = dspy.InputField()
    place: Place = dspy.OutputField()
    count: int = dspy.OutputField()
    kind: Literal["town", "village"] = dspy.OutputField()
    notes: dict[str, int] = dspy.OutputField()
    sure: bool = dspy.OutputField()


def test_outputs_of_any_type(kind: Any, adapter: Any) -> None:
    outputs = {
        "place": Place(name="Oslo", tags=["a", "b"]),
        "count": 3,
        "kind": "town",
        "notes": {"n": 1},
        "sure": True,
    }
    with Script([Finish("Known.", outputs)]):
        prediction = kind(Survey, tools=[find])(question="Q?")
    assert {name: prediction[name] for name in outputs} == outputs


def test_max_iters_is_one_step(kind: Any, adapter: Any) -> None:
    plan = [Act("Again.", Call("find", {"query": "x"})), OutOfTurns({"answer": "enough"}, reasoning="stop")]
    with Script(plan) as script:
        prediction = kind("question -> answer", tools=[find], max_iters=1)(question="Q?")
    assert prediction.answer == "enough"
    assert len(script.requests) == 2
    if is_v2(kind):
        assert prediction.termination_reason == "forced_submit"
    else:
        assert prediction.reasoning == "stop"


def test_an_overflow_ends_v2_and_shortens_v1(kind: Any, adapter: Any) -> None:
    plan = [
        Act("One.", Call("find", {"query": "1"})),
        Act("Two.", Call("find", {"query": "2"})),
        Overflow(),
        OutOfTurns({"answer": "short"}) if is_v2(kind) else Finish("Enough.", {"answer": "short"}),
    ]
    with Script(plan):
        prediction = kind("question -> answer", tools=[find])(question="Q?")
    assert prediction.answer == "short"
    if not is_v2(kind):
        assert next(iter(prediction.trajectory)) == "thought_1"


def test_an_adapter_asks_again_after_a_garbled_reply(kind: Any) -> None:
    plan = [Garbled(), Act("Now.", Call("find", {"query": "x"})), Finish("Done.", {"answer": "A"})]
    with dspy.context(adapter=dspy.ChatAdapter()), Script(plan) as script:
        assert kind("question -> answer", tools=[find])(question="Q?").answer == "A"
    assert "Outputs will be a JSON object" not in script.requests[0].system
    assert "Outputs will be a JSON object" in script.requests[1].system


def test_predictors_that_are_no_agents(adapter: Any) -> None:
    with Script([Answer({"answer": "4"}), Answer({"reasoning": "2 + 2", "answer": "4"})]):
        assert dspy.Predict("question -> answer")(question="2 + 2?").answer == "4"
        prediction = dspy.ChainOfThought("question -> answer")(question="2 + 2?")
    assert str(prediction.reasoning) == "2 + 2"


def test_an_agent_as_the_tool_of_another(kind: Any, adapter: Any) -> None:
    inner = kind("topic -> summary", tools=[find])

    def summarise(topic: str) -> str:
        return str(inner(topic=topic).summary)

    plan = [
        Act("Ask the other.", Call("summarise", {"topic": "T"}, returns="short")),
        Act("Inner step.", Call("find", {"query": "t"})),
        Finish("Inner end.", {"summary": "short"}),
        Finish("Outer end.", {"answer": "A"}),
    ]
    with Script(plan):
        assert kind("question -> answer", tools=[summarise])(question="Q?").answer == "A"


def test_plans_by_input_for_programs_with_threads(kind: Any) -> None:
    def plan(number: int) -> list[Any]:
        steps = [Act(f"Step {i}.", Call("find", {"query": f"{number}-{i}"})) for i in range(number)]
        return [*steps, Finish("Done.", {"answer": f"answer {number}"})]

    agent = kind("question -> answer", tools=[find])
    examples = [dspy.Example(question=f"question {i}").with_inputs("question") for i in range(4)]
    with Script({f"question {i}": plan(i) for i in range(4)}):
        predictions = dspy.Parallel(num_threads=4, disable_progress_bar=True)(
            [(agent, each) for each in examples]
        )
    assert [each.answer for each in predictions] == [f"answer {i}" for i in range(4)]


def test_what_a_tool_returns_is_compared_in_every_format(kind: Any, adapter: Any) -> None:
    """V2 in text shows results as JSON."""

    def quote(text: str) -> str:
        return f'"{text}"\n- é \n'

    plan = [
        Act(
            "Both.",
            Call("quote", {"text": "a"}, returns='"a"\n- é'),
            Call("quote", {"text": "b"}, returns='"b"'),
        ),
        Finish("Done.", {"answer": "A"}),
    ]
    with Script(plan):
        kind("question -> answer", tools=[quote])(question="Q?")


@pytest.mark.dspy("<3.5")
@pytest.mark.parametrize("in_place", [True, False])
def test_a_shortened_view_may_last_or_not(in_place: bool) -> None:
    """On V1 an override that returns a new dict shortens one request, an edit in place all that follow."""

    class Lean(dspy.ReAct):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            shorter = trajectory if in_place else dict(trajectory)
            for key in list(shorter)[:4]:
                del shorter[key]
            return shorter

    looks = [Act(f"Look {i}.", Call("find", {"query": str(i)}, returns=f"found {i}")) for i in range(5)]
    with Script([*looks[:2], Overflow(), *looks[2:], Finish("Done.", {"answer": "A"})]) as script:
        prediction = Lean("question -> answer", tools=[find])(question="Q?")
    assert ("thought_0" in prediction.trajectory) is not in_place
    assert ("found 0" in script.requests[-1].text) is not in_place


@pytest.mark.dspy(">=3.3")
def test_plans_by_input_in_a_conversation() -> None:
    """The prompt holds earlier questions too: the last one counts. Ids of native calls stay unique."""
    agent = GENERATIONS[-1]("question -> answer", tools=[find])
    steps = {
        name: [Act("Look.", Call("find", {"query": name})), Finish("Done.", {"answer": name})]
        for name in "XYZ"
    }
    plans = {"question X": steps["X"] + steps["Z"], "question Y": steps["Y"]}
    history = dspy.History(messages=[])
    with dspy.context(adapter=dspy.ChatAdapter(use_native_function_calling=True)), Script(plans):
        for name in "XYX":
            history = agent(question=f"question {name}", history=history).history
    ids = [call.id for event in history.messages for call in event["tool_calls"].tool_calls]
    assert [event["answer"] for event in history.messages if "answer" in event] == ["X", "Y", "Z"]
    assert len(set(ids)) == len(ids) == 6


@pytest.mark.dspy(">=3.3")
def test_a_model_without_function_calling_is_asked_in_text() -> None:
    agent = GENERATIONS[-1]("question -> answer", tools=[find, fail])
    with dspy.context(adapter=dspy.XMLAdapter(use_native_function_calling=True)):
        with Script(PLAN, function_calling=False) as script:
            assert agent(question="Q?").answer == "A & <b>"
        assert [request.tools for request in script.requests] == [()] * 3
        with Script(PLAN) as script:
            assert agent(question="Q?").answer == "A & <b>"
        assert [request.tools for request in script.requests] == [("find", "fail", "submit")] * 3


@pytest.mark.dspy(">=3.4")
def test_streaming(kind: Any) -> None:
    async def stream() -> list[Any]:
        program = dspy.streamify(kind("question -> answer", tools=[find, fail]))
        return [chunk async for chunk in program(question="Q?")]

    with Script(PLAN):
        *chunks, prediction = asyncio.run(stream())
    assert len(chunks) > 3
    assert prediction.answer == "A & <b>"


@pytest.mark.dspy(">=3.4")
def test_the_model_is_an_engine_and_not_a_legacy_subclass() -> None:
    """DSPy 3.5 removes `BaseLM.forward` doubles."""
    lm = Script([]).lm
    assert type(lm) is dspy.LM
    assert not any(hasattr(engine, "forward") for engine in (lm.engine, lm._async_engine_spec))


def test_copies_of_the_model_share_the_plan() -> None:
    script = Script([Answer({"answer": "1"}), Answer({"answer": "2"})])
    program = dspy.Predict("question -> answer")
    with dspy.context(lm=script.lm.copy(temperature=1.0)):
        assert program(question="Q?").answer == "1"
    with dspy.context(lm=script.lm):
        assert program(question="Q?").answer == "2"
    script.check_finished()
