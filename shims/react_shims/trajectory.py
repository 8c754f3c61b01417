"""Reading a run in V1's shape, whatever produced it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from react_shims.recorded import RecordedRun, parsed, run_of
from react_shims.stored_trajectory import DerivedTrajectory, stored_repl_trajectory, stored_trajectory
from react_shims.wire.flat import group_steps, has_step_keys, is_failure
from react_shims.wire.repl_runs import is_repl_trajectory
from react_shims.wire.view import steps_in

__all__ = ["DerivedTrajectory", "Step", "has_trajectory", "steps_of", "trajectory_of"]


class Step(NamedTuple):
    """One step of a run: a tool call and what came of it."""

    thought: str
    name: str
    args: dict[str, Any]
    observation: Any  # what the tool returned; the error's text if it failed
    is_error: bool
    call_id: str | None  # V1's trajectories have none


_REPL_HINT = ", an RLM's, whose steps are code and not tool calls: repl_trajectory_of reads it"

_NOT_GIVEN: Any = object()
_NOTHING: Any = object()


def trajectory_of(x: Any, default: Any = _NOT_GIVEN) -> Any:
    """The trajectory of an agent's run in V1's shape, on every DSPy and from either generation of ReAct.

    In this order:

    1. A real trajectory, as is, the very same object: `x.trajectory`, or a mapping's `x["trajectory"]`, or
       `x` itself if it is one (a dict with keys like `tool_name_0`, or an empty dict); then the list that an
       RLM's prediction has as its `repl_trajectory`.
    2. Of a prediction of the history-based ReAct, a `dspy.History` or their dumps (dict, list of events, JSON
       text): V1's flat dict of the last run in the history. A prediction's is made once: in-place edits last.
       If that run is an RLM's: its list, as `repl_trajectory_of` gives it, so that code for both goes on.
    3. `default`, if given.

    Not exact for plain DSPy agents, because the history does not tell: a run that was resumed without inputs
    shows the unfinished run before it too; a prediction read after its history was continued in place, by
    runs with the same outputs or without any, shows theirs.

    Raises:
        AttributeError: the object's own, as `x.trajectory` raises it.
    """
    found, missing = _find(x)
    if missing is None:
        return found.trajectory() if isinstance(found, RecordedRun) else found
    if default is not _NOT_GIVEN:
        return default
    raise missing


def has_trajectory(x: Any) -> bool:
    """Whether `trajectory_of(x)` would return."""
    return trajectory_of(x, _NOTHING) is not _NOTHING


def steps_of(x: Any) -> Iterator[Step]:
    """The steps of a run, one by one, from anything that `trajectory_of` reads.

    A history's steps are read from it, whatever was edited in the flat view. A V1 trajectory tells a failed
    step only by the wording of its observation. What a partial step lacks is "", {} or None.

    Raises:
        AttributeError: `x` has no trajectory.
        TypeError: it is not a ReAct's trajectory but, say, the list of an RLM.
    """
    found, missing = _find(x)
    if missing is not None:
        raise missing
    if isinstance(found, RecordedRun):
        if not found.is_repl:
            return _steps_of_events(found)
        found = found.trajectory()
    if isinstance(found, Mapping):
        return _steps_of_flat(found)
    raise TypeError(
        f"steps_of reads ReAct trajectories, which are dicts; this {type(x).__name__} has a trajectory of "
        f"type {type(found).__name__}" + (_REPL_HINT if is_repl_trajectory(found) else "")
    )


def _steps_of_events(run: RecordedRun) -> Iterator[Step]:
    for event in run.events:
        for step in steps_in(event):
            yield _step(step.fields, step.call.is_error, step.call.id)


def _steps_of_flat(trajectory: Mapping[str, Any]) -> Iterator[Step]:
    for fields in group_steps(trajectory)[0].values():
        yield _step(fields, is_failure(fields.get("tool_name"), fields.get("observation")), None)


def _step(fields: Mapping[str, Any], is_error: bool, call_id: str | None) -> Step:
    return Step(
        fields.get("thought", ""),
        fields.get("tool_name", ""),
        fields.get("tool_args", {}),
        fields.get("observation"),
        is_error,
        call_id,
    )


def _find(x: Any) -> tuple[Any, AttributeError | None]:
    """A real trajectory or a `RecordedRun`; else the error that says there is none."""
    try:
        return _real_trajectory(x), None
    except AttributeError as error:
        missing = error
    repl_trajectory = stored_repl_trajectory(x)
    if repl_trajectory is not None:
        return repl_trajectory, None
    if isinstance(x, (str, bytes, bytearray)):
        x = parsed(x)
        if isinstance(x, dict) and has_step_keys(x):
            return x, None
    run = run_of(x)
    return (None, missing) if run is None else (run, None)


def _real_trajectory(x: Any) -> Any:
    """What is a trajectory without being derived from a history. Raises AttributeError if nothing is."""
    try:
        return stored_trajectory(x)
    except AttributeError:
        if isinstance(x, Mapping) and (not x or has_step_keys(x)):
            return x
        raise
