"""A user's own adapters show an RLM's history, and are left as they were."""

from __future__ import annotations

from typing import Any

import dspy
import pytest
from rlm_runs import (
    LOOK,
    QUESTION,
    SUBMIT,
    Way,
    answer,
    both_ways,
    rlm,
    run,
)
from scripted import TEXT, ScriptedLM

pytestmark = pytest.mark.dspy(">=3.3")


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


class Everything(dspy.ChatAdapter):  # type: ignore[misc]
    """A user's adapter that shows all inputs that are left, as DSPy's method leaves them."""

    def format(self, signature: Any, demos: Any, inputs: dict[str, Any]) -> Any:
        system = {"role": "system", "content": self.format_system_message(signature)}
        history = self.format_conversation_history(signature.delete("history"), "history", inputs)
        return [system, *history, {"role": "user", "content": " ".join(inputs)}]


def test_the_history_is_taken_out_of_the_inputs_as_dspy_does() -> None:
    _, lm = Way(adapter=Everything()).run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert lm.conversation(1)[-1] == ("user", "variables_info iteration")
