"""A conversation in one history: who owns it, ids that do not repeat, answers of a chat."""

from __future__ import annotations

import copy
from typing import Any

import dspy
import pytest
from scripted import submit, turn
from ways import Way, in_every_way, look, search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

SYNC = Way(asynchronous=False, native=False)


def agent(**options: Any) -> Any:
    return ReAct("question -> answer", tools=[search], **options)


def ids(history: Any) -> list[str]:
    return [call.id for event in history.messages for call in event["tool_calls"].tool_calls]


def result_ids(history: Any) -> list[str]:
    return [
        result.call_id
        for event in history.messages
        for result in event["tool_calls"].tool_call_results.tool_call_results
    ]


@in_every_way
def test_by_default_the_callers_history_is_extended(way: Way) -> None:
    given = dspy.History(messages=[])
    first = way.ask(agent(), way.lm([submit(answer="x")]), question="why?", history=given)
    second = way.ask(agent(), way.lm([submit(answer="y")]), question="and then?", history=given)
    assert first.history is second.history is given
    assert len(given.messages) == 2


@in_every_way
def test_copy_history_never_touches_the_callers(way: Way) -> None:
    given = way.ask(agent(), way.lm([submit(answer="x")]), question="why?").history
    before = copy.deepcopy(given)
    lm = way.lm([turn("two", look("b")), submit(answer="y")])
    prediction = way.ask(agent(copy_history=True), lm, question="and then?", history=given)
    assert given == before
    assert prediction.history is not given
    assert prediction.history.messages[0] is given.messages[0]
    assert len(prediction.history.messages) == 3
    assert "why?" in lm.shown(0)
    assert prediction.trajectory["thought_0"] == "two"


@in_every_way
@pytest.mark.parametrize("copy_history", [False, True])
def test_ids_do_not_repeat_in_a_conversation(way: Way, copy_history: bool) -> None:
    history = dspy.History(messages=[])
    program = agent(copy_history=copy_history, max_iters=2)
    for number in range(3):
        lm = way.lm([turn("one", look("a"), look("b")), turn("two", look("c")), submit(answer="x")])
        history = way.ask(program, lm, question=f"{number}?", history=history).history
    assert len(ids(history)) == 12
    assert len(set(ids(history))) == 12
    assert result_ids(history) == ids(history)


@in_every_way
def test_a_continued_conversation_shows_every_call_and_result(way: Way) -> None:
    first = way.ask(agent(), way.lm([turn("one", look("a")), submit(answer="x")]), question="why?")
    lm = way.lm([turn("two", look("b")), submit(answer="y")])
    way.ask(agent(), lm, question="and then?", history=first.history)
    shown = lm.shown(1)
    for text in ("why?", "found a", "and then?", "found b"):
        assert shown.count(text) == 1


def test_in_a_fresh_conversation_the_ids_are_v2s() -> None:
    histories = []
    for program in (v2_class()("question -> answer", tools=[search], max_iters=4), agent(max_iters=4)):
        lm = SYNC.lm([turn("one", look("a"), look("b")), turn("nothing"), submit(answer="x")])
        histories.append(SYNC.ask(program, lm, question="why?").history)
    assert ids(histories[0]) == ids(histories[1])


def test_ids_that_the_provider_repeats_are_replaced() -> None:
    class Repeating(dspy.Predict):
        def forward(self, **inputs: Any) -> Any:
            prediction = super().forward(**inputs)
            calls = [call.model_copy(update={"id": "same"}) for call in prediction.tool_calls.tool_calls]
            prediction.tool_calls = dspy.ToolCalls(tool_calls=calls)
            return prediction

    program = agent()
    program.react = Repeating(program.react.signature)
    lm = SYNC.lm([turn("one", look("a"), look("b")), turn("two", look("c")), submit(answer="x")])
    history = SYNC.ask(program, lm, question="why?").history
    assert ids(history)[0] == "same"
    assert len(set(ids(history))) == 4
    assert result_ids(history) == ids(history)


# --- chats --------------------------------------------------------------------------------------------------


@in_every_way
def test_answers_of_a_chat_are_shown(way: Way) -> None:
    chat = dspy.History(
        messages=[
            {"question": "What is the capital of France?", "answer": "Paris"},
            {"question": "And of Spain?", "answer": "Madrid"},
        ]
    )
    before = copy.deepcopy(chat.messages)
    lm = way.lm([turn("one", look("a")), submit(answer="Rome")])
    prediction = way.ask(agent(), lm, question="And of Italy?", history=chat)
    for request in (0, 1):
        shown = lm.shown(request)
        assert shown.index("capital of France?") < shown.index("Paris") < shown.index("Madrid")
        assert shown.index("Madrid") < shown.index("And of Italy?")
        assert "None" not in shown
    assert prediction.history is chat
    assert chat.messages[:2] == before, "the caller's events stay as they are"
    assert prediction.trajectory["thought_0"] == "one"


@in_every_way
def test_answers_that_are_objects_are_shown(way: Way) -> None:
    import pydantic

    class Place(pydantic.BaseModel):
        name: str

    class Opaque:
        def __str__(self) -> str:
            return "an opaque thing"

    pairs = [{"question": "Where?", "answer": Place(name="Paris")}, {"question": "What?", "answer": Opaque()}]
    lm = way.lm([submit(answer="x")])
    way.ask(agent(), lm, question="why?", history=dspy.History(messages=pairs))
    assert "Paris" in lm.shown(0)
    assert "an opaque thing" in lm.shown(0)


def test_chat_events_without_an_answer_are_left_as_they_are() -> None:
    chat = dspy.History(messages=[{"question": "unanswered"}])
    prompts = []
    for program in (v2_class()("question -> answer", tools=[search]), agent()):
        lm = SYNC.lm([submit(answer="x")])
        SYNC.ask(program, lm, question="why?", history=dspy.History(messages=list(chat.messages)))
        prompts.append(lm.prompts)
    assert prompts[0] == prompts[1]


@in_every_way
def test_what_a_tool_takes_out_of_the_history_is_shown_no_longer(way: Way) -> None:
    chat = dspy.History(messages=[{"question": f"old {n}", "answer": f"answer {n}"} for n in range(3)])

    def forget(query: str) -> str:
        del chat.messages[:2]
        return "forgotten"

    lm = way.lm([turn("one", ("forget", {"query": ""})), turn("two", look("b")), submit(answer="x")])
    prediction = way.ask(
        ReAct("question -> answer", tools=[forget, search]), lm, question="why?", history=chat
    )
    assert "old 0" in lm.shown(0)
    for request in (1, 2):
        shown = lm.shown(request)
        assert "old 1" not in shown
        assert shown.index("answer 2") < shown.index("why?") < shown.index("forgotten")
    assert len(prediction.history.messages) == 4
