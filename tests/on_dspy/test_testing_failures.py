"""The scripted model fails a run whose prompts or steps are not what they should be."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import dspy
import pytest

from react_shims.testing import Act, Answer, Call, Finish, NewRun, OutOfTurns, Script, ScriptError

GENERATIONS = [dspy.ReAct] + ([dspy.ReActV2] if hasattr(dspy, "ReActV2") else [])
V2 = GENERATIONS[-1]

LOOK = Act("Look.", Call("find", {"query": "x"}))
DONE = Finish("Done.", {"answer": "A"})


def find(query: str) -> str:
    return f"found {query}"


@pytest.fixture(params=GENERATIONS, ids=lambda kind: kind.__name__)
def agent(request: pytest.FixtureRequest) -> Any:
    return request.param("question -> answer", tools=[find], max_iters=5)


def failure(script: Script, program: Callable[[], Any]) -> str:
    """The error a `with script:` block ends with; what DSPy makes of it on the way is DSPy's business."""
    with pytest.raises(ScriptError) as caught, script:
        program()
    return str(caught.value)


def test_the_plan_is_used_up(agent: Any) -> None:
    message = failure(Script([LOOK]), lambda: agent(question="Q?"))
    assert message.startswith("the plan ended after 1 steps, but the program asks for the next step of V")


def test_steps_are_left(agent: Any) -> None:
    message = failure(Script([LOOK, DONE, DONE]), lambda: agent(question="Q?"))
    assert message.startswith("the program ended with 1 steps left, next Finish(")


@pytest.mark.dspy("<3.5")
def test_v1_ends_within_a_step() -> None:
    """At `max_iters` the second of two calls is never made."""
    agent = dspy.ReAct("question -> answer", tools=[find], max_iters=1)
    plan = [
        Act("Two.", Call("find", {"query": "1"}), Call("find", {"query": "2"})),
        OutOfTurns({"answer": "A"}),
    ]
    message = failure(Script(plan), lambda: agent(question="Q?"))
    assert message.startswith("a run ended before it made Call(tool='find', args={'query': '2'}")


def test_another_step_is_asked_for(agent: Any) -> None:
    message = failure(Script([Answer({"answer": "A"})]), lambda: agent(question="Q?"))
    assert message.startswith("step 1 of the plan is Answer(")
    message = failure(Script([DONE]), lambda: dspy.Predict("question -> answer")(question="Q?"))
    assert message.endswith("but the program asks for the output fields answer (request 1)")


@pytest.mark.parametrize("outputs", [{"reply": "A"}, {"answer": "A", "reply": "B"}, {}])
def test_other_outputs_are_asked_for(outputs: dict[str, str]) -> None:
    message = failure(Script([Answer(outputs)]), lambda: dspy.Predict("question -> answer")(question="Q?"))
    given = ", ".join(outputs) or "nothing"
    assert message.startswith(f"the plan gives {given}, but the program asks for the output fields answer")


def test_a_tool_returns_something_else(agent: Any) -> None:
    plan = [Act("Look.", Call("find", {"query": "x"}, returns="lost x")), DONE]
    message = failure(Script(plan), lambda: agent(question="Q?"))
    assert "`find` should return 'lost x'; the prompt shows" in message
    assert "found x" in message


def test_a_program_that_hides_the_failure_fails(agent: Any) -> None:
    finished = []

    def program() -> None:
        for _ in range(2):
            with contextlib.suppress(Exception):
                finished.append(agent(question="Q?"))

    message = failure(Script([Answer({"answer": "A"}), DONE]), program)
    assert message.startswith("step 1 of the plan is Answer(")
    assert not finished  # the plan is not gone on with


def test_a_failing_program_keeps_its_own_error(agent: Any) -> None:
    with pytest.raises(KeyError, match="mine"), Script([DONE]):
        raise KeyError("mine")


@pytest.mark.dspy("<3.5")
def test_v1_ends_before_its_extractor() -> None:
    agent = dspy.ReAct("question -> answer", tools=[find])

    def broken(**inputs: Any) -> Any:
        raise OSError("no extractor today")

    def program() -> None:
        agent.extract.forward = broken
        with contextlib.suppress(OSError):
            agent(question="Q?")

    message = failure(Script([DONE]), program)
    assert message.startswith("a run ended between `finish` and the extractor of Finish(")


@pytest.mark.dspy("<3.5")
def test_v1_changes_an_observation() -> None:
    class Shouting(dspy.ReAct):
        def _format_trajectory(self, trajectory: dict[str, Any]) -> str:
            text = str(super()._format_trajectory(trajectory))
            return text.replace("found x", "FOUND X") if "found y" in text else text

    agent = Shouting("question -> answer", tools=[find])
    plan = [LOOK, Act("Again.", Call("find", {"query": "y"})), DONE]
    message = failure(Script(plan), lambda: agent(question="Q?"))
    assert "the observation 'found x' is missing (request 3)" in message


@pytest.mark.dspy("<3.5")
def test_v1_hides_an_observation() -> None:
    class Forgetful(dspy.ReAct):
        def _format_trajectory(self, trajectory: dict[str, Any]) -> str:
            return str(super()._format_trajectory(dict(list(trajectory.items())[-4:])))

    agent = Forgetful("question -> answer", tools=[find])
    plan = [LOOK, Act("Again.", Call("find", {"query": "y"})), DONE]
    message = failure(Script(plan), lambda: agent(question="Q?"))
    assert message.startswith("the prompt hides what the model has already seen: ")
    assert message.endswith("the observation 'found x' is missing (request 3)")


