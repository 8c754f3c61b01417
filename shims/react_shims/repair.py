"""Ids of tool calls that a dump has lost, put back from the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def repaired(tool_calls: Sequence[Any]) -> list[Any]:
    """The `dspy.ToolCalls` of a history's events, in order, with every call and result identified.

    DSPy's own dump keeps the ids of results only. They go back to the calls by position. V2 numbers its calls
    anew in every run (`call_0_0`), so a continued conversation repeats ids: a repeated one that was put back
    is made unique (`call_0_0_1`). Ids that a call still has are never changed: the history is replayed with
    exactly these. Calls whose results do not fit them by position are left alone.
    """
    taken = {name for each in tool_calls for name in [*_call_ids(each), *_result_ids(each)] if name}
    used: set[str] = set()
    return [_repaired(each, taken, used) for each in tool_calls]


def _repaired(tool_calls: Any, taken: set[str], used: set[str]) -> Any:
    calls, results = tool_calls.tool_calls, _results(tool_calls)
    call_ids, result_ids = _call_ids(tool_calls), _result_ids(tool_calls)
    fit = [result.name for result in results] == [call.name for call in calls]
    ids = [given or (result_ids[position] if fit else None) for position, given in enumerate(call_ids)]
    if not fit or (all(call_ids) and call_ids == result_ids):
        used.update(filter(None, call_ids))
        return tool_calls
    for position, given in enumerate(call_ids):
        if not given:
            ids[position] = _unique(ids[position] or "restored", taken, used)
        used.add(str(ids[position]))
    return _with_ids(tool_calls, ids)


def _unique(wanted: str, taken: set[str], used: set[str]) -> str:
    """`wanted`, or the first of `wanted_1`, `wanted_2`, ... that nothing in the history is called."""
    if wanted not in used and wanted != "restored":
        return wanted
    number = 1
    while f"{wanted}_{number}" in taken or f"{wanted}_{number}" in used:
        number += 1
    return f"{wanted}_{number}"


def _with_ids(tool_calls: Any, ids: Iterable[Any]) -> Any:
    holder = tool_calls.tool_call_results
    calls, results = [], []
    for call, result, name in zip(tool_calls.tool_calls, _results(tool_calls), ids, strict=True):
        calls.append(call.model_copy(update={"id": name}))
        results.append(result.model_copy(update={"call_id": name}))
    return tool_calls.model_copy(
        update={
            "tool_calls": calls,
            "tool_call_results": holder.model_copy(update={"tool_call_results": results}),
        }
    )


def _results(tool_calls: Any) -> list[Any]:
    holder = tool_calls.tool_call_results
    return [] if holder is None else list(holder.tool_call_results)


def _call_ids(tool_calls: Any) -> list[str | None]:
    return [call.id for call in tool_calls.tool_calls]


def _result_ids(tool_calls: Any) -> list[str | None]:
    return [result.call_id for result in _results(tool_calls)]
