"""From an edited flat view back to events: what a `truncate_trajectory` override kept, the model sees."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from react_shims.wire.events import (
    field_of,
    final_submit,
    inputs_in,
    same,
    submitted_outputs,
    thought_of,
)
from react_shims.wire.flat import STEP_KEY
from react_shims.wire.view import EventStep, flat_view, starts_run, steps_in

# The result of a kept call whose observation was removed: adapters do not replay a native call without one.
TRUNCATED = "[truncated]"


class KeptEvents(NamedTuple):
    """The events to send, and what none of them is left to carry."""

    events: list[Mapping[str, Any]]
    inputs: dict[str, Any]  # of the last run, if all its events are gone: they belong into the request itself
    remainder: str  # text that stands behind the last kept step


class _Edited(NamedTuple):
    """A flat view after editing, sorted out."""

    steps: dict[int, dict[str, Any]]  # the steps that are left: number -> fields
    texts: dict[int, list[str]]  # what stands before a step and belongs to none
    remainder: list[str]  # the same behind the last step


def keep_steps(events: Sequence[Mapping[str, Any]], kept: Mapping[str, Any]) -> KeptEvents:
    """The events that show what is left of their flat view after editing.

    `kept` is `flat_view(events).trajectory` after any edit: steps removed, values replaced, keys added. An
    event that lost nothing is passed on as the very same object; the others are new, none is changed.

    - A key that belongs to no step is text (`key: value`) before the thought of the next kept step, as is the
      thought of a step of which nothing else is left. Nothing is dropped but what the edit dropped.
    - Inputs of a removed first event move to the next kept event of the same run.
    - Events that show no step (chat) stay.
    """
    places = flat_view(events).places
    edited = _sort_out(kept, places.keys())
    numbers = iter(sorted(places))
    result: list[Mapping[str, Any]] = []
    carried: dict[str, Any] = {}
    for position, event in enumerate(events):
        if starts_run(events, position):
            carried = {}  # inputs of a run that is gone altogether
        shown = {next(numbers): step for step in steps_in(event)}
        if shown and not shown.keys() & edited.steps.keys():
            carried = {} if final_submit(event) else {**carried, **inputs_in(event)}
            continue
        sent = _rebuilt(event, shown, edited) if shown else event
        if carried:
            sent = {**sent, **{name: value for name, value in carried.items() if name not in sent}}
            carried = {}
        result.append(sent)
    return KeptEvents(result, carried, "\n".join(edited.remainder))


def _sort_out(kept: Mapping[str, Any], numbers: Collection[int]) -> _Edited:
    grouped: dict[int, dict[str, Any]] = {}
    order: list[tuple[int, str]] = []  # the dict's order: a step's number, or -1 and a text
    for key, value in kept.items():
        match = STEP_KEY.match(key) if isinstance(key, str) else None
        if match and int(match[2]) in numbers:
            grouped.setdefault(int(match[2]), {})[match[1]] = value
            order.append((int(match[2]), ""))
        else:
            order.append((-1, f"{key}: {value}"))
    steps = {number: fields for number, fields in grouped.items() if fields.keys() != {"thought"}}
    texts: dict[int, list[str]] = {}
    waiting: list[str] = []
    for number, text in order:
        if number in steps:
            texts.setdefault(number, []).extend(waiting)
            waiting = []
        else:
            waiting.append(text if number < 0 else str(grouped[number]["thought"]))
    return _Edited(steps, texts, [text for text in waiting if text])


def _rebuilt(event: Mapping[str, Any], shown: Mapping[int, EventStep], edited: _Edited) -> Mapping[str, Any]:
    """The event with what is left of its steps."""
    thoughts: list[str] = []
    calls: dict[int, dict[str, Any]] = {}  # position of a kept call -> its changed attributes
    values: dict[int, Any] = {}  # position of a kept call -> its changed result
    for number, step in shown.items():
        if number in edited.steps:
            fields = edited.steps[number]
            thoughts += [*edited.texts[number], str(fields.get("thought", ""))]
            calls[step.call_index] = _changed_call(step, fields)
            if not _still_shown(step, fields, "observation"):
                values[step.call_index] = fields.get("observation", TRUNCATED)
    thought = "\n".join(text for text in thoughts if text)
    if len(calls) == len(shown) and not any(calls.values()) and not values and thought == thought_of(event):
        return event
    new = {**event, "tool_calls": _with_calls(event["tool_calls"], calls, values)}
    if thought != thought_of(event):
        new["next_thought"] = thought
    if not thought:
        new.pop("next_thought", None)
    if final_submit(event) and not final_submit(new):
        for name in submitted_outputs(event):
            new.pop(name, None)
    return new


def _still_shown(step: EventStep, fields: Mapping[str, Any], name: str) -> bool:
    """Whether the edited step has what the event shows."""
    if name in fields and name in step.fields:
        return same(fields[name], step.fields[name])
    return name not in fields and name not in step.fields


def _changed_call(step: EventStep, fields: Mapping[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    if "tool_name" in fields and not _still_shown(step, fields, "tool_name"):
        changed["name"] = str(fields["tool_name"])
    if not _still_shown(step, fields, "tool_args"):
        args = fields.get("tool_args", {})
        changed["args"] = dict(args) if isinstance(args, Mapping) else {"args": args}  # DSPy wants a dict
    return changed


def _with_calls(container: Any, calls: Mapping[int, dict[str, Any]], values: Mapping[int, Any]) -> Any:
    """An event's tool calls, reduced to the positions in `calls` and changed as `calls` and `values` say."""
    all_calls = field_of(container, "tool_calls")
    kept = [position for position in range(len(all_calls)) if position in calls]
    changed: dict[str, Any] = {
        "tool_calls": [_replaced(all_calls[position], calls[position]) for position in kept]
    }
    holder = field_of(container, "tool_call_results")
    results = holder if isinstance(holder, list) else field_of(holder, "tool_call_results")
    if isinstance(results, list) and len(results) == len(all_calls):
        kept_results = []
        for position in kept:
            changes = {"name": calls[position]["name"]} if "name" in calls[position] else {}
            if position in values:
                changes["value"] = values[position]
            kept_results.append(_replaced(results[position], changes))
        in_holder = {"tool_call_results": kept_results}
        changed["tool_call_results"] = kept_results if holder is results else _replaced(holder, in_holder)
    return _replaced(container, changed)


def _replaced(thing: Any, changes: dict[str, Any]) -> Any:
    """A copy of a dict or of a DSPy (pydantic) object in which some values are replaced."""
    if not changes:
        return thing
    return {**thing, **changes} if isinstance(thing, Mapping) else thing.model_copy(update=changes)
