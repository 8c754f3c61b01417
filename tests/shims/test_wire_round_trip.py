"""A V1 trajectory survives the way into history events and back, whatever is in it."""

from __future__ import annotations

import copy
import json
import unittest.mock
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from strategies import ALL_PECULIARITIES, json_values, peculiarities, trajectories

from react_shims import has_trajectory, trajectory_of
from react_shims.wire import calls_of, to_events
from react_shims.wire.events import inputs_in
from react_shims.wire.regular import events_of_regular

inputs = st.none() | st.dictionaries(
    st.sampled_from(["question", "größe", "context"]), json_values, max_size=2
)
outputs = st.none() | st.dictionaries(st.sampled_from(["answer", "score"]), json_values, max_size=2)

SEARCH = settings(max_examples=5000, database=None, deadline=None, phases=[Phase.generate])


def same(one: Any, other: Any) -> bool:
    """Equal, with the keys in the same order and `1`, `1.0` and `True` told apart."""
    return repr(one) == repr(other)


@settings(max_examples=150, deadline=None)
@given(trajectories(), inputs, outputs)
def test_what_goes_in_comes_out(trajectory: Any, inputs: Any, outputs: Any) -> None:
    events = to_events(trajectory, inputs, outputs)
    if events:
        assert same(trajectory_of(events), trajectory)
    assert same(trajectory_of({"messages": events}), trajectory)
    assert has_trajectory({"messages": events})


@settings(max_examples=80, deadline=None)
@given(trajectories(), inputs, outputs)
def test_also_as_json_text(trajectory: Any, inputs: Any, outputs: Any) -> None:
    text = json.dumps({"messages": to_events(trajectory, inputs, outputs)})
    assert same(trajectory_of(text), trajectory)
    assert same(trajectory_of(text.encode()), trajectory)


@settings(max_examples=60, deadline=None)
@given(trajectories(), inputs, outputs)
def test_nothing_that_was_given_changes(trajectory: Any, inputs: Any, outputs: Any) -> None:
    before = copy.deepcopy((trajectory, inputs, outputs))
    trajectory_of({"messages": to_events(trajectory, inputs, outputs)})
    assert same((trajectory, inputs, outputs), before)


@settings(max_examples=60, deadline=None)
@given(trajectories(), inputs, outputs)
def test_only_this_run_is_read_behind_another_one(trajectory: Any, inputs: Any, outputs: Any) -> None:
    earlier = to_events(
        {"tool_name_0": "search", "tool_args_0": {}}, {"question": "first"}, {"answer": "one"}
    )
    assert same(trajectory_of(earlier + to_events(trajectory, inputs, outputs)), trajectory) or not (
        inputs or trajectory
    )


@settings(max_examples=60, deadline=None)
@given(trajectories(), inputs, outputs)
def test_ids_depend_on_the_content_alone(trajectory: Any, inputs: Any, outputs: Any) -> None:
    def ids(events: list[dict[str, Any]]) -> list[str | None]:
        return [call.id for event in events for call in calls_of(event)]

    first = ids(to_events(trajectory, inputs, outputs))
    assert first == ids(to_events(copy.deepcopy(trajectory), inputs, outputs))
    other = ids(to_events({**trajectory, "thought_0": "something else"}, inputs, outputs))
    assert not set(first) & set(other)
    assert len(set(first)) == len(first)
    assert not any(name is None or name.startswith("call_") for name in first)


