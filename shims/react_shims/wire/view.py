"""The one derivation of V1's flat trajectory from history events, and of which events belong to one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from react_shims.wire.events import (
    SUBMIT,
    Call,
    calls_of,
    field_of,
    final_submit,
    inputs_in,
    plain,
    same,
    submitted_outputs,
    thought_of,
)
from react_shims.wire.flat import COMPLETED, FINISH, STEP_FIELDS
from react_shims.wire.marker import marker_of
from react_shims.wire.repl import REPL_ENTRY, is_repl_event, is_run_event
from react_shims.wire.repl_runs import repl_fields_in, starts_repl_run

# How DSPy says that a prediction's outputs came from the last-chance submit after the loop, which is V1's
# extractor under another name; "extracted" is react_shims.ReAct's own extraction.
_EXTRACTED_REASONS = ("forced_submit", "extracted")
_SUCCESS_REASONS = ("submit", *_EXTRACTED_REASONS)


class Place(NamedTuple):
    """Where a flat step comes from: `events[event]`, and the call's position among that event's calls."""

    event: int
    call: int


class FlatView(NamedTuple):
    """V1's flat dict for a list of events, and for every step number in it the call it shows."""

    trajectory: dict[str, Any]
    places: dict[int, Place]


class EventStep(NamedTuple):
    """One call of an event as V1 would have recorded it."""

    number: int  # the step's number where the event remembers it, else 0: it follows the step before
    call_index: int
    fields: dict[str, Any]  # those of STEP_FIELDS that exist
    call: Call


def flat_view(events: Sequence[Mapping[str, Any]]) -> FlatView:
    """Show events as V1's flat dict.

    Every call is a step of its own; of several calls in one event only the first has the thought, the others
    have "". A successful `submit` is shown as V1's `finish`, after the other calls of its event. The view of
    a longer list extends the view of a shorter one.
    """
    trajectory: dict[str, Any] = {}
    places: dict[int, Place] = {}
    number = 0
    for position, event in enumerate(events):
        for step in steps_in(event):
            number = max(number, step.number)
            for name, value in step.fields.items():
                trajectory[f"{name}_{number}"] = value
            places[number] = Place(position, step.call_index)
            number += 1
    return FlatView(trajectory, places)


def steps_in(event: Mapping[str, Any]) -> Iterator[EventStep]:
    """The steps that one event shows, in the order V1 would have numbered them."""
    if REPL_ENTRY in event and is_repl_event(event):
        return  # an RLM's, which may have been asked about tool calls
    marker = marker_of(event)
    if marker.forced:
        return  # stands for V1's extractor, which was not a step
    submit = final_submit(event)
    ordinary: list[tuple[int, Call]] = []
    final: list[tuple[int, Call]] = []
    for position, call in enumerate(calls_of(event)):
        if submit is None or not call.is_submitted:
            ordinary.append((position, call))
        else:
            final = [(position, call)]  # the last of two submits wins, as in DSPy; V1 had one `finish`
    thought = thought_of(event)
    for position, call in ordinary + final:
        fields = {
            "thought": thought,
            "tool_name": call.name,
            "tool_args": dict(call.args) if isinstance(call.args, Mapping) else call.args,
            "observation": plain(call.value),
        }
        if final and call is final[0][1]:
            fields.update(tool_name=FINISH, tool_args={}, observation=COMPLETED)
        fields.update({name: value for name, value in marker.step.items() if name in STEP_FIELDS})
        for name in marker.missing:
            fields.pop(name, None)
        yield EventStep(marker.number, position, fields, call)
        thought = ""


def trajectory_in(run: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The whole V1 trajectory of one run's events: its steps, and what `to_events` kept beside them."""
    trajectory = flat_view(run).trajectory
    for event in run:
        marker = marker_of(event)
        trajectory.update(marker.extra)
        if trajectory.keys() == set(marker.keys):
            trajectory = {key: trajectory[key] for key in marker.keys}
    return trajectory


def run_bounds(events: Sequence[Mapping[str, Any]], reason: str | None = None) -> tuple[int, int]:
    """The slice `events[start:end]` that the last run in a history appended.

    A run starts at the last event with inputs: keys other than `next_thought`, `tool_calls` and the names its
    own successful submit delivered; all keys of a chat event are. It also starts after an event that ended
    the run before it, and where an RLM's events follow on a ReAct's, or the other way round; where an RLM's
    run starts, see `starts_repl_run`. Events behind the last agent's turn (chat) belong to no run.

    `reason` is the prediction's `termination_reason`. After a failure, an event that submitted successfully
    is an earlier run's, as is an RLM's, which has no such reason: the failed run appended nothing.
    """
    end = len(events)
    while end and not is_run_event(events[end - 1]):
        end -= 1
    if not end or (reason is not None and reason not in _SUCCESS_REASONS and _is_over(events[end - 1])):
        return end, end
    start = end - 1
    while not starts_run(events, start):
        start -= 1
    return start, end


def _is_over(event: Mapping[str, Any]) -> bool:
    return final_submit(event) is not None or is_repl_event(event)


def without_extractor(run: Sequence[Mapping[str, Any]], reason: str | None) -> Sequence[Mapping[str, Any]]:
    """A run's events without the forced submit that the prediction's `termination_reason` tells of."""
    if not run or reason not in _EXTRACTED_REASONS or is_repl_event(run[-1]):
        return run
    if all(call.name == SUBMIT for call in calls_of(run[-1])):
        return run if marker_of(run[-1]).forced else run[:-1]
    return run


def starts_run(events: Sequence[Mapping[str, Any]], position: int) -> bool:
    """Whether a new run starts at `events[position]`: see `run_bounds`."""
    if is_repl_event(events[position]):
        return starts_repl_run(events, position)
    if position == 0 or is_repl_event(events[position - 1]):
        return True
    return bool(inputs_in(events[position])) or final_submit(events[position - 1]) is not None


def end_of_run_with(events: Sequence[Mapping[str, Any]], prediction: Any) -> int:
    """How many events there were when the run that gave `prediction` its outputs ended; else all of them.

    A history that was continued in place holds later runs too, but their outputs are other ones.
    """
    for position in reversed(range(len(events))):
        if is_repl_event(events[position]):
            outputs = _outputs_of_repl_run(events, position, prediction)
        else:
            outputs = submitted_outputs(events[position])
        if outputs and all(same(field_of(prediction, name, events), outputs[name]) for name in outputs):
            return position + 1
    return len(events)


def _outputs_of_repl_run(
    events: Sequence[Mapping[str, Any]], position: int, prediction: Any
) -> Mapping[str, Any]:
    """What of the prediction's fields a run's last event has. It may hold the inputs as well."""
    if position + 1 < len(events) and not starts_run(events, position + 1):
        return {}
    fields = repl_fields_in(events[position])
    return {name: fields[name] for name in fields if field_of(prediction, name, events) is not events}
