"""What the model is shown of an RLM's history, through every adapter of DSPy's."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pytest
from rlm_messages import conversation, expected, stripped
from rlm_runs import (
    AGAIN,
    LOOK,
    QUESTION,
    SUBMIT,
    Way,
    act,
    answer,
    both_ways,
    first,
    rlm,
    run,
    with_every_adapter,
)
from scripted import ScriptedLM, say

from react_shims import dump_history, load_history

pytestmark = pytest.mark.dspy(">=3.3")


@with_every_adapter
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_an_iteration_is_an_action_and_its_output(adapter: Any, asynchronous: bool) -> None:
    agent = rlm()
    prediction, lm = Way(asynchronous, adapter).run(agent, [LOOK, act("print(2)"), SUBMIT], **QUESTION)
    one, two, _ = prediction.history.messages
    shown = [*expected(adapter, one, agent), *expected(adapter, two, agent)]
    assert conversation(lm, 2)[:-1] == stripped(shown)


@with_every_adapter
def test_every_request_goes_on_from_the_one_before(adapter: Any) -> None:
    """So that a provider's cache of the prompt holds: nothing that the model has seen is shown otherwise."""
    agent = rlm()
    replies = [LOOK, act("print(2)"), SUBMIT, LOOK, SUBMIT]
    lm = ScriptedLM(replies)
    prediction, _ = Way(adapter=adapter).run(agent, lm, **QUESTION)
    Way(adapter=adapter).run(agent, lm, **AGAIN, history=prediction.history)
    for request in range(1, len(replies)):
        before = conversation(lm, request - 1)
        assert conversation(lm, request)[: len(before)] == before
        assert lm.prompts[request].system == lm.prompts[0].system


@with_every_adapter
def test_a_reloaded_history_shows_the_very_same(adapter: Any) -> None:
    history = first(max_iters=5).history
    extracted, _ = run(rlm(max_iters=1), [LOOK, answer(answer=4)], **QUESTION, history=history)
    dumps = {
        "live": extracted.history,
        "dump_history": json.loads(json.dumps(dump_history(extracted.history))),
        "load_history": load_history(json.dumps(dump_history(extracted.history))),
        "pydantic's": dspy.History.model_validate_json(extracted.history.model_dump_json()),
        "pydantic's dict": dspy.History.model_validate(extracted.history.model_dump()),
        "its text": extracted.history.model_dump_json(),
    }
    shown = {}
    for name, history in dumps.items():
        _, lm = Way(adapter=adapter).run(rlm(), [SUBMIT], **AGAIN, history=history)
        shown[name] = lm.prompts[0].messages
    assert [name for name, messages in shown.items() if messages != shown["live"]] == []
    assert len(shown["live"]) == 12


@with_every_adapter
def test_extracted_outputs_are_said_by_the_assistant(adapter: Any) -> None:
    agent = rlm("context, query -> answer: int, names: list[str]", max_iters=1)
    replies = [LOOK, answer(answer=4, names=["a", "b"])]
    prediction, lm = Way(adapter=adapter).run(agent, replies, **QUESTION)
    _, lm = Way(adapter=adapter).run(agent, [act("SUBMIT(1, [])")], **AGAIN, history=prediction.history)
    signature = dspy.Signature("-> answer: int, names: list[str]")
    said = adapter.format_assistant_message_content(signature, {"answer": 4, "names": ["a", "b"]})
    assert stripped([("assistant", said)]) == conversation(lm, 0)[3:4]


@pytest.mark.parametrize("name", ["code", "reasoning"])
def test_extracted_outputs_that_are_called_like_an_actions(name: str) -> None:
    agent = rlm(f"context -> {name}", max_iters=1)
    prediction, _ = run(agent, [act("print(1)"), answer(**{name: "the result"})], context="c")
    _, lm = run(rlm(f"context -> {name}"), [act("SUBMIT('x')")], context="d", history=prediction.history)
    role, text = conversation(lm, 0)[3]
    assert role == "assistant"
    assert text.startswith(f"[[ ## {name} ## ]]\nthe result")
    assert "None" not in text


@both_ways
def test_the_json_retry_shows_the_same_history(way: Way) -> None:
    agent = rlm()
    _, lm = way.run(agent, [LOOK, say("I'd rather not."), SUBMIT], **QUESTION)
    json_adapter = dspy.JSONAdapter(use_native_function_calling=False)
    prediction, _ = way.run(rlm(), [LOOK, SUBMIT], **QUESTION)
    shown = expected(json_adapter, prediction.history.messages[0], agent)
    assert "Outputs will be a JSON object" in lm.prompts[2].system
    assert conversation(lm, 2)[:-1] == stripped(shown)


def test_xml_retries_as_json_too() -> None:
    adapter = dspy.XMLAdapter()
    _, lm = Way(adapter=adapter).run(rlm(), [LOOK, say("<not xml"), SUBMIT], **QUESTION)
    role, text = conversation(lm, 2)[1]
    assert role == "assistant"
    assert json.loads(text) == {"reasoning": "How long is it?", "code": "print(len(context))"}
