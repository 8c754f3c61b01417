"""A `Script` as a language model of the installed DSPy.

From 3.4 on an LM is an engine behind `dspy.LM`: requests and responses are `dspy.lm15` objects. Before, it is
a subclass of `dspy.BaseLM` that is asked with OpenAI's chat messages and answers in that shape.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from react_shims.testing.prompt import Message, Prompt
from react_shims.testing.reply import ContextOverflowError, Reply

if TYPE_CHECKING:
    from react_shims.testing.script import Script

MODEL = "scripted/plan"


def scripted_lm(script: Script) -> Any:
    """The language model; raises `ImportError` when no DSPy is installed."""
    try:
        dspy = importlib.import_module("dspy")
    except ModuleNotFoundError as error:
        if error.name != "dspy":
            raise
        raise ImportError("a Script needs DSPy, whose agents it drives: pip install dspy") from error
    if not hasattr(dspy, "lm15"):
        return _legacy_lm(dspy, script)
    engine = ScriptedEngine(script, dspy.lm15)
    return dspy.LM(MODEL, engine=engine, async_engine=AsyncScriptedEngine(engine), cache=False, num_retries=0)


class ScriptedEngine:
    """Answers `dspy.lm15` requests (DSPy 3.4 and later)."""

    def __init__(self, script: Script, lm15: Any) -> None:
        self._script = script
        self._lm15 = lm15

    @property
    def supports_function_calling(self) -> bool:
        return self._script.function_calling

    def complete(self, request: Any) -> Any:
        try:
            reply = self._script.reply(_prompt_of_request(request))
        except ContextOverflowError as error:
            raise self._lm15.ContextLengthError(str(error)) from error
        lm15 = self._lm15
        calls = [lm15.ToolCallPart(id=call.id, name=call.name, input=call.args) for call in reply.tool_calls]
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(reply.text), *calls]),
            finish_reason="tool_call" if calls else "stop",
            usage=lm15.Usage(input_tokens=1, output_tokens=1, total_tokens=2),
        )

    def stream(self, request: Any) -> Iterator[Any]:
        yield from self._lm15.response_to_events(self.complete(request))

    def close(self) -> None:
        """Nothing to close."""


class AsyncScriptedEngine:
    """The same plan for asynchronous calls."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self._engine = engine

    @property
    def supports_function_calling(self) -> bool:
        return self._engine.supports_function_calling

    async def complete(self, request: Any) -> Any:
        return self._engine.complete(request)

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        for event in self._engine.stream(request):
            yield event

    async def aclose(self) -> None:
        """Nothing to close."""


def _prompt_of_request(request: Any) -> Prompt:
    system = request.system or ""
    messages = [Message("system", system if isinstance(system, str) else _text_of_parts(system))]
    for message in request.messages:
        results = tuple(_text_of_parts(part.content) for part in message.parts if part.type == "tool_result")
        messages.append(Message(message.role, _text_of_parts(message.parts), results))
    choice = request.config.tool_choice
    return Prompt(
        messages=tuple(messages),
        tools=tuple(tool.name for tool in request.tools),
        forced_tool=choice.allowed[0] if choice is not None and len(choice.allowed) == 1 else None,
    )


def _text_of_parts(parts: Any) -> str:
    return "".join(part.text for part in parts if part.type == "text")


def _legacy_lm(dspy: Any, script: Script) -> Any:
    """An LM for DSPy before 3.4. Its base class exists only where DSPy is installed, hence `type`."""

    # XMLAdapter reads entities from 3.3.1 on; before, it takes the text as it stands.
    read = dspy.XMLAdapter().parse(dspy.Signature("question -> answer"), "<answer>&lt;</answer>")
    escaped_xml = read["answer"] == "<"

    def forward(lm: Any, prompt: str | None = None, messages: Any = None, **options: Any) -> Any:
        try:
            asked = messages or [{"role": "user", "content": prompt}]
            reply = script.reply(_prompt_of_messages(asked, options, escaped_xml))
        except ContextOverflowError as error:
            raise dspy.ContextWindowExceededError(message=str(error)) from error
        return _completion(reply)

    async def aforward(lm: Any, prompt: str | None = None, messages: Any = None, **options: Any) -> Any:
        return forward(lm, prompt, messages, **options)

    members = {
        "forward": forward,
        "aforward": aforward,
        "supports_function_calling": property(lambda lm: script.function_calling),
    }
    return type("ScriptedLM", (dspy.BaseLM,), members)(MODEL, cache=False)


def _prompt_of_messages(
    messages: list[dict[str, Any]], options: Mapping[str, Any], escaped_xml: bool
) -> Prompt:
    choice = options.get("tool_choice")
    return Prompt(
        messages=tuple(_message(message) for message in messages),
        tools=tuple(tool["function"]["name"] for tool in options.get("tools") or ()),
        forced_tool=choice["function"]["name"] if isinstance(choice, dict) else None,
        escaped_xml=escaped_xml,
    )


def _message(message: Mapping[str, Any]) -> Message:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    return Message("tool", "", (text,)) if message["role"] == "tool" else Message(message["role"], text)


def _completion(reply: Reply) -> SimpleNamespace:
    """OpenAI's chat completion, as far as DSPy before 3.4 reads it."""
    calls = [
        SimpleNamespace(
            id=call.id,
            type="function",
            function=SimpleNamespace(name=call.name, arguments=json.dumps(call.args, ensure_ascii=False)),
        )
        for call in reply.tool_calls
    ]
    message = SimpleNamespace(role="assistant", content=reply.text, tool_calls=calls or None)
    choice = SimpleNamespace(message=message, finish_reason="tool_calls" if calls else "stop")
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return SimpleNamespace(choices=[choice], usage=usage, model=MODEL)