@pytest.mark.dspy("<3.5")
def test_v1_hides_an_observation_from_its_extractor() -> None:
    agent = dspy.ReAct("question -> answer", tools=[find])
    agent.extract = dspy.ChainOfThought("question, trajectory -> answer")
    real = agent.extract.forward
    agent.extract.forward = lambda **inputs: real(**{**inputs, "trajectory": "nothing"})
    message = failure(Script([LOOK, DONE]), lambda: agent(question="Q?"))
    assert "the observation 'found x' is missing (request 3)" in message


@pytest.mark.dspy(">=3.3")
@pytest.mark.parametrize("native", [True, False], ids=["native", "text"])
def test_v2_hides_an_observation(native: bool) -> None:
    agent = V2("question -> answer", tools=[find])
    real = agent.react.forward

    def forgetful(history: dspy.History, **inputs: Any) -> Any:
        return real(history=dspy.History(messages=history.messages[-1:]), **inputs)

    agent.react.forward = forgetful
    with dspy.context(adapter=dspy.ChatAdapter(use_native_function_calling=native)):
        plan = [LOOK, Act("Again.", Call("find", {"query": "y"})), DONE]
        message = failure(Script(plan), lambda: agent(question="Q?"))
    assert message.startswith("the prompt hides what the model has already seen: the observation ")
    assert "found x" in message
    assert message.endswith("is missing (request 3)")


def test_the_last_result_is_hidden(agent: Any) -> None:
    real = agent.react.forward

    def forgetful(**inputs: Any) -> Any:
        if "history" in inputs:
            inputs["history"] = dspy.History(messages=[])
        else:
            inputs["trajectory"] = ""
        return real(**inputs)

    agent.react.forward = forgetful
    message = failure(Script([LOOK, DONE]), lambda: agent(question="Q?"))
    assert message.startswith("the prompt does not show what Call(tool='find', args={'query': 'x'}")
    assert message.endswith("or its adapter could not read the reply and asks again (request 2)")


@pytest.mark.dspy(">=3.3")
def test_v2_forgets_the_conversation_in_a_json_round_trip() -> None:
    """DSPy's own JSON loses the ids of tool calls, and native replay drops calls without an id."""
    agent = V2("question -> answer", tools=[find])

    def program(keep: bool) -> None:
        history = agent(question="Q1?").history
        if not keep:
            history = dspy.History.model_validate_json(history.model_dump_json())
        agent(question="Q2?", history=history)

    plan = [LOOK, DONE, NewRun(remembers=True), DONE]
    with dspy.context(adapter=dspy.ChatAdapter(use_native_function_calling=True)):
        with Script(plan):
            program(keep=True)
        message = failure(Script(plan), lambda: program(keep=False))
        assert "the observation 'found x' is missing" in message
        with Script([LOOK, DONE, DONE]):  # not asked to remember
            program(keep=False)


@pytest.mark.dspy(">=3.3")
def test_a_run_that_should_be_out_of_turns_is_not() -> None:
    """Under native function calling a forced submit shows in the request."""
    with dspy.context(adapter=dspy.ChatAdapter(use_native_function_calling=True)):
        agent = V2("question -> answer", tools=[find], max_iters=2)
        message = failure(Script([LOOK, OutOfTurns({"answer": "A"})]), lambda: agent(question="Q?"))
        assert message.startswith("step 2 of the plan is OutOfTurns(")
        message = failure(Script([LOOK, LOOK, DONE]), lambda: agent(question="Q?"))
        assert message.startswith("step 3 of the plan is Finish(")
        message = failure(Script([LOOK, LOOK, LOOK, DONE]), lambda: agent(question="Q?"))
    assert message.startswith("step 3 of the plan is Act(")
    assert "but the program asks for a forced submit" in message


class Stopped(BaseException):
    """Leaves the agent, which takes an `Exception` for the tool's result."""


@pytest.mark.parametrize("kind", GENERATIONS, ids=lambda kind: kind.__name__)
def test_a_broken_off_run_is_followed_by_another(kind: Any) -> None:
    def stop() -> None:
        raise Stopped

    def program() -> None:
        agent = kind("question -> answer", tools=[find, stop])
        with contextlib.suppress(Stopped):
            agent(question="Q?")
        agent(question="Q?")

    with Script([LOOK, Act("Stop.", Call("stop")), NewRun(), LOOK, DONE]):
        program()
    message = failure(Script([LOOK, Act("Stop.", Call("stop")), LOOK, DONE]), program)
    assert message.startswith("the prompt hides what the model has already seen: ")


def test_a_request_that_no_adapter_wrote() -> None:
    message = failure(Script([DONE]), lambda: dspy.settings.lm("How are you?"))
    assert message.startswith("a script answers requests that ChatAdapter, JSONAdapter or XMLAdapter wrote")
    assert "'How are you?'" in message


def test_no_plan_for_a_request() -> None:
    script = Script({"first": [Answer({"answer": "A"})]})
    message = failure(script, lambda: dspy.Predict("question -> answer")(question="second"))
    assert message.startswith("no plan for this request: it contains none of 'first'")