@settings(max_examples=60, deadline=None)
@given(trajectories(), inputs, outputs)
def test_events_replay(trajectory: Any, inputs: Any, outputs: Any) -> None:
    """What DSPy's adapters need: a dict of arguments, and a result for the very call, of the same id."""
    events = to_events(trajectory, inputs, outputs)
    for event in events:
        for call in event.get("tool_calls", {"tool_calls": []})["tool_calls"]:
            assert isinstance(call["args"], dict)
        container = event.get("tool_calls", {})
        for result in container.get("tool_call_results", {"tool_call_results": []})["tool_call_results"]:
            assert (result["call_id"], result["name"]) == tuple(
                container["tool_calls"][0][k] for k in ("id", "name")
            )
    if inputs:
        assert same(inputs_in(events[0]), inputs)
        assert not any(inputs_in(event) for event in events[1:])
    if outputs:
        assert {name: events[-1][name] for name in outputs} == outputs


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ({"x": 1}, {"x": 1}),
        ('{"x": 1}', {"x": 1}),
        ("no JSON", {"args": "no JSON"}),
        ("[1]", {"args": "[1]"}),
        ([1], {"args": [1]}),
        (None, {}),
        ({1: 2}, {"1": 2}),
    ],
)
def test_arguments_are_a_dict_whatever_was_stored(args: Any, shown: Any) -> None:
    (event,) = to_events({"tool_name_0": "a", "tool_args_0": args})
    assert event["tool_calls"]["tool_calls"][0]["args"] == shown
    assert trajectory_of([event]) == {"tool_name_0": "a", "tool_args_0": args}


def test_a_gap_is_noted_once() -> None:
    events = to_events({f"tool_name_{number}": "a" for number in (0, 1, 4, 5, 6, 9)})
    assert [event["react_migrate"].get("number") for event in events] == [None, None, 4, None, None, 9]


@settings(max_examples=80, deadline=None)
@given(trajectories(), inputs, outputs)
def test_the_fast_way_for_regular_trajectories_gives_the_same(
    trajectory: Any, inputs: Any, outputs: Any
) -> None:
    fast = to_events(trajectory, inputs, outputs)
    with unittest.mock.patch("react_shims.wire.convert.events_of_regular", return_value=None):
        assert repr(to_events(trajectory, inputs, outputs)) == repr(fast)


@pytest.mark.parametrize("count", [63, 64, 65, 300])
def test_long_runs(count: int) -> None:
    step = {"thought": "t", "tool_name": "search", "tool_args": {}, "observation": "hit"}
    trajectory = {f"{name}_{number}": value for number in range(count) for name, value in step.items()}
    events = to_events(trajectory)
    assert same(trajectory_of(events), trajectory)
    assert len({call.id for event in events for call in calls_of(event)}) == count


def test_most_trajectories_are_regular() -> None:
    """Else the fast way is for nothing, and the test above for less."""
    regular = {"thought_0": "t", "tool_name_0": "submit", "tool_args_0": {"q": 1}, "observation_0": None}
    assert events_of_regular(regular, "traj") is not None
    assert events_of_regular({}, "traj") == []
    for change in (
        {"thought_0": None},
        {"tool_name_0": 1},
        {"tool_args_0": "{}"},
        {"tool_args_0": {1: 2}},
        {"x": 1},
    ):
        assert events_of_regular({**regular, **change}, "traj") is None
    del regular["observation_0"]
    assert events_of_regular(regular, "traj") is None


@pytest.mark.parametrize("peculiarity", sorted(ALL_PECULIARITIES))
def test_the_strategy_makes_every_peculiarity(peculiarity: str) -> None:
    """So that the properties above are about it. (`--hypothesis-show-statistics` counts how often.)"""
    wanted = find(trajectories(), lambda each: peculiarities(each)[peculiarity], settings=SEARCH)
    assert peculiarities(wanted)[peculiarity]


def test_the_marker_is_there_only_when_something_needs_it() -> None:
    step = {"thought_0": "t", "tool_name_0": "search", "tool_args_0": {"q": 1}, "observation_0": "hit"}
    finish = {"thought_0": "t", "tool_name_0": "finish", "tool_args_0": {}, "observation_0": "Completed."}
    assert not any("react_migrate" in event for event in to_events(step, {"question": "q"}))
    (event,) = to_events(finish, {"question": "q"}, {"answer": "A"})
    assert event["react_migrate"] == {"finish": True}
