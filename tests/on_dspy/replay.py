"""Histories made by real runs, and what a language model is sent when a conversation goes on from them."""

from __future__ import annotations

import json
from typing import Any

import dspy
from scripted import NATIVE, TEXT, ScriptedLM, submit, turn

from react_shims.transition import v2_class

V2: Any = v2_class()

ADAPTERS = (
    {
        f"{kind.__name__}-{'native' if native else 'text'}": kind(use_native_function_calling=native)
        for kind in (dspy.ChatAdapter, dspy.JSONAdapter, dspy.XMLAdapter)
        for native in (True, False)
    }
    if V2
    else {}
)


class Stopped(BaseException):
    """Ends a run at its first request. No Exception: adapters catch those and ask again."""


class Recorder:
    """A model that answers nothing: an engine for `dspy.LM` on DSPy 3.4 and later."""

    def __init__(self, function_calling: bool) -> None:
        self.supports_function_calling = function_calling
        self.request: Any = None

    def complete(self, request: Any) -> Any:
        self.request = request
        raise Stopped

    def close(self) -> None:
        """Nothing to close."""


def recorder_before_34(function_calling: bool) -> Any:
    """The same for DSPy 3.3, where a model is a subclass of BaseLM."""

    class Recorder(dspy.BaseLM):  # type: ignore[misc]
        supports_function_calling = function_calling

        def forward(self, prompt: Any = None, messages: Any = None, **options: Any) -> Any:
            self.request = messages
            raise Stopped

    return Recorder("recorder", cache=False)


def find(query: str) -> str:
    return f"found {query}"


def fail(code: int) -> str:
    raise ValueError(f"code {code}")


def agent(*tools: Any) -> Any:
    return V2("question -> answer", tools=[find, fail, *tools])


def run(replies: list[Any], *, native: bool, max_iters: int = 20, tools: Any = (), **inputs: Any) -> Any:
    """A prediction of a real agent whose model gives these replies."""
    adapter = NATIVE if native else TEXT
    with dspy.context(lm=ScriptedLM(replies, native=native).lm, adapter=adapter):
        return agent(*tools)(**{"question": "first?", "max_iters": max_iters, **inputs})


def eventful(*, native: bool) -> Any:
    """A run with parallel calls, a failing tool, an unknown one and a rejected submit."""
    replies = [
        turn("two at once", ("find", {"query": "größe"}), ("fail", {"code": 3})),
        turn("guess", ("nope", {})),
        turn("too early", ("submit", {})),
        submit(answer="A"),
    ]
    return run(replies, native=native)


def continued(prediction: Any, *, native: bool) -> Any:
    """A second run on the history of the first one, which DSPy extends in place."""
    replies = [turn("again", ("find", {"query": "b"})), submit(answer="B")]
    return run(replies, native=native, question="second?", history=prediction.history)


def messages_sent(history: Any, adapter: Any) -> list[Any]:
    """All messages of the request that a new question with this history leads to, as the model gets them."""
    native = adapter.use_native_function_calling
    if hasattr(dspy, "lm15"):
        recorder = Recorder(native)
        lm = dspy.LM("recorder/model", engine=recorder, cache=False, num_retries=0)
    else:
        recorder = lm = recorder_before_34(native)
    try:
        with dspy.context(lm=lm, adapter=adapter):
            agent()(question="next?", history=history)
    except Stopped:
        request = recorder.request
        return request if isinstance(request, list) else [request.system, *request.messages]
    raise AssertionError("the run ended without a request")


def calls_and_results(messages: list[Any]) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    """The native tool calls in messages (name, arguments) and the texts of their results, in order."""
    calls, results = [], []
    for message in messages:
        if isinstance(message, dict):
            functions = [call["function"] for call in message.get("tool_calls") or ()]
            calls += [(each["name"], json.loads(each["arguments"])) for each in functions]
            if message["role"] == "tool":
                results.append(message["content"])
        for part in getattr(message, "parts", ()):
            if part.type == "tool_call":
                calls.append((part.name, part.input))
            if part.type == "tool_result":
                results.append("".join(each.text for each in part.content))
    return calls, results
