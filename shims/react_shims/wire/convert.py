"""From a V1 trajectory to the events that V2 would have written for the same run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from react_shims.wire.digest import content_digest
from react_shims.wire.events import SUBMIT, same
from react_shims.wire.flat import COMPLETED, FINISH, STEP_FIELDS, group_steps, is_failure
from react_shims.wire.marker import EVENT_KEY
from react_shims.wire.regular import events_of_regular

# An event's own keys: no input or output can have them.
RESERVED = frozenset({"next_thought", "tool_calls", EVENT_KEY})


def to_events(
    trajectory: Mapping[str, Any],
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    *,
    digest: str | None = None,
) -> list[dict[str, Any]]:
    """The history events of a V1 run, with tool calls as plain dicts. `trajectory_in` is the way back.

    Every step becomes one event: the call, its result, the thought. V1's closing `finish` becomes V2's
    `submit`, with the outputs if they are given. If the run did not finish (it reached `max_iters`), given
    outputs are submitted in an event of their own, as V2 does when it forces the submit. What an event
    cannot express stays in it under the key `react_migrate` (see `Marker`). Values are shared with the
    trajectory, not copied; nothing given is changed.

    Ids are `traj_{digest}_{i}_0`. The digest (up to 16 letters and digits) is the content's by default, so
    the same run has the same ids every time and different runs can follow each other in one history.

    Raises:
        ValueError: an input or output has a name that an event needs itself, or is both.
        TypeError: a key of the trajectory is not a str.
    """
    inputs, outputs = dict(inputs or {}), None if outputs is None else dict(outputs)
    _check_names(inputs, outputs or {})
    prefix = f"traj_{digest or content_digest(trajectory, inputs, outputs)}"
    leftover: dict[str, Any] = {}
    regular = events_of_regular(trajectory, prefix)
    if regular is None:
        events, finished, leftover = _events_of_steps(trajectory, outputs, prefix)
    else:
        events = regular
        finished = bool(events) and trajectory[f"tool_name_{len(events) - 1}"] == FINISH
        if finished:
            events[-1] = _regular_finish(trajectory, len(events) - 1, outputs, prefix)

    if not finished and outputs is not None:
        event = _submit_event(f"{prefix}_{len(events)}_0", outputs, outputs)
        events.append({**event, EVENT_KEY: {"forced": True}})
    if not events and (inputs or leftover):
        events.append({EVENT_KEY: {"no_steps": True}})
    if inputs:
        events[0] = _with_inputs(events[0], inputs)
    if outputs:
        events[-1] = _with_outputs(events[-1], outputs)
    if leftover:
        events[-1][EVENT_KEY] = {**events[-1].get(EVENT_KEY, {}), **leftover}
    return events


def _events_of_steps(
    trajectory: Mapping[str, Any], outputs: Mapping[str, Any] | None, prefix: str
) -> tuple[list[dict[str, Any]], bool, dict[str, Any]]:
    """The events of the steps, whether the run finished, and what the last event's marker has to remember."""
    steps, foreign = group_steps(trajectory)
    for number in [number for number, fields in steps.items() if not _is_a_call(fields)]:
        foreign.update({f"{name}_{number}": value for name, value in steps.pop(number).items()})
    _check_keys(foreign)
    last = next(reversed(steps), None)
    finished = last is not None and steps[last]["tool_name"] == FINISH
    events: list[dict[str, Any]] = []
    expected = 0
    for number, fields in steps.items():
        call_id = f"{prefix}_{len(events)}_0"
        if finished and number == last:
            event, marker = _finish_event(call_id, fields, outputs)
        else:
            event, marker = _step_event(call_id, fields)
        if number != expected:
            marker["number"] = number
        if marker:
            event[EVENT_KEY] = marker
        events.append(event)
        expected = number + 1
    leftover: dict[str, Any] = {"extra": foreign} if foreign else {}
    usual = [f"{name}_{number}" for number, fields in steps.items() for name in STEP_FIELDS if name in fields]
    if list(trajectory) != [*usual, *foreign]:
        leftover["keys"] = list(trajectory)
    return events, finished, leftover


def _regular_finish(
    trajectory: Mapping[str, Any], number: int, outputs: Mapping[str, Any] | None, prefix: str
) -> dict[str, Any]:
    fields = {name: trajectory[f"{name}_{number}"] for name in STEP_FIELDS}
    event, marker = _finish_event(f"{prefix}_{number}_0", fields, outputs)
    event[EVENT_KEY] = marker
    return event


