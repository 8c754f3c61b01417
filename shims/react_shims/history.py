"""Live `dspy.History` objects: made from trajectories, dumped to JSON and loaded again.

DSPy's own dump of a history (`model_dump_json`, `toDict`) loses the ids of tool calls. Native calling pairs
calls and results by id, so after DSPy's own reload the model no longer sees them (DSPy 3.3.0 to 3.4.1).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from react_shims.dump import dumped_event, loaded_event
from react_shims.recorded import fields_of, is_dspy_history, parsed, run_of
from react_shims.repair import repaired
from react_shims.trajectory import trajectory_of
from react_shims.wire.convert import to_events
from react_shims.wire.events import field_of, messages_of
from react_shims.wire.marker import EVENT_KEY

if TYPE_CHECKING:
    import dspy  # type: ignore[import-not-found,unused-ignore]


def to_history(
    trajectory: Mapping[str, Any],
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
) -> dspy.History:
    """A V1 run as the history that V2 would have written, ready to be passed on as `history=`.

    `inputs` and `outputs` are the values of the signature's fields in that run; without the inputs the model
    sees an answer to no question. See `react_shims.wire.to_events` for the form, and `trajectory_of` for the
    way back, which gives the equal trajectory. Observations are shared with the trajectory, not copied.

    Raises:
        ValueError: an input or output has a name that an event needs itself, or is both.
        TypeError: the trajectory is no dict with str keys.
        ImportError: DSPy is missing, or older than 3.3.
    """
    if not isinstance(trajectory, Mapping):
        raise TypeError(
            "to_history takes the trajectory of a ReAct agent, a dict with keys such as 'thought_0'; this is "
            f"a {type(trajectory).__name__}"
        )
    return _history(to_events(trajectory, inputs, outputs))


def history_of(
    x: Any, inputs: Mapping[str, Any] | None = None, outputs: Mapping[str, Any] | None = None
) -> dspy.History:
    """The history of a run, from a prediction of either generation: the mirror image of `trajectory_of`.

    - The history of a V2 prediction is returned as is, the very same object, with all earlier runs in it.
      Dumped ones (of a record or by themselves) are loaded as `load_history` does.
    - A V1 prediction or trajectory is converted as `to_history` does. A prediction knows its outputs: all its
      fields but `trajectory` and `reasoning` (the extractor's). It does not know its inputs.

    `inputs` and `outputs` are for the second case; a history has its own.

    Raises:
        AttributeError: `x` has neither a history of tool calls nor a trajectory.
        TypeError: it has the trajectory of something else than a ReAct, such as an RLM.
        ImportError: DSPy is missing, or older than 3.3.
    """
    source = parsed(x) if isinstance(x, (str, bytes, bytearray)) else x
    run = run_of(source)
    if run is not None:
        return run.history if is_dspy_history(run.history) else load_history(run.history)
    trajectory = trajectory_of(source)
    fields = fields_of(x)
    if outputs is None and fields is not None and "_input_keys" not in vars(x):  # a prediction, no example
        outputs = {name: fields[name] for name in fields if name not in ("trajectory", "reasoning")}
    return to_history(trajectory, inputs, outputs)


def dump_history(history: dspy.History | Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """A history as JSON-ready data, `{"messages": [...]}`, that loses nothing: `load_history` reads it back.

    After the reload the model is sent the very same messages. Values that JSON cannot carry: see
    `react_shims.values`. `dspy.History.model_validate` reads the data too.

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
    live = _history([loaded_event(event) for event in events])
    calls = [(event, name) for event in live.messages for name in event if _is_live_calls(event[name])]
    mended = repaired([event[name] for event, name in calls])
    for (event, name), tool_calls in zip(calls, mended, strict=True):
        event[name] = tool_calls
    return live


def _history(events: Sequence[Mapping[str, Any]]) -> dspy.History:
    """A `dspy.History` of events in which tool calls are DSPy's objects."""
    dspy = _dspy_with_tool_results()
    messages = [
        {name: _live_calls(dspy, position, name, value) for name, value in event.items()}
        for position, event in enumerate(events)
    ]
    return dspy.History(messages=messages)


def _live_calls(dspy: Any, position: int, name: str, value: Any) -> Any:
    """`value` as a `dspy.ToolCalls` if it is a dump of one; as it is otherwise."""
    calls = field_of(value, "tool_calls")
    if name == EVENT_KEY or not isinstance(calls, list):
        return value
    results = field_of(value, "tool_call_results")
    try:
        live = dspy.ToolCalls.model_validate({"tool_calls": calls})
        results = None if results is None else dspy.ToolCallResults.model_validate(results)
    except ValueError as error:  # pydantic's ValidationError is one
        if name != "tool_calls":
            return value  # an input that only looks like it
        raise ValueError(
            f"event {position} of the history has tool calls that DSPy cannot read: {_one_line(error)}"
        ) from error
    return live.model_copy(update={"tool_call_results": results})


def _is_live_calls(value: Any) -> bool:
    return not isinstance(value, Mapping) and isinstance(field_of(value, "tool_calls"), list)


def _dspy_with_tool_results() -> Any:
    try:
        import dspy
    except ModuleNotFoundError as error:
        if error.name != "dspy":
            raise  # DSPy is there and misses something itself
        raise ImportError(
            "a dspy.History needs DSPy, which is not installed here: pip install 'dspy>=3.3'. "
            "(react_shims.wire converts plain data without it.)",
            name="dspy",
        ) from error
    if not hasattr(dspy, "ToolCallResults"):
        raise ImportError(
            f"DSPy {dspy.__version__} has no histories of tool calls: pip install 'dspy>=3.3'. "
            "(trajectory_of, steps_of and react_shims.wire work on this DSPy too.)",
            name="dspy",
        )
    return dspy


def _parsed_json(text: str | bytes | bytearray) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("load_history: the JSON text is nested too deep") from None
    except ValueError as error:
        raise ValueError(f"load_history: the text is not JSON: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    """An error's text, which may quote the stored data: short, and without anything a terminal obeys."""
    text = " ".join(str(error).split())
    return "".join(letter if letter.isprintable() else "?" for letter in text[:200])


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
