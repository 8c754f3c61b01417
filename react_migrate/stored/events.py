"""The events of stored runs. How an event is made, `react_shims.wire` knows; here several calls of one turn
come together in one event, and calls keep the ids that they had."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.repl_events import repl_events_of
from react_migrate.stored.shapes.run import StoredReplRun, StoredRun
from react_shims.wire import EVENT_KEY, marker_of, to_events

_LONGEST_REPR = 100_000  # characters: compiling takes about a hundred times the memory of the text


def events_of(
    run: StoredRun | StoredReplRun,
    inputs: Mapping[str, Any] | None,
    outputs: Mapping[str, Any] | None,
    digest: str,
    beside: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """One run's events as plain data; ids begin with `traj_{digest}`. Raises `RejectedError`.

    beside: the fields where the trajectory is, of which an RLM's run has more to tell.
    """
    if isinstance(run, StoredReplRun):
        return repl_events_of(run, inputs, outputs, beside)
    try:
        events = to_events(run.trajectory, inputs, outputs, digest=digest)
    except (ValueError, TypeError) as error:
        raise RejectedError(f"cannot be a history: {error}") from error
    for event in events:
        if EVENT_KEY in event:
            _read_repr_args(event)
    for event, call_id in zip(events, run.call_ids):  # noqa: B905 (a forced submit has an event of its own)
        if call_id is not None:
            _rename(event, call_id)
    return list(_by_turn(events, run.turns)) if any(calls > 1 for calls in run.turns) else events


def _read_repr_args(event: dict[str, Any]) -> None:
    """Trackers store `str(args)`: a Python dict's repr, of which `to_events` knows only that it is no JSON.

    The marker has the text as it was.
    """
    text = marker_of(event).step.get("tool_args")
    if not isinstance(text, str) or not text.startswith("{") or len(text) > _LONGEST_REPR:
        return
    for call in _calls(event):
        if call["args"] == {"args": text}:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about odd escapes in the text
                try:
                    args = ast.literal_eval(text)
                except (ValueError, SyntaxError, MemoryError, RecursionError):
                    return
            if _is_json(args):
                call["args"] = args


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, (str, int, float))


def _rename(event: dict[str, Any], call_id: str) -> None:
    for call in _calls(event):
        call["id"] = call_id
    for result in _results(event):
        result["call_id"] = call_id


def _by_turn(events: Sequence[dict[str, Any]], turns: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The events of the calls of one turn as one event, where nothing about single calls has to be marked."""
    ends = list(accumulate(turns))
    for start, end in zip([0, *ends], ends):  # noqa: B905 (one start more)
        turn = events[start:end]
        if len(turn) > 1 and all(map(_is_plain, turn)):
            yield _merged(turn)
        else:
            yield from turn
    yield from events[ends[-1] :]


def _is_plain(event: Mapping[str, Any]) -> bool:
    marker = marker_of(event)
    return not marker.step and not marker.missing and not marker.number


def _merged(turn: Sequence[dict[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    marker: dict[str, Any] = {}
    for event in turn:
        merged = {**event, **merged}
        marker.update(event.get(EVENT_KEY, {}))
    calls = [call for event in turn for call in _calls(event)]
    results = [result for event in turn for result in _results(event)]
    first = turn[0]
    merged = {**first, **{key: value for key, value in merged.items() if key not in first}}
    merged["tool_calls"] = {"tool_calls": calls, "tool_call_results": {"tool_call_results": results}}
    merged.pop(EVENT_KEY, None)
    return {**merged, EVENT_KEY: marker} if marker else merged


def _calls(event: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = event.get("tool_calls", {}).get("tool_calls", [])
    return calls


def _results(event: Mapping[str, Any]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = (
        event.get("tool_calls", {}).get("tool_call_results", {}).get("tool_call_results", [])
    )
    return results
