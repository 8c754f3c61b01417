"""Trajectory <-> history events, as plain data. Nothing in this package imports dspy.

*V1* is the ReAct that keeps a trajectory (`dspy.ReAct` up to DSPy 3.4), *V2* the one that keeps a history
(`dspy.ReActV2` in 3.3 and 3.4, `dspy.ReAct` from 3.5 on).

A *trajectory* is V1's flat dict: `thought_0`, `tool_name_0`, `tool_args_0`, `observation_0`, `thought_1`, ...
An *event* is one entry of `dspy.History.messages`, as V2 appends it for one turn of the agent:

    {inputs (in a run's first event), "next_thought", "tool_calls" (and results), outputs (in its last event)}

An RLM's *trajectory* is a list of `{"reasoning", "code", "output"}`; for its events see `repl.py`.

Readers accept events as live objects (`dspy.ToolCalls`) and as plain dicts, mixed at will.
"""

from react_shims.wire.convert import to_events
from react_shims.wire.digest import content_digest
from react_shims.wire.edits import KeptEvents, keep_steps
from react_shims.wire.events import Call, calls_of, is_agent_event, messages_of
from react_shims.wire.flat import group_steps, has_step_keys, is_failure
from react_shims.wire.marker import EVENT_KEY, Marker, marker_of
from react_shims.wire.repl import is_repl_event, is_run_event
from react_shims.wire.repl_runs import repl_trajectory_in, to_repl_events
from react_shims.wire.view import EventStep, FlatView, Place, flat_view, run_bounds, steps_in, trajectory_in

__all__ = [
    "EVENT_KEY",
    "Call",
    "EventStep",
    "FlatView",
    "KeptEvents",
    "Marker",
    "Place",
    "calls_of",
    "content_digest",
    "flat_view",
    "group_steps",
    "has_step_keys",
    "is_agent_event",
    "is_failure",
    "is_repl_event",
    "is_run_event",
    "keep_steps",
    "marker_of",
    "messages_of",
    "repl_trajectory_in",
    "run_bounds",
    "steps_in",
    "to_events",
    "to_repl_events",
    "trajectory_in",
]
