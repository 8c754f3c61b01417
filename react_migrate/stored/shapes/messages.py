"""Chat messages with tool calls, as model providers take them: roles user, assistant and tool.

A user's message begins a run, an assistant's message without tool calls is its answer. Messages of other
roles (system) are no part of a history; they are remembered beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.calls import NOTHING, StoredCall, layout_of, read_call, write_call
from react_migrate.stored.shapes.run import Event, Layout, Names, Reading, Shape, StoredRun
from react_migrate.stored.shapes.turns import step_fields
from react_shims.wire import calls_of, marker_of, steps_in
from react_shims.wire.events import inputs_in, submitted_outputs

_RESULT_ROLES = ("tool", "function")


def _matches(value: Any) -> bool:
    return _are_messages(value) and any(
        message["role"] in _RESULT_ROLES or _stored_calls(message) for message in value
    )


def _are_messages(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(message, dict) and isinstance(message.get("role"), str) for message in value)
    )


def _read(value: Any, names: Names) -> Reading:
    if not _are_messages(value):
        raise RejectedError("is no list of chat messages: each must be an object with a role")
    runs = [_ChatRun(names)]
    aside: dict[str, Any] = {}
    call: Any = None
    for position, message in enumerate(value):
        role = message["role"]
        if role == "user":
            if runs[-1].has_begun:
                runs.append(_ChatRun(names))
            runs[-1].ask(message.get("content"))
        elif role == "assistant":
            runs[-1].turn(message)
            call = call or next(iter(_stored_calls(message)), None)
        elif role not in _RESULT_ROLES or not runs[-1].result(message):
            aside[str(position)] = message
    layout: Layout = {"names": list(names)}
    if call is not None:
        layout["call"] = layout_of(call)
    if aside:
        layout["aside"] = aside
    return Reading([run.finished() for run in runs], layout)


class _ChatRun:
    """One run while its messages are read."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._questions: list[Any] = []
        self._said: list[Any] = []  # by the assistant since its last call
        self._calls: list[StoredCall] = []
        self._thoughts: dict[int, Any] = {}
        self._turns: list[int] = []

    @property
    def has_begun(self) -> bool:
        return bool(self._calls or self._said)

    def ask(self, content: Any) -> None:
        self._questions.append(content)

    def turn(self, message: Mapping[str, Any]) -> None:
        content, calls = message.get("content"), _stored_calls(message)
        if content not in (None, ""):
            self._said.append(content)
        if calls:
            self._thoughts[len(self._calls)] = _joined(self._said)
            self._said = []
            self._calls += [_checked(call) for call in calls]
            self._turns.append(len(calls))

    def result(self, message: Mapping[str, Any]) -> bool:
        """Give a call of the last turn its result; False if there is none waiting for it."""
        wanted = message.get("tool_call_id")
        start = len(self._calls) - (self._turns[-1] if self._turns else 0)
        for position in range(start, len(self._calls)):
            call = self._calls[position]
            if call.observation is NOTHING and wanted in (None, call.id):
                self._calls[position] = call._replace(observation=message.get("content"))
                return True
        return False

    def finished(self) -> StoredRun:
        run = StoredRun(turns=self._turns, call_ids=[call.id for call in self._calls])
        for number, call in enumerate(self._calls):
            run.trajectory.update(step_fields(number, self._thoughts.get(number), call))
        if self._questions:
            run.inputs = {self._names.input: _joined(self._questions)}
        if self._said:
            run.outputs = {self._names.output: _joined(self._said)}
        return run


def _joined(contents: Sequence[Any]) -> Any:
    """Several texts as one; a single content as it is: it may be a list of parts."""
    if len(contents) == 1:
        return contents[0]
    return "\n\n".join(content if isinstance(content, str) else str(content) for content in contents)


def _stored_calls(message: Mapping[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        return calls
    legacy = message.get("function_call")
    return [legacy] if isinstance(legacy, dict) else []


def _checked(call: Any) -> StoredCall:
    read = read_call(call)
    if read is None:
        raise RejectedError("has a chat message with a tool call that names no tool")
    return read._replace(observation=NOTHING)


def _write(events: Sequence[Event], layout: Layout) -> Any:
    messages = [message for event in events for message in _messages_of(event, layout)]
    for position, message in layout.get("aside", {}).items():  # ascending, as they were read
        messages.insert(int(position), message)
    return messages


def _messages_of(event: Event, layout: Layout) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": value} for value in inputs_in(event).values()]
    answers = submitted_outputs(event)
    if not marker_of(event).forced and calls_of(event):
        messages += _turn(event, layout)
    return messages + [{"role": "assistant", "content": answer} for answer in answers.values()]


def _turn(event: Event, layout: Layout) -> list[dict[str, Any]]:
    steps = list(steps_in(event))
    calls, results = [], []
    for step in steps:
        args = step.fields.get("tool_args", {})
        call = StoredCall(step.call.id, step.fields["tool_name"], args, NOTHING)
        calls.append(write_call(call, layout.get("call", _OPENAI)))
        if "observation" in step.fields:
            content = step.fields["observation"]
            results.append({"role": "tool", "tool_call_id": step.call.id, "content": content})
    thought = steps[0].fields.get("thought") if steps else None
    return [{"role": "assistant", "content": thought or None, "tool_calls": calls}, *results]


_OPENAI: Layout = {
    "name": "name",
    "args": "arguments",
    "function": {"type": "function"},
    "id": True,
    "text": "python",
}

SHAPE = Shape("messages", _matches, _read, _write, spans_runs=True)
