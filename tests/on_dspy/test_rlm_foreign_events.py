"""What an RLM's model is shown of a ReAct's turns, a chat's, another RLM's and a converted run's."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pytest
from rlm_messages import conversation, without_reminder
from rlm_runs import (
    ADAPTERS,
    AGAIN,
    SUBMIT,
    Way,
    act,
    answer,
    first,
    rlm,
    run,
)
from scripted import TEXT, ScriptedLM, submit, turn

from react_shims import dump_history, load_history
from react_shims.transition import v2_class

pytestmark = pytest.mark.dspy(">=3.3")


def search(text: str) -> str:
    return f"found {text}"


def history_of_a_react(adapter: Any) -> Any:
    lm = ScriptedLM(
        [turn("I search.", ("search", {"text": "it"})), submit(answer="here")],
        native=adapter.use_native_function_calling,
    )
    react: Any = v2_class()
    with dspy.context(lm=lm.lm, adapter=adapter):
        return react("question -> answer", tools=[search])(question="where?").history


both_callings = pytest.mark.parametrize("name", ["ChatAdapter-text", "ChatAdapter-native"])


@both_callings
def test_turns_of_a_react_in_the_same_history(name: str) -> None:
    adapter = ADAPTERS[name]
    mixed = dspy.History(messages=[*history_of_a_react(adapter).messages, *first().history.messages])
    for continued in (
        mixed,
        load_history(dump_history(mixed)),
        load_history(json.dumps(dump_history(mixed))),
    ):
        _, lm = Way(adapter=adapter).run(rlm(), [SUBMIT], **AGAIN, history=continued)
        (asked, question), (said, thought), (told, result), *_ = lm.conversation(0)
        assert (asked, said) == ("user", "assistant")
        assert question.endswith("where?")
        assert "I search." in thought
        assert told == ("tool" if name.endswith("native") else "user")
        assert "found it" in result
        assert "How long is it?" in lm.shown(0)
        assert "\nNone" not in lm.shown(0)


@both_callings
def test_a_turn_of_a_react_without_a_thought(name: str) -> None:
    adapter = ADAPTERS[name]
    history = history_of_a_react(adapter)
    for event in history.messages:
        del event["next_thought"]
    _, lm = Way(adapter=adapter).run(rlm(), [SUBMIT], **AGAIN, history=history)
    assert "found it" in "".join(text for _, text in lm.conversation(0))
    assert "None" not in lm.shown(0)
    assert "next_thought" not in lm.shown(0)


def test_a_chats_questions_and_answers() -> None:
    history = [{"context": "a b", "query": "how many?", "answer": 2}]
    _, lm = run(rlm(), [SUBMIT], **AGAIN, history=history)
    (asked, question), (said, reply), _ = conversation(lm, 0)
    assert (asked, said) == ("user", "assistant")
    assert "how many?" in question
    assert reply.startswith("[[ ## answer ## ]]\n2")


def test_a_chat_about_something_that_is_called_like_an_actions_field() -> None:
    agent = rlm("code -> reasoning")
    history = [{"code": "x = 1", "reasoning": "It assigns."}]
    _, lm = run(agent, [act("SUBMIT('y')")], code="y = 2", history=history)
    (asked, question), (said, reply), _ = conversation(lm, 0)
    assert (asked, said) == ("user", "assistant")
    assert "Variable: `code`" in question
    assert "x = 1" in question
    assert reply.startswith("[[ ## reasoning ## ]]\nIt assigns.")
    assert "[[ ## code ## ]]" not in reply


def test_an_action_that_a_processor_wrote() -> None:
    """It is told by what the model was asked, whatever the outputs of the RLM are called."""
    written = {"variables_info": "none", "reasoning": "Because.", "code": "print(1)"}
    agent = rlm("context -> code", history_processor=lambda history: dspy.History(messages=[written]))
    _, lm = run(agent, [act("SUBMIT('y')")], context="c")
    assert lm.conversation(0)[1] == (
        "assistant",
        TEXT.format_assistant_message_content(agent.generate_action.signature, written),
    )


def test_large_inputs_of_a_chat_are_shown_as_variables() -> None:
    history = [{"context": "x" * 50_000, "query": "how many?", "answer": 2}]
    _, lm = run(rlm(), [SUBMIT], **AGAIN, history=history)
    assert "Total length: 50,000 characters" in lm.shown(0)
    assert "x" * 1_001 not in lm.shown(0)


def test_an_event_that_does_not_say_what_the_model_was_told() -> None:
    """As the events of a converted trajectory."""
    described = first().history
    for event in described.messages:
        event.pop("iteration")
    bare = dspy.History(messages=[dict(event) for event in described.messages])
    for event in bare.messages:
        event.pop("variables_info")
    shown = [run(rlm(), [SUBMIT], **AGAIN, history=each)[1].conversation(0) for each in (described, bare)]
    assert without_reminder(shown[0][0]) == without_reminder(shown[1][0])


def test_an_event_of_an_rlm_with_other_fields() -> None:
    other, _ = run(rlm("text -> words: int", max_iters=1), [act("print(1)"), answer(words=3)], text="a b c")
    _, lm = run(rlm(), [SUBMIT], **AGAIN, history=other.history)
    shown = conversation(lm, 0)
    assert [role for role, _ in shown] == ["user", "assistant", "user", "assistant", "user"]
    assert shown[3][1].startswith("[[ ## words ## ]]\n3")


def test_an_input_that_is_called_tool_calls() -> None:
    agent = rlm("tool_calls, query -> answer: int")
    given = {"tool_calls": {"tool_calls": [{"name": "not", "args": {}}]}, "query": "?"}
    prediction, _ = run(agent, [act("print(1)"), act("SUBMIT(1)")], **given)
    _, lm = run(agent, [act("SUBMIT(1)")], **given, history=prediction.history)
    assert [role for role, _ in lm.conversation(0)] == ["user", "assistant", "user"] * 2 + ["user"]
