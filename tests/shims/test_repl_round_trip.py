"""An RLM's trajectory survives the way into history events and back, whatever is in it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from repl_strategies import ALL_PECULIARITIES, peculiarities, repl_trajectories
from strategies import json_values, trajectories

from react_shims import dump_history, repl_trajectory_of, trajectory_of
from react_shims.wire import to_events, to_repl_events

inputs = st.none() | st.dictionaries(
    st.sampled_from(["context", "query", "code", "output", "tool_calls", "next_thought"]),
    json_values,
    max_size=2,
)
outputs = st.none() | st.dictionaries(st.sampled_from(["answer", "reasoning"]), json_values, max_size=2)
final_reasonings = st.sampled_from([None, "It was so.", "Extract forced final output"])

SEARCH = settings(max_examples=5000, database=None, deadline=None, phases=[Phase.generate])


def same(one: Any, other: Any) -> bool:
    """Equal, with the keys in the same order and `1`, `1.0` and `True` told apart."""
    return repr(one) == repr(other)


@settings(max_examples=150, deadline=None)
@given(repl_trajectories(), inputs, outputs, final_reasonings)
def test_what_goes_in_comes_out(trajectory: Any, inputs: Any, outputs: Any, final_reasoning: Any) -> None:
    events = to_repl_events(trajectory, inputs, outputs, final_reasoning=final_reasoning)
    history = {"messages": events}
    text = json.dumps(history)
    assert same(repl_trajectory_of(history), trajectory)
    assert same(repl_trajectory_of(text), trajectory)
    assert same(repl_trajectory_of(text.encode()), trajectory)
    assert same(repl_trajectory_of(json.dumps(dump_history(history))), trajectory)
    if events:
        assert same(repl_trajectory_of({"answer": "A", "history": history}), trajectory)
        assert same(repl_trajectory_of(events), trajectory)
        assert same(trajectory_of(history), trajectory)


@settings(max_examples=60, deadline=None)
@given(repl_trajectories(), inputs, outputs)
def test_nothing_that_was_given_changes(trajectory: Any, inputs: Any, outputs: Any) -> None:
    before = copy.deepcopy((trajectory, inputs, outputs))
    repl_trajectory_of({"messages": to_repl_events(trajectory, inputs, outputs)})
    assert same((trajectory, inputs, outputs), before)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(repl_trajectories(), inputs, outputs), min_size=2, max_size=3))
def test_of_several_runs_the_last_is_read(runs: Any) -> None:
    events = [to_repl_events(*run) for run in runs]
    if events[-1]:
        assert same(repl_trajectory_of([event for run in events for event in run]), runs[-1][0])


@settings(max_examples=60, deadline=None)
@given(repl_trajectories(), trajectories(), st.sampled_from([None, {"query": "q"}]), outputs)
def test_runs_of_a_react_and_of_an_rlm_in_one_history(
    repl: Any, flat: Any, inputs: Any, outputs: Any
) -> None:
    rlms = to_repl_events(repl, inputs, outputs)
    reacts = to_events(flat, inputs, outputs)
    if rlms:
        assert same(repl_trajectory_of([*reacts, *rlms]), repl)
        assert same(trajectory_of([*reacts, *rlms]), repl)
    if reacts:
        assert same(trajectory_of([*rlms, *reacts]), flat)
        assert repl_trajectory_of([*rlms, *reacts], None) is None or not rlms


@settings(max_examples=100, deadline=None)
@given(repl_trajectories(), inputs, outputs, final_reasonings)
def test_inputs_come_first_and_outputs_last(
    trajectory: Any, inputs: Any, outputs: Any, final_reasoning: Any
) -> None:
    events = to_repl_events(trajectory, inputs, outputs, final_reasoning=final_reasoning)
    own = {"variables_info", "iteration", "repl_entry", "react_migrate"}
    fields = [{name: value for name, value in event.items() if name not in own} for event in events]
    assert not any(fields[1:-1])
    if events:
        assert same(dict(list(fields[0].items())[: len(inputs or {})]), inputs or {})
        assert same(dict(list(fields[-1].items())[len(fields[-1]) - len(outputs or {}) :]), outputs or {})
    assert len(events) - len(trajectory) in (0, 1)


@pytest.mark.parametrize("peculiarity", sorted(ALL_PECULIARITIES))
def test_the_strategy_makes_every_peculiarity(peculiarity: str) -> None:
    """So that the properties above are about it. (`--hypothesis-show-statistics` counts how often.)"""
    wanted = find(repl_trajectories(), lambda each: peculiarities(each)[peculiarity], settings=SEARCH)
    assert peculiarities(wanted)[peculiarity]
