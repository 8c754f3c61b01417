"""Classes that stand at `dspy.RLM` in tests, and modules as they are when they are imported only then."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import dspy
from rlm_runs import InProcess

SIGNATURE = "context, query -> answer: int"


class Strict(dspy.Module):  # type: ignore[misc]
    """An RLM with a history of its own, and nothing else: it takes a `dspy.History` and no processor."""

    def __init__(self, signature: Any, max_iters: int = 20, interpreter_factory: Any = InProcess) -> None:
        super().__init__()
        self.signature = dspy.Signature(signature)
        self.max_iters = max_iters
        self.interpreter_factory = interpreter_factory
        self.generate_action = dspy.Predict(
            "variables_info, history: dspy.History, iteration -> reasoning, code"
        )

    def forward(self, *, history: Any = None, **inputs: Any) -> Any:
        events, interpreter = self.begun(history)
        for iteration in range(1, self.max_iters + 1):
            action = self.generate_action(**self.asked(events, iteration, inputs))
            prediction = self.ended(action, events, interpreter, inputs)
            if prediction is not None:
                return prediction
        raise AssertionError("the tests' runs end before")

    async def aforward(self, *, history: Any = None, **inputs: Any) -> Any:
        events, interpreter = self.begun(history)
        for iteration in range(1, self.max_iters + 1):
            action = await self.generate_action.acall(**self.asked(events, iteration, inputs))
            prediction = self.ended(action, events, interpreter, inputs)
            if prediction is not None:
                return prediction
        raise AssertionError("the tests' runs end before")

    def begun(self, history: Any) -> tuple[list[Any], Any]:
        assert history is None or isinstance(history, dspy.History)
        interpreter = self.interpreter_factory()
        interpreter.output_fields = [{"name": name} for name in self.signature.output_fields]
        return [] if history is None else history.messages, interpreter

    def asked(self, events: list[Any], iteration: int, inputs: dict[str, Any]) -> dict[str, Any]:
        history = dspy.History(messages=list(events))
        return {
            "variables_info": str(inputs),
            "history": history,
            "iteration": f"{iteration}/{self.max_iters}",
        }

    def ended(self, action: Any, events: list[Any], interpreter: Any, inputs: dict[str, Any]) -> Any:
        result = interpreter.execute(action.code, inputs)
        output = getattr(result, "output", None)
        entry = {"reasoning": action.reasoning, "code": action.code, "output": str(output or result)}
        events.append({"variables_info": str(inputs), "repl_entry": {"__dspy_repl__": "entry", **entry}})
        if output is None:
            return None
        events[-1].update(output)
        return dspy.Prediction(**output, history=dspy.History(messages=events))


def again(loaded: Any) -> Any:
    """A second module of the same source: what it would be, had it been imported only now."""
    spec = importlib.util.spec_from_file_location(f"{loaded.__name__}_again", str(loaded.__file__))
    assert spec is not None
    assert spec.loader is not None
    second = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(second)
    return second
