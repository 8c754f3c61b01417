"""A list of turns, each an object with a thought, a list of tool calls, and a list of their observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.calls import NOTHING, StoredCall, layout_of, read_call, write_call
from react_migrate.stored.shapes.run import Event, Layout, Names, Reading, Shape, StoredRun
from react_migrate.stored.shapes.spelling import CALLS, OBSERVATIONS, THOUGHT, spelled
from react_shims.wire import calls_of, marker_of, steps_in


def _matches(value: Any) -> bool:
    if not (isinstance(value, list) and value and all(isinstance(turn, dict) for turn in value)):
        return False
    return not any("role" in turn for turn in value) and any(_calls(turn) for turn in value)


def _read(value: Any, names: Names) -> Reading:
    if not (isinstance(value, list) and all(isinstance(turn, dict) for turn in value)):
        raise RejectedError("is no list of turns: each must be an object with a list of tool calls")
    run = StoredRun()
    layout: Layout = {}
    for position, turn in enumerate(value):
        calls = _calls(turn)
        if not calls and position == len(value) - 1:
            break  # a closing word; the difference remembers it
        if not calls:
            raise RejectedError(f"has no tool calls in turn {position + 1} of its trajectory")
        thought = turn.get(spelled(turn, THOUGHT) or "", "")
        for call in calls:
            number = len(run.call_ids)
            run.trajectory.update(step_fields(number, thought, call))
            run.call_ids.append(call.id)
            thought = ""
        run.turns.append(len(calls))
        layout = layout or _layout(turn)
    return Reading([run], layout)


def step_fields(number: int, thought: Any, call: StoredCall) -> dict[str, Any]:
    """A call as a step of V1's flat dict."""
    fields = {
        f"thought_{number}": "" if thought is None else thought,
        f"tool_name_{number}": call.name,
        f"tool_args_{number}": call.args,
    }
    if call.observation is not NOTHING:
        fields[f"observation_{number}"] = call.observation
    return fields


def _write(events: Sequence[Event], layout: Layout) -> Any:
    return [_turn(event, layout) for event in events if calls_of(event) and not marker_of(event).forced]


def _turn(event: Event, layout: Layout) -> dict[str, Any]:
    steps = list(steps_in(event))
    calls, observations = [], []
    for step in steps:
        observation = step.fields.get("observation", NOTHING)
        call = StoredCall(
            step.call.id, step.fields["tool_name"], step.fields.get("tool_args", {}), observation
        )
        calls.append(write_call(call, layout.get("call", {})))
        if observation is not NOTHING:
            observations.append(observation)
    parts = {
        "thought": steps[0].fields.get("thought", "") if steps else "",
        "calls": calls,
        "observations": observations,
    }
    usual = {"thought": "thought", "calls": "tool_calls", "observations": "observations"}
    if "observation" in layout.get("call", {}):
        del usual["observations"]
    return {key: parts[part] for part, key in layout.get("keys", usual).items() if part in parts}


def _calls(turn: dict[str, Any]) -> list[StoredCall]:
    """The turn's calls with their observations; none if it has something else under the key."""
    stored = turn.get(spelled(turn, CALLS) or "")
    calls = [read_call(call) for call in stored] if isinstance(stored, list) else []
    found = [call for call in calls if call is not None]
    if len(found) < len(calls):
        return []
    observations = turn.get(spelled(turn, OBSERVATIONS) or "")
    if isinstance(observations, list):
        found[: len(observations)] = [
            call._replace(observation=observation)
            for call, observation in zip(found, observations)  # noqa: B905 (a turn broken off has fewer)
        ]
    elif observations is not None and len(found) == 1:
        found = [found[0]._replace(observation=observations)]
    return found


def _layout(turn: dict[str, Any]) -> Layout:
    spellings = {"thought": THOUGHT, "calls": CALLS, "observations": OBSERVATIONS}
    parts = {spelled(turn, names): part for part, names in spellings.items()}
    keys = {parts[key]: key for key in turn if key in parts}
    return {"keys": keys, "call": layout_of(turn[keys["calls"]][0])}


SHAPE = Shape("turns", _matches, _read, _write)
