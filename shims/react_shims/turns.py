"""What the predictor of a `react_shims.ReAct` is sent in a turn, and what comes back.

Neither changes what the model is asked; a bare V2 sends the same, but for these:

- The history is a snapshot. DSPy's trace keeps what a predictor was called with, and the loop goes on
  appending to the history: without a snapshot, demos made from a trace contain their own answer.
- Tools come without their functions, which the predictor does not call: optimisers pickle what a trace holds,
  and closures cannot be pickled.
- `{question, answer}` pairs of a chat, which V2 would replay without the answer, are shown as a `submit`.
- Tool calls get ids that are unique in the conversation; V2 starts again at `call_0_0` in every run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python  # type: ignore[import-not-found,unused-ignore]

from react_shims.run import dspy
from react_shims.submit import DescribedSubmit
from react_shims.wire.events import calls_of, is_agent_event


class Snapshots:
    """A run's history as it is at the time, with the answers of a chat before it. One object per run."""

    def __init__(self, earlier: Sequence[Any], output_names: Collection[str]) -> None:
        self._answered: dict[int, tuple[Any, Any]] = {}  # by id: the event, which so keeps its id, and ours
        for position, event in enumerate(earlier):
            answered = with_answer(event, position, output_names)
            if answered is not event:
                self._answered[id(event)] = (event, answered)

    def of(self, history: Any) -> Any:
        """Told by identity which events were before the run: a tool may have made the history shorter."""
        events = list(history.messages)
        if self._answered:
            events = [self._answered.get(id(event), (event, event))[1] for event in events]
        return history.model_copy(update={"messages": events})


class ToolsForShow:
    """Tools that describe themselves to the model as before, and can be pickled. One object per run."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}  # by id: the tool, which so keeps its id, and ours

    def without_functions(self, tools: Any) -> Any:
        """The tools, each without its function."""
        return [self._without_function(tool) for tool in tools] if isinstance(tools, list) else tools

    def _without_function(self, tool: Any) -> Any:
        if not isinstance(tool, dspy.Tool):
            return tool
        if id(tool) not in self._made:
            self._made[id(tool)] = (tool, _without_function(tool))
        return self._made[id(tool)][1]


def _without_function(tool: Any) -> Any:
    """A copy, so that what a subclass of `dspy.Tool` keeps besides, and describes itself by, is there."""
    # The types of arguments are for parsing what the model gives; they can be classes of a local scope.
    copied = tool.model_copy(update={"func": cannot_be_called, "arg_types": {}})
    if isinstance(copied, DescribedSubmit):
        copied.forget_types()
    return copied


def cannot_be_called(**arguments: Any) -> Any:
    """In place of a tool's function, in what a trace records."""
    raise RuntimeError("this is a record of a tool that an agent had; call the tool in agent.tools instead")


def with_answer(event: Any, position: int, output_names: Collection[str]) -> Any:
    """A chat's pair of inputs and outputs as a turn that submitted the outputs; other events as they are."""
    if not isinstance(event, Mapping) or is_agent_event(event):
        return event
    outputs = {name: to_jsonable_python(event[name], fallback=str) for name in output_names if name in event}
    if not outputs:
        return event
    call = dspy.ToolCalls.ToolCall(id=f"chat_{position}", name="submit", args=outputs)
    calls = dspy.ToolCalls(tool_calls=[call])
    results = dspy.ToolCallResults.from_tool_calls_and_values(calls, [outputs])
    answered = calls.model_copy(update={"tool_call_results": results})
    return {"next_thought": "", **event, "tool_calls": answered}


class CallIds:
    """The ids of a conversation's tool calls. V2's own are kept while nothing came before the run."""

    def __init__(self, earlier: Sequence[Any]) -> None:
        self._is_continued = bool(earlier)
        self._taken = {call.id for event in earlier if isinstance(event, Mapping) for call in calls_of(event)}

    def unique(self, tool_calls: Any, position: int) -> Any:
        """A turn's `dspy.ToolCalls`, with other ids where its own occurred before; anything else as it is.

        `position`: of the turn's event in the history.
        """
        if not isinstance(tool_calls, dspy.ToolCalls):
            return tool_calls
        calls = tool_calls.tool_calls
        named = [self._named(call, position, index) for index, call in enumerate(calls)]
        # Calls compare by identity first: this costs nothing when none was named anew.
        return tool_calls if named == calls else tool_calls.model_copy(update={"tool_calls": named})

    def _named(self, call: Any, position: int, index: int) -> Any:
        name = call.id
        if name is None and not self._is_continued and f"call_{position}_{index}" not in self._taken:
            self._taken.add(f"call_{position}_{index}")  # V2's own name for it
            return call
        while name is None or name in self._taken:
            name = f"call_{position}_{index}"
            position += 1
        self._taken.add(name)
        return call if name == call.id else call.model_copy(update={"id": name})
