"""What the model is shown of an RLM's history, through DSPy's adapters and users' own."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pytest
from rlm_runs import (
    ADAPTERS,
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
from scripted import TEXT, ScriptedLM, say, submit, turn

from react_shims import dump_history, load_history
from react_shims.transition import v2_class

pytestmark = pytest.mark.dspy(">=3.3")

Messages = list[tuple[str, str]]

SHOWN_OUTPUT = dspy.Signature({"repl_output": (str, dspy.InputField())})


def expected(adapter: Any, event: Any, agent: Any) -> Messages:
    """What DSPy's own adapter makes of the parts of one iteration's event."""
    signature, entry = agent.generate_action.signature, event["repl_entry"]
    action = {"reasoning": entry.reasoning, "code": entry.code}
    return [
        ("user", adapter.format_user_message_content(signature, event)),
        ("assistant", adapter.format_assistant_message_content(signature, action)),
        ("user", adapter.format_user_message_content(SHOWN_OUTPUT, {"repl_output": entry.output})),
    ]


def without_reminder(message: tuple[str, str]) -> tuple[str, str]:
    """A request's message without how to respond, which DSPy 3.4 repeats in the history, and 3.3 does not."""
    role, text = message
    return role, text.split("\n\nRespond with ")[0].strip()


def conversation(lm: ScriptedLM, request: int) -> Messages:
    return [without_reminder(message) for message in lm.conversation(request)]


def stripped(messages: Messages) -> Messages:
    return [(role, text.strip()) for role, text in messages]


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


class Shouting(dspy.ChatAdapter):  # type: ignore[misc]
    """A user's adapter, with a format of its own."""

    def format_user_message_content(self, *args: Any, **options: Any) -> str:
        return "USER: " + str(super().format_user_message_content(*args, **options))


class Counting(dspy.ChatAdapter):  # type: ignore[misc]
    """A user's adapter that makes messages of a history itself."""

    def format_conversation_history(self, signature: Any, history_field_name: str, inputs: Any) -> Any:
        messages = super().format_conversation_history(signature, history_field_name, inputs)
        return [{**message, "content": f"{message['content']} (of {len(messages)})"} for message in messages]


class Wrapping(dspy.Adapter):  # type: ignore[misc]
    """A user's adapter that asks another one."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = dspy.ChatAdapter()

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.inner(*args, **options)

    async def acall(self, *args: Any, **options: Any) -> Any:
        return await self.inner.acall(*args, **options)


@both_ways
def test_a_users_adapter_formats_every_message(way: Way) -> None:
    _, lm = way._replace(adapter=Shouting()).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    users = [text for role, text in lm.conversation(1) if role == "user"]
    assert len(users) == 3
    assert all(text.startswith("USER: ") for text in users)


def test_a_users_own_history_method_is_asked() -> None:
    _, lm = Way(adapter=Counting()).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    action = lm.conversation(1)[1]
    assert action[0] == "assistant"
    assert action[1].endswith("(of 2)")


@both_ways
def test_an_adapter_around_another_one(way: Way) -> None:
    _, direct = way._replace(adapter=dspy.ChatAdapter()).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    _, wrapped = way._replace(adapter=Wrapping()).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert wrapped.prompts == direct.prompts


def test_a_program_without_an_adapter_gets_dspys_default() -> None:
    lm = ScriptedLM([LOOK, SUBMIT])
    dspys, other = ScriptedLM([answer(answer=1)]), dspy.Predict("question -> answer")
    with dspy.context(adapter=None):
        with dspy.context(lm=lm.lm):
            rlm()(**QUESTION)
        with dspy.context(lm=dspys.lm):
            other(question="?")
    markers = "[[ ## question ## ]]" in dspys.prompts[0].text
    assert ("[[ ## repl_output ## ]]\n13" in lm.shown(1)) is markers
    assert ("<repl_output>\n13" in lm.shown(1)) is not markers


def test_the_users_adapter_is_left_as_it_was() -> None:
    adapter = Wrapping()
    before = (dict(vars(adapter)), dict(vars(adapter.inner)))
    Way(adapter=adapter).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert (dict(vars(adapter)), dict(vars(adapter.inner))) == before


def test_callbacks_hear_of_a_format_as_often_as_ever() -> None:
    class Heard(dspy.utils.BaseCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            self.formats: list[str] = []

        def on_adapter_format_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            self.formats.append(type(instance).__name__)

    heard, dspys = Heard(), Heard()
    with dspy.context(callbacks=[heard]):
        run(rlm(), [LOOK, SUBMIT], **QUESTION)
    lm = ScriptedLM([answer(answer=1)] * 2)
    with dspy.context(callbacks=[dspys], lm=lm.lm, adapter=TEXT):
        predict = dspy.Predict("question -> answer")
        predict(question="?")
        predict(question="?")
    assert heard.formats == dspys.formats


# --- outputs that are long ----------------------------------------------------------------------------------


def output_shown(limit: int, length: int) -> str:
    code = f"print('h' * {length // 2} + 't' * {length - length // 2})"
    _, lm = run(rlm(max_output_chars=limit), [act(code), SUBMIT], **QUESTION)
    role, text = lm.conversation(1)[2]
    assert role == "user"
    return text.removeprefix("[[ ## repl_output ## ]]\n")


def test_a_long_output_keeps_its_head_and_its_tail() -> None:
    assert output_shown(limit=10, length=110) == "hhhhh\n... (100 characters omitted) ...\nttttt"


def test_a_limit_that_is_odd_gives_the_tail_one_more() -> None:
    assert output_shown(limit=5, length=2000) == "hh\n... (1,995 characters omitted) ...\nttt"


def test_an_output_of_the_limits_length_is_shown_whole() -> None:
    assert output_shown(limit=100, length=100) == "h" * 50 + "t" * 50


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_below_nothing(limit: int) -> None:
    assert output_shown(limit=limit, length=4).strip() == "... (4 characters omitted) ..."


def test_the_default_limit_is_dspys() -> None:
    shown = output_shown(limit=10_000, length=10_001)
    assert "\n... (1 characters omitted) ...\n" in shown
    assert len(shown) < 10_050


def test_the_event_keeps_the_whole_output() -> None:
    prediction, _ = run(rlm(max_output_chars=10), [act("print('x' * 500)"), SUBMIT], **QUESTION)
    assert prediction.history.messages[0]["repl_entry"].output == "x" * 500
    assert prediction.repl_trajectory[0]["output"] == "x" * 500


def test_the_length_of_an_output_is_not_told() -> None:
    _, lm = run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert "chars" not in lm.conversation(1)[2][1]


# --- events of others ---------------------------------------------------------------------------------------


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


class Everything(dspy.ChatAdapter):  # type: ignore[misc]
    """A user's adapter that shows all inputs that are left, as DSPy's method leaves them."""

    def format(self, signature: Any, demos: Any, inputs: dict[str, Any]) -> Any:
        system = {"role": "system", "content": self.format_system_message(signature)}
        history = self.format_conversation_history(signature.delete("history"), "history", inputs)
        return [system, *history, {"role": "user", "content": " ".join(inputs)}]


def test_the_history_is_taken_out_of_the_inputs_as_dspy_does() -> None:
    _, lm = Way(adapter=Everything()).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert lm.conversation(1)[-1] == ("user", "variables_info iteration")


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
