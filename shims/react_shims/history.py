"""Live `dspy.History` objects: made from trajectories, dumped to JSON and loaded again.

DSPy's own dump of a history (`model_dump_json`, `toDict`) loses the ids of tool calls. Native calling pairs
calls and results by id, so after DSPy's own reload the model no longer sees them (DSPy 3.3.0 to 3.4.1).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from react_shims.dump import dumped_event, loaded_event
from react_shims.live import live_history, one_line
from react_shims.recorded import fields_of, is_dspy_history, parsed, run_of
from react_shims.repair import repaired
from react_shims.repl_trajectory import repl_entries_of
from react_shims.trajectory import trajectory_of
from react_shims.wire.convert import to_events
from react_shims.wire.events import field_of, messages_of
from react_shims.wire.repl import is_repl_event
from react_shims.wire.repl_runs import is_repl_trajectory, to_repl_events

if TYPE_CHECKING:
    import dspy  # type: ignore[import-not-found,unused-ignore]


_V1_OWN = ("trajectory", "reasoning")  # fields of V1's prediction that are no outputs ...
_RLM_OWN = ("trajectory", "repl_trajectory", "final_reasoning", "history")  # ... and of an RLM's


def to_history(
    trajectory: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Any,
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
) -> dspy.History:
    """A run as the history that the new engine would have written, ready to be passed on as `history=`.

    `trajectory` is the dict of a V1 ReAct, or what an RLM has: its list of entries, a `REPLHistory` or its
    text. `inputs` and `outputs` are the values of the signature's fields in that run; without the inputs the
    model sees an answer to no question. For the form see `react_shims.wire.to_events` and `to_repl_events`;
    for the way back `trajectory_of` and `repl_trajectory_of`, which give the equal trajectory. Values are
    shared with the trajectory, not copied.

    Raises:
        ValueError: an input or output has a name that an event needs itself, or is both.
        TypeError: the trajectory is no dict with str keys, and not an RLM's.
        ImportError: DSPy is missing, or older than 3.3.
    """
    entries = repl_entries_of(trajectory)
    if entries is not None:
        return live_history(to_repl_events(entries, inputs, outputs))
    if not isinstance(trajectory, Mapping):
        raise TypeError(
            "to_history takes the trajectory of a ReAct agent, a dict with keys such as 'thought_0', or the "
            f"list of an RLM; this is a {type(trajectory).__name__}"
        )
    return live_history(to_events(trajectory, inputs, outputs))


def history_of(
    x: Any, inputs: Mapping[str, Any] | None = None, outputs: Mapping[str, Any] | None = None
) -> dspy.History:
    """The history of a run, from a prediction of either generation: the mirror image of `trajectory_of`.

    - The history of a V2 prediction, or of an RLM's from DSPy 3.5 on, is returned as is, the very same
      object, with all earlier runs in it. Dumped ones (of a record or by themselves) are loaded as
      `load_history` does.
    - Else the prediction's trajectory, or `x` itself if it is one, is converted as `to_history` does. A
      prediction knows its outputs: all its fields but `trajectory` and `reasoning` (V1's extractor's), or
      `trajectory` and `final_reasoning` (an RLM's, which tells whether the outputs were extracted). It does
      not know its inputs.

    `inputs` and `outputs` are for the second case; a history has its own.

    Raises:
        AttributeError: `x` has neither a history of a run nor a trajectory.
        TypeError: it has the trajectory of something else than a ReAct or an RLM.
        ImportError: DSPy is missing, or older than 3.3.
    """
    source = parsed(x) if isinstance(x, (str, bytes, bytearray)) else x
    run = run_of(source)
    if run is not None:
        return run.history if is_dspy_history(run.history) else load_history(run.history)
    trajectory = _trajectory_for_history(x, source)
    fields = fields_of(x)
    knows_outputs = outputs is None and fields is not None and "_input_keys" not in vars(x)  # no example
    entries = repl_entries_of(trajectory)
    own = _V1_OWN if entries is None else _RLM_OWN
    if fields is not None and knows_outputs:
        outputs = {name: fields[name] for name in fields if name not in own}
    if entries is None:
        return to_history(trajectory, inputs, outputs)
    record = source if isinstance(source, Mapping) else fields or {}
    final_reasoning = record.get("final_reasoning")
    return live_history(to_repl_events(entries, inputs, outputs, final_reasoning=final_reasoning))


def _trajectory_for_history(x: Any, source: Any) -> Any:
    if is_repl_trajectory(source):
        return source
    entries = None if isinstance(x, list) else repl_entries_of(x)
    return trajectory_of(source) if entries is None else entries


def dump_history(history: dspy.History | Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """A history as JSON-ready data, `{"messages": [...]}`, that loses nothing: `load_history` reads it back.

    After the reload the model is sent the very same messages. An RLM's entries become tagged dicts. Values
    that JSON cannot carry: see `react_shims.values`. `dspy.History.model_validate` reads the data too.

    Raises:
        TypeError: it is no history.
        ValueError: a value is nested too deep for JSON.
    """
    events = messages_of(history)
    if events is None:
        raise TypeError(_not_a_history("dump_history", history))
    try:
        return {"messages": [dumped_event(event) for event in events]}
    except RecursionError:
        raise ValueError("dump_history: a value in the history is nested too deep for JSON") from None


def load_history(data: Any) -> dspy.History:
    """The history that `dump_history` dumped, or DSPy's own `model_dump()`, `model_dump_json()`, `toDict()`.

    Takes JSON text (of equal keys in an object the last one counts), the dict `{"messages": [...]}`, a list
    of events, or a `dspy.History`. Ids of tool calls that DSPy's own dump lost are put back: see `repair.py`.
    What is given is not changed.

    Raises:
        ValueError: the text is no JSON, or the data is no history.
        ImportError: DSPy is missing, or older than 3.3.
    """
    events = messages_of(_parsed_json(data) if isinstance(data, (str, bytes, bytearray)) else data)
    if events is None:
        raise ValueError(_not_a_history("load_history", data))
    live = live_history([loaded_event(event) for event in events])
    calls = [
        (event, name)
        for event in live.messages
        for name in event
        if _is_live_calls(event[name]) and not is_repl_event(event)
    ]
    mended = repaired([event[name] for event, name in calls])
    for (event, name), tool_calls in zip(calls, mended, strict=True):
        event[name] = tool_calls
    return live


def _is_live_calls(value: Any) -> bool:
    return not isinstance(value, Mapping) and isinstance(field_of(value, "tool_calls"), list)


def _parsed_json(text: str | bytes | bytearray) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("load_history: the JSON text is nested too deep") from None
    except ValueError as error:
        raise ValueError(f"load_history: the text is not JSON: {one_line(error)}") from error


def _not_a_history(function: str, found: Any) -> str:
    what = f"a {type(found).__name__}"
    if isinstance(found, Mapping):
        names = ", ".join(repr(str(key)[:30]) for key in list(found)[:5])
        what += f" with the keys {names}" if found else " without keys"
    elif isinstance(found, list):
        what += " with other things than events (dicts) in it"
    return (
        f"{function}: this is no history but {what}; expected a dspy.History, a dict with a list of events "
        "under 'messages', or that list"
    )
