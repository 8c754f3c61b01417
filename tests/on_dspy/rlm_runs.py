"""Runs of an RLM on a scripted model, with a small interpreter that every DSPy release takes."""

from __future__ import annotations

import asyncio
import functools
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dspy
import pytest
from dspy.primitives.code_interpreter import CodeInterpreterError, FinalOutput
from scripted import TEXT, Answer, ScriptedLM, fields

from react_shims.transition import v2_class

if v2_class():
    from dspy.primitives.code_interpreter import CodeExecutionError

    from react_shims import RLM


class Submitted(BaseException):
    """SUBMIT was called. No Exception, so that submitted code does not catch it."""


class InProcess:
    """A `dspy.CodeInterpreter` that runs code in this process: real Python, and no sandbox at all.

    `broken`: code that contains this text breaks the interpreter itself. `made` are all that were made.
    """

    broken = "break the interpreter"
    made: list[InProcess] = []  # noqa: RUF012 (of the class, on purpose)

    def __init__(self) -> None:
        self.tools: dict[str, Callable[..., Any]] = {}
        self.output_fields: list[dict[str, Any]] = []
        self.globals: dict[str, Any] = {"__name__": "repl"}
        self.is_shut_down = False
        InProcess.made.append(self)

    def start(self) -> None:
        """Nothing to start."""

    def shutdown(self) -> None:
        self.is_shut_down = True

    def execute(self, code: str, variables: dict[str, Any] | None = None) -> Any:
        if self.broken in code:
            raise CodeInterpreterError("the interpreter is broken")
        printed = io.StringIO()  # not sys.stdout, which all threads have in common
        output = functools.partial(print, file=printed)
        self.globals.update(variables or {}, **self.tools, SUBMIT=self.submit, print=output)
        try:
            exec(compile(code, "<repl>", "exec"), self.globals)
        except Submitted as submitted:
            return FinalOutput(submitted.args[0])
        except SyntaxError:
            raise
        except Exception as error:
            raise CodeExecutionError(f"{type(error).__name__}: {error}") from error
        return printed.getvalue().rstrip("\n")

    def submit(self, *values: Any, **outputs: Any) -> None:
        names = [field["name"] for field in self.output_fields]
        raise Submitted({**dict(zip(names, values, strict=False)), **outputs})


def act(code: str, reasoning: str = "I go on.") -> Answer:
    """The model thinks and writes code."""
    return fields(reasoning=reasoning, code=code)


def answer(**outputs: Any) -> Answer:
    """The model is asked for the outputs, by the extract predictor."""
    return fields(**outputs)


def rlm(signature: Any = "context, query -> answer: int", **options: Any) -> Any:
    return RLM(signature, **{"interpreter_factory": InProcess, **options})


class Way(NamedTuple):
    """How an RLM is called: synchronously or not, and with which adapter."""

    asynchronous: bool = False
    adapter: Any = TEXT

    def run(self, agent: Any, replies: Sequence[Any], **inputs: Any) -> tuple[Any, ScriptedLM]:
        """The prediction, and the model with what it was sent."""
        lm = replies if isinstance(replies, ScriptedLM) else ScriptedLM(replies)
        with dspy.context(lm=lm.lm, adapter=self.adapter):
            return asyncio.run(agent.acall(**inputs)) if self.asynchronous else agent(**inputs), lm


run = Way().run

both_ways = pytest.mark.parametrize("way", [Way(), Way(asynchronous=True)], ids=["sync", "async"])

ADAPTERS = {
    f"{kind.__name__}-{'native' if native else 'text'}": kind(use_native_function_calling=native)
    for kind in (dspy.ChatAdapter, dspy.JSONAdapter, dspy.XMLAdapter)
    for native in (True, False)
    if v2_class()
}
with_every_adapter = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS.keys())

LOOK = act("print(len(context))", "How long is it?")
SUBMIT = act("SUBMIT(len(context))", "That is it.")
QUESTION = {"context": "one two three", "query": "How many letters?"}
AGAIN = {"context": "four", "query": "And now?"}


def first(way: Way | None = None, **options: Any) -> Any:
    """The prediction of a run of two iterations."""
    return (way or Way()).run(rlm(**options), [LOOK, SUBMIT], **QUESTION)[0]
