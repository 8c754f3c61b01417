"""`history_processor`: a function that decides before every call what of the history the model is sent.

As proposed for V2 in stanfordnlp/dspy#10217, with the rules that RLM's processor has (#10387): it works on a
private copy, may edit that in place and return None, or return another history; when it fails, that is logged
and the call is made without it. What it made of the history stays for the run, and later events are added to
it. The history that the prediction carries stays whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from react_shims.run import Attempts, Inputs, dspy, once

logger = logging.getLogger(__name__)

HistoryProcessor: TypeAlias = Callable[[Any], Any]
"""Takes a `dspy.History`, returns one, or None when it edited the one it was given."""


class HistoryProcessing:
    """A processor at work in one run; an `Overflow` that acts before there is one."""

    def __init__(self, processor: HistoryProcessor) -> None:
        self._processor = processor
        self._working: list[Any] = []
        self._taken_in = 0

    def attempts(self, inputs: Inputs, predictor: Any, start: int) -> Attempts:
        """The inputs with the processed history. The processor is not asked again after an overflow."""
        history = inputs["history"]
        self._working += history.messages[self._taken_in :]
        self._taken_in = len(history.messages)
        private = history.model_copy(update={"messages": [_private_event(event) for event in self._working]})
        try:
            processed = self._processor(private)
            self._working = list(_messages(private if processed is None else processed))
        except Exception:  # whatever a user's function raises: it is logged, and must not end the run
            logger.warning("history_processor failed; the history is sent as it was.", exc_info=True)
        return once({**inputs, "history": history.model_copy(update={"messages": list(self._working)})})


def _messages(history: Any) -> list[Any]:
    if not isinstance(history, dspy.History):
        raise TypeError(f"a history_processor returns a dspy.History or None, not {type(history).__name__}")
    return [_private_event(event) for event in history.messages]


def _private_event(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy whose parts can be edited in place. Observations are shared: they may be anything."""
    if not isinstance(event, dict):
        return event
    calls = event.get("tool_calls")
    if not isinstance(calls, dspy.ToolCalls):
        return dict(event)
    results = calls.tool_call_results
    if isinstance(results, dspy.ToolCallResults):
        results = results.model_copy(
            update={"tool_call_results": [result.model_copy() for result in results.tool_call_results]}
        )
    copies = [call.model_copy(update={"args": dict(call.args)}) for call in calls.tool_calls]
    return {
        **event,
        "tool_calls": calls.model_copy(update={"tool_calls": copies, "tool_call_results": results}),
    }
