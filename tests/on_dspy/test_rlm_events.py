"""What a run of `react_shims.RLM` leaves: its events, and the fields of its prediction."""

from __future__ import annotations

import logging
from typing import Any

import dspy
import pydantic
import pytest
from dspy.primitives.repl_types import REPLEntry
from dspy.utils.exceptions import AdapterParseError
from rlm_runs import LOOK, QUESTION, SUBMIT, InProcess, Way, act, answer, both_ways, first, rlm, run
from scripted import say

pytestmark = pytest.mark.dspy(">=3.3")


def plain(history: Any) -> list[dict[str, Any]]:
    """The events with their entries as dicts, `variables_info` left out."""
    dumped: list[dict[str, Any]] = dspy.History.model_dump(history)["messages"]
    return [{name: value for name, value in event.items() if name != "variables_info"} for event in dumped]


def entry(reasoning: str, code: str, output: str) -> dict[str, str]:
    return {"__dspy_repl__": "entry", "reasoning": reasoning, "code": code, "output": output}


EXTRACTED = {"__dspy_repl__": "extract_fallback"}


@both_ways
def test_a_run_has_an_event_per_iteration(way: Way) -> None:
    prediction = first(way, max_iters=5)
    assert plain(prediction.history) == [
        {
            **QUESTION,
            "iteration": "1/5",
            "repl_entry": entry("How long is it?", "print(len(context))", "13"),
        },
        {
            "iteration": "2/5",
            "repl_entry": entry("That is it.", "SUBMIT(len(context))", "FINAL: {'answer': 13}"),
            "answer": 13,
        },
    ]


@both_ways
def test_an_events_keys_are_in_the_order_of_what_happened(way: Way) -> None:
    one, two = first(way).history.messages
    assert list(one) == ["context", "query", "variables_info", "iteration", "repl_entry"]
    assert list(two) == ["variables_info", "iteration", "repl_entry", "answer"]


def test_every_event_has_what_the_model_was_told_of_the_variables() -> None:
    prediction, lm = run(rlm(), [LOOK, SUBMIT], **QUESTION)
    for request, event in enumerate(prediction.history.messages):
        for described in event["variables_info"]:
            assert all(line.strip() in lm.shown(request) for line in described.splitlines())


def test_the_inputs_are_in_the_event_as_they_were_given() -> None:
    given = {"context": ["a list", {"of": "things"}], "query": "x" * 100_000}
    prediction, lm = run(rlm(), [SUBMIT], **given)
    event = prediction.history.messages[0]
    assert all(event[name] is value for name, value in given.items())
    assert "x" * 1_001 not in lm.shown(0)  # the model sees the beginning and the end


@both_ways
def test_entries_are_dspys_own(way: Way) -> None:
    for event in first(way).history.messages:
        assert isinstance(event["repl_entry"], REPLEntry)


@both_ways
def test_when_the_iterations_run_out_an_event_has_the_extracted_outputs(way: Way) -> None:
    prediction, lm = way.run(rlm(max_iters=2), [LOOK, LOOK, answer(answer=4)], **QUESTION)
    assert prediction.answer == 4
    iterations = [event.get("iteration") for event in prediction.history.messages]
    assert iterations == ["1/2", "2/2", None]
    assert plain(prediction.history)[2] == {"repl_entry": EXTRACTED, "answer": 4}
    assert len(prediction.repl_trajectory) == 2
    assert len(lm.prompts) == 3


@both_ways
def test_without_an_iteration_the_event_of_the_outputs_has_the_inputs(way: Way) -> None:
    prediction, _ = way.run(rlm(max_iters=0), [answer(answer=4)], **QUESTION)
    assert plain(prediction.history) == [{**QUESTION, "repl_entry": EXTRACTED, "answer": 4}]
    assert prediction.repl_trajectory == []


def test_a_reasoning_that_reads_like_the_fallbacks_is_none() -> None:
    submit = act("SUBMIT(1)", "Extract forced final output")
    prediction, _ = run(rlm(), [submit], **QUESTION)
    [event] = plain(prediction.history)
    assert event["repl_entry"]["code"] == "SUBMIT(1)"


@both_ways
def test_the_prediction_has_what_dspys_has_and_the_history(way: Way) -> None:
    dspys = dspy.RLM("context, query -> answer: int", interpreter_factory=InProcess)
    expected, _ = way.run(dspys, [LOOK, SUBMIT], **QUESTION)
    prediction = first(way)
    assert set(prediction.keys()) == {"answer", "history", "repl_trajectory", "final_reasoning"}
    assert prediction.answer == expected.answer
    assert prediction.final_reasoning == expected.final_reasoning == "That is it."
    assert prediction.repl_trajectory == expected.trajectory


