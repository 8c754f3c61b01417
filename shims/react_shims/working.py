"""The trajectory that a run works with: V1's flat dict of a V2 run that is still going on, and the way back.

An override of `truncate_trajectory` may drop steps, shorten observations, rewrite thoughts, add keys of its
own. `events_for` turns what it made of the trajectory into history events again, so that the model is shown
the same: kept steps as tool calls with their results, everything else as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]

OUTPUT_KEYS = frozenset(
    {"next_thought", "tool_calls"}
)  # what the model wrote in an event; the rest are inputs
STEP_KEY = re.compile(r"(?:thought|tool_name|tool_args|observation)_(0|[1-9][0-9]*)")


@dataclass(frozen=True)
class Step:
    """One tool call of this run."""

    number: int
    """Its index in the trajectory's keys."""
    event: int
    """Index of its event in the history's messages."""
    call: int
    """Index of its call among the event's calls."""


@dataclass(frozen=True)
class View:
    """A history that shows the model one state of the trajectory."""

    messages: list[Event]
    unsent_inputs: dict[str, Any]
    """The run's inputs, when none of its events is left to carry them."""
    remainder: str
    """Text that stands after the last kept step."""


class WorkingTrajectory:
    """V1's flat dict of the run whose events begin at `start`; grows with `take_in`, edited by others."""

    def __init__(self, start: int) -> None:
        self.trajectory: dict[str, Any] = {}
        self._start = start
        self._end = start
        self._steps: list[Step] = []

    def take_in(self, messages: Sequence[Event]) -> None:
        """Add the steps of events that were appended since the last time, numbered on as V1 does."""
        for index in range(self._end, len(messages)):
            for number, call, keys in flat_steps(messages[index], first=len(self._steps)):
                self._steps.append(Step(number, index, call))
                self.trajectory.update(keys)
        self._end = len(messages)

    def events_for(self, trajectory: Mapping[str, Any], messages: Sequence[Event]) -> View:
        """The events of `messages` as `trajectory` (this one, edited, or another made from it) shows them."""
        text_before, remainder = self._text_between_steps(trajectory)
        shown = list(messages[: self._start])
        inputs: dict[str, Any] = {}
        for index in range(self._start, self._end):
            event = messages[index]
            inputs.update({key: value for key, value in event.items() if key not in OUTPUT_KEYS})
            kept = [step for step in self._steps if step.event == index and step.number in text_before]
            if kept:
                shown.append({**inputs, **_edited_event(event, kept, trajectory, text_before)})
                inputs = {}
        return View(shown, inputs, remainder)

    def _text_between_steps(self, trajectory: Mapping[str, Any]) -> tuple[dict[int, str], str]:
        """Per kept step the text of keys that belong to no kept step and stand before it; the text after all.

        A step is kept as long as its tool's name is. Order is the dict's, as in V1's prompt.
        """
        text_before: dict[int, str] = {}
        lines: list[str] = []
        for key, value in trajectory.items():
            match = STEP_KEY.fullmatch(str(key))
            number = int(match[1]) if match else -1
            if not (0 <= number < len(self._steps) and f"tool_name_{number}" in trajectory):
                lines.append(f"{key}: {value}")
            elif number not in text_before:
                text_before[number] = "\n".join(lines)
                lines = []
        return text_before, "\n".join(lines)


def flat_steps(event: Event, first: int) -> list[tuple[int, int, dict[str, Any]]]:
    """Number, call index and V1 keys of an event's tool calls, numbered from `first`."""
    calls = event.get("tool_calls")
    if calls is None:
        return []
    results = calls.tool_call_results.tool_call_results if calls.tool_call_results is not None else []
    thought = event.get("next_thought")
    steps = []
    for index, call in enumerate(calls.tool_calls):
        number = first + index
        keys = {
            f"thought_{number}": str(thought) if index == 0 and thought is not None else "",
            f"tool_name_{number}": call.name,
            f"tool_args_{number}": dict(call.args or {}),
            f"observation_{number}": results[index].value if index < len(results) else None,
        }
        steps.append((number, index, keys))
    return steps


def _edited_event(
    event: Event, kept: Sequence[Step], trajectory: Mapping[str, Any], text_before: Mapping[int, str]
) -> Event:
    """The event with only the kept calls, each with the name, arguments and result the trajectory has."""
    calls, results, thoughts = [], [], []
    for step in kept:
        call = event["tool_calls"].tool_calls[step.call]
        result = event["tool_calls"].tool_call_results.tool_call_results[step.call]
        name = str(trajectory[f"tool_name_{step.number}"])
        args = trajectory.get(f"tool_args_{step.number}", {})
        # Native calling drops a call without a result, so an observation that was taken out becomes empty.
        observation = trajectory.get(f"observation_{step.number}", "")
        args = args if isinstance(args, dict) else {"args": args}
        calls.append(call.model_copy(update={"name": name, "args": args}))
        results.append(result.model_copy(update={"name": name, "value": observation}))
        thoughts += [text_before[step.number], str(trajectory.get(f"thought_{step.number}", ""))]
    edited = dict(event)
    thought = "\n".join(text for text in thoughts if text)
    if thought != str(event.get("next_thought") or ""):
        edited["next_thought"] = thought
    edited["tool_calls"] = event["tool_calls"].model_copy(
        update={
            "tool_calls": calls,
            "tool_call_results": event["tool_calls"].tool_call_results.model_copy(
                update={"tool_call_results": results}
            ),
        }
    )
    return edited