def _check_names(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    if RESERVED.isdisjoint(inputs) and RESERVED.isdisjoint(outputs) and outputs.keys().isdisjoint(inputs):
        return
    for kind, names in (("input", inputs), ("output", outputs)):
        for name in RESERVED.intersection(names):
            raise ValueError(
                f"an {kind} named {name!r} cannot be stored: a history event uses that key itself"
            )
    both = ", ".join(sorted(map(repr, inputs.keys() & outputs.keys())))
    raise ValueError(f"{both} cannot be both an input and an output of one run")


def _check_keys(foreign: Mapping[Any, Any]) -> None:
    for key in foreign:
        if not isinstance(key, str):
            raise TypeError(f"a trajectory's keys are strings such as 'thought_0'; this one has {key!r}")


def _is_a_call(fields: Mapping[str, Any]) -> bool:
    """Whether a step can be shown as a tool call; one without a tool's name cannot."""
    return isinstance(fields.get("tool_name"), str)


def _step_event(call_id: str, fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    name, args = fields["tool_name"], _args(fields.get("tool_args"))
    results = []
    if "observation" in fields:
        value = fields["observation"]
        results = [{"call_id": call_id, "name": name, "value": value, "is_error": is_failure(name, value)}]
    event = _event(fields, {"id": call_id, "name": name, "args": args}, results)
    marker = _unsaid(fields, {**fields, "thought": event.get("next_thought", ""), "tool_args": args})
    return event, {**marker, "own_submit": True} if name == SUBMIT else marker


def _finish_event(
    call_id: str, fields: Mapping[str, Any], outputs: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    args: Mapping[str, Any]
    value: Any
    if outputs is None:  # then what the model passed to `finish` is all that is known
        args, value = _args(fields.get("tool_args")), COMPLETED
    else:
        args = value = outputs
    event = _submit_event(call_id, args, value, fields)
    thought = event.get("next_thought", "")
    shown = {"thought": thought, "tool_name": FINISH, "tool_args": {}, "observation": COMPLETED}
    return event, {"finish": True, **_unsaid(fields, shown)}


def _submit_event(
    call_id: str, args: Mapping[str, Any], value: Any, fields: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    result = {"call_id": call_id, "name": SUBMIT, "value": value, "is_error": False}
    return _event(fields or {}, {"id": call_id, "name": SUBMIT, "args": args}, [result])


def _event(fields: Mapping[str, Any], call: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    tool_calls: dict[str, Any] = {"tool_calls": [call]}
    if results:
        tool_calls["tool_call_results"] = {"tool_call_results": results}
    thought = fields.get("thought")
    if thought is None:
        return {"tool_calls": tool_calls}
    return {"next_thought": thought if isinstance(thought, str) else str(thought), "tool_calls": tool_calls}


def _args(args: Any) -> dict[str, Any]:
    """A step's arguments as DSPy wants them: a dict with names. Stored ones may be JSON text, or null."""
    if args is None:
        return {}
    if isinstance(args, str):
        with suppress(ValueError, RecursionError):  # not JSON: an argument by itself
            parsed = json.loads(args)
            args = parsed if isinstance(parsed, dict) else args
    if not isinstance(args, Mapping):
        return {"args": args}
    if all(isinstance(name, str) for name in args):
        return args if isinstance(args, dict) else dict(args)
    return {str(name): value for name, value in args.items()}


def _unsaid(fields: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """The marker for what a step's fields say beyond what the event shows."""
    marker: dict[str, Any] = {}
    missing = [name for name in STEP_FIELDS if name not in fields]
    if missing:
        marker["missing"] = missing
    step = {name: value for name, value in fields.items() if not same(value, shown[name])}
    if step:
        marker["step"] = step
    return marker


def _with_inputs(event: dict[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The event with the inputs first, as V2 writes it; unless one would be taken for the tool calls.

    DSPy's adapters take the first dict with a "tool_calls" key in an event for the event's tool calls.
    """
    if any(isinstance(value, Mapping) and "tool_calls" in value for value in inputs.values()):
        return {**event, **inputs}
    return {**inputs, **event}


def _with_outputs(event: dict[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The event with the outputs behind the call that submitted them, as V2 writes it."""
    marker = event.pop(EVENT_KEY, None)
    return {**event, **outputs} if marker is None else {**event, **outputs, EVENT_KEY: marker}