def test_the_extract_predictor_sees_this_run_and_nothing_before_it() -> None:
    earlier = first().history
    replies = [act("print(2)", "Second."), answer(answer=2)]
    _, lm = run(rlm(max_iters=1), replies, context="c", query="new?", history=earlier)
    extract = lm.prompts[1]
    assert "Second." in extract.text
    assert "That is it." not in extract.text
    assert [message.role for message in extract.messages] == ["system", "user"]
    assert "`history`" not in extract.system
    assert "`repl_history`" in extract.system


def test_the_action_predictor_has_no_repl_history() -> None:
    _, lm = run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert all("repl_history" not in prompt.system + prompt.text for prompt in lm.prompts)
    assert "repl_history" not in rlm().generate_action.signature.fields


class Shape(pydantic.BaseModel):
    sides: int


@both_ways
def test_outputs_that_are_no_texts(way: Way) -> None:
    signature = dspy.Signature("n: int -> shape: Shape, names: list[str]", custom_types={"Shape": Shape})
    agent = rlm(signature)
    code = "SUBMIT(shape={'sides': n}, names=['a', 'b'])"
    prediction, _ = way.run(agent, [act(code)], n=3)
    [event] = prediction.history.messages
    assert event["shape"] == prediction.shape == Shape(sides=3)
    assert event["names"] == ["a", "b"]


class Listing(InProcess):
    """Returns what was printed as a list of lines, as an interpreter may; None when it is nothing."""

    def execute(self, code: str, variables: dict[str, Any] | None = None) -> Any:
        result = super().execute(code, variables)
        return (result.splitlines() or None) if isinstance(result, str) else result


def test_printed_output_that_is_no_text() -> None:
    agent = rlm(interpreter_factory=Listing)
    prediction, _ = run(agent, [act("print(1); print(2)"), act("x = 1"), SUBMIT], **QUESTION)
    outputs = [event["repl_entry"].output for event in prediction.history.messages]
    assert outputs[0] == "1\n2"
    assert outputs == [step["output"] for step in prediction.repl_trajectory]


def test_code_that_fails_and_answers_that_do_not_fit() -> None:
    replies = [act("1 / 0"), act("SUBMIT('many')"), act("```sql\nSELECT 1\n```"), act("def"), SUBMIT]
    prediction, lm = run(rlm(), replies, **QUESTION)
    outputs = [event["repl_entry"].output for event in prediction.history.messages]
    assert "division by zero" in outputs[0]
    assert outputs[1].startswith("[Type Error] answer")
    assert "sql" in outputs[2]
    assert outputs[3].startswith("[Error]")
    for request, output in enumerate(outputs[:-1]):
        assert output in lm.shown(request + 1)


@both_ways
def test_an_empty_reasoning(way: Way) -> None:
    prediction, lm = way.run(rlm(), [act("print(1)", ""), SUBMIT], **QUESTION)
    assert prediction.history.messages[0]["repl_entry"].reasoning == ""
    assert "None" not in lm.shown(1)


@both_ways
def test_a_reasoning_of_dspys_type(way: Way) -> None:
    agent = rlm()
    action = agent.generate_action
    action.signature = action.signature.with_updated_fields("reasoning", type_=dspy.Reasoning)
    prediction, lm = way.run(agent, [LOOK, SUBMIT], **QUESTION)
    assert prediction.history.messages[0]["repl_entry"].reasoning == "How long is it?"
    assert prediction.repl_trajectory[0]["reasoning"] == "How long is it?"
    assert "How long is it?" in lm.shown(1)


@both_ways
def test_a_run_that_fails_midway(way: Way) -> None:
    earlier = first().history
    before = earlier.model_dump_json()
    agent = rlm()
    InProcess.made.clear()
    with pytest.raises(RuntimeError, match="the interpreter is broken"):
        way.run(agent, [LOOK, act(f"# {InProcess.broken}")], **QUESTION, history=earlier)
    assert earlier.model_dump_json() == before
    assert all(interpreter.is_shut_down for interpreter in InProcess.made)
    prediction, lm = way.run(agent, [SUBMIT], **QUESTION)
    assert len(prediction.history.messages) == 1
    assert "How long is it?" not in lm.shown(0)


@both_ways
def test_a_model_that_fails(way: Way) -> None:
    agent = rlm()
    with pytest.raises(AdapterParseError):
        way.run(agent, [LOOK, say("No."), say("No.")], **QUESTION)  # the second as JSON
    assert type(agent.generate_action) is dspy.Predict
    assert way.run(agent, [SUBMIT], **QUESTION)[0].answer == 13


def test_nothing_is_logged_about_the_inputs(caplog: pytest.LogCaptureFixture) -> None:
    """DSPy warns about inputs that a predictor's signature does not have, or that are missing."""
    with caplog.at_level(logging.WARNING):
        first()
    assert not [record for record in caplog.records if "fields" in record.getMessage()]
