"""V1 trajectories as hypothesis makes them: every shape that V1 and the code around it can leave behind."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from hypothesis import event
from hypothesis import strategies as st

# What json.loads can return and json.dumps can write: the values of a stored run.
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**63, max_value=2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)

names = st.sampled_from(["question", "answer", "größe", "x1"])
texts = st.text(max_size=30) | st.sampled_from(
    ["", "Completed.", "Ünïcode ✓ \U0001f600", "a\nb\t\x00", "\ud800"]
)
tools = st.sampled_from(["search", "lookup", "submit", "finish", "wetter_für"]) | st.text(
    min_size=1, max_size=8
)
arguments = st.dictionaries(st.text(min_size=1, max_size=8), json_values, max_size=3)
# Stored runs have arguments as JSON text, too; and what a model gave may be no arguments at all.
odd_arguments = st.sampled_from(['{"query": "a"}', "no JSON", "", None, ["a"], 7, "[1]"])
foreign_keys = st.sampled_from(
    ["fatal_error_log", "reasoning_0", "thought_01", "thought_", "observation", "tool_calls", "thought_-1"]
)


@st.composite
def steps(draw: st.DrawFn) -> dict[str, Any]:
    """One step with all four fields."""
    tool = draw(tools)
    failed = draw(st.sampled_from(["", "", f"Execution error in {tool}: ", "Failed to execute: "]))
    return {
        "thought": draw(texts),
        "tool_name": tool,
        "tool_args": draw(arguments | arguments | odd_arguments),
        "observation": failed + draw(texts) if failed else draw(json_values),
    }


@st.composite
def finishes(draw: st.DrawFn) -> dict[str, Any]:
    """V1's last step; models like to pass the answer to `finish`, which V1 reports as an error."""
    if draw(st.booleans()):
        args, observation = {}, "Completed."
    else:
        args, observation = draw(arguments), "Execution error in finish: unexpected keyword argument"
    return {"thought": draw(texts), "tool_name": "finish", "tool_args": args, "observation": observation}


@st.composite
def trajectories(draw: st.DrawFn) -> dict[str, Any]:
    """A V1 trajectory; `event()` counts which of its peculiarities occur."""
    count = draw(st.sampled_from([0, 1, 2, 3, 5, 11, 12]))
    groups = draw(st.lists(steps(), min_size=count, max_size=count))
    if draw(st.booleans()):
        groups.append(draw(finishes()))
    numbers = list(range(len(groups)))
    if draw(st.booleans()):  # truncated: from the start, or with gaps
        gaps = draw(st.lists(st.integers(0, 3), min_size=len(groups), max_size=len(groups)))
        numbers = [number + sum(gaps[: number + 1]) for number in numbers]
    pairs = [
        (f"{name}_{number}", value)
        for number, group in zip(numbers, groups, strict=True)
        for name, value in group.items()
    ]
    if groups and draw(st.booleans()):  # interrupted in the last step
        del pairs[-draw(st.integers(1, 3)) :]
    if draw(st.integers(0, 3)) == 3 and pairs:  # somebody removed a key, or emptied it
        position = draw(st.integers(0, len(pairs) - 1))
        pairs[position : position + 1] = draw(st.sampled_from([[], [(pairs[position][0], None)]]))
    foreign = list(draw(st.dictionaries(foreign_keys, json_values, max_size=2)).items())
    pairs += foreign
    order = draw(st.sampled_from(["V1's", "sorted", "shuffled"]))
    if order == "sorted":
        pairs.sort(key=lambda pair: pair[0])
    elif order == "shuffled":
        random.Random(draw(st.integers())).shuffle(pairs)
    trajectory = dict(pairs)
    for name, occurs in peculiarities(trajectory).items():
        if occurs:
            event(name)
    return trajectory


def peculiarities(trajectory: dict[str, Any]) -> dict[str, bool]:
    """What is special about a trajectory, by name."""
    keys = list(trajectory)
    fields: dict[str, set[int]] = {"thought": set(), "tool_name": set(), "observation": set()}
    for key in keys:
        name, _, number = key.rpartition("_")
        if name in fields and number.isdecimal() and str(int(number)) == number:
            fields[name].add(int(number))
    numbers = sorted(fields["thought"])
    tools = {number: trajectory[f"tool_name_{number}"] for number in fields["tool_name"]}
    return {
        "empty": not trajectory,
        "gap": any(after - before > 1 for before, after in pairwise(numbers)),
        "starts later": bool(numbers) and numbers[0] > 0,
        "partial last step": bool(numbers) and numbers[-1] not in fields["observation"],
        "finish": "finish" in tools.values(),
        "finish with arguments": any(
            tool == "finish" and bool(trajectory.get(f"tool_args_{number}")) for number, tool in tools.items()
        ),
        "own tool named submit": "submit" in tools.values(),
        "no tool's name": any(
            not isinstance(trajectory.get(f"tool_name_{number}"), str) for number in numbers
        ),
        "odd arguments": any(
            not isinstance(trajectory.get(f"tool_args_{number}"), dict) for number in fields["tool_name"]
        ),
        "foreign key": any(key in trajectory for key in ("fatal_error_log", "reasoning_0", "tool_calls")),
        "10 before 2": {"thought_10", "thought_2"} <= trajectory.keys()
        and keys.index("thought_10") < keys.index("thought_2"),
        "unicode": not repr(trajectory).isascii(),
        "huge int": any(isinstance(value, int) and value >= 2**63 for value in trajectory.values()),
    }


ALL_PECULIARITIES = frozenset(peculiarities({}))
