"""`trajectory_of`, `has_trajectory`, `steps_of` on all that is no DSPy object. (Those: tests/on_dspy.)"""

from __future__ import annotations

import json
import types
from collections import UserDict, defaultdict
from dataclasses import dataclass
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest
from events import FINISH, call, flat, submit, turn
from hypothesis import given, settings
from strategies import trajectories

from react_shims import Step, has_trajectory, steps_of, trajectory_of
from react_shims.wire import to_events

V1 = flat(("look", "search", {"query": "a"}, "hit"), ("done", *FINISH))
V2 = [
    turn("look", call("search", {"query": "a"}, "hit"), question="q"),
    turn("done", submit(answer="A"), answer="A"),
]


@dataclass
class Plan:
    """A robot's."""

    trajectory: list[float]


class Guarded:
    """Its `trajectory` works only when asked nicely."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    @property
    def trajectory(self) -> Any:
        if self.error:
            raise self.error
        return V1


RLM_STEPS = [{"reasoning": "r", "code": "c", "output": "o"}]


@pytest.mark.parametrize(
    ("x", "real"),
    [
        (types.SimpleNamespace(trajectory=V1), V1),
        (types.SimpleNamespace(trajectory=RLM_STEPS, history={"messages": V2}), RLM_STEPS),
        (types.SimpleNamespace(trajectory=None), None),
        (Plan([0.5]), None),
        (Guarded(None), V1),
        (MagicMock(), None),
        ({"question": "q", "trajectory": V1}, V1),
        ({"trajectory": V1, "history": {"messages": V2}}, V1),
        (UserDict(trajectory=V1), V1),
        (V1, V1),
        ({"observation_3": "only this is left"}, None),
        ({}, None),
    ],
)
def test_a_real_trajectory_is_returned_as_it_is(x: Any, real: Any) -> None:
    if isinstance(x, (Plan, MagicMock)):
        expected = x.trajectory
    else:
        expected = real if real is not None or hasattr(x, "trajectory") else x
    assert trajectory_of(x) is expected
    assert trajectory_of(x, "default") is expected
    assert has_trajectory(x)


def test_asking_twice_is_asking_once() -> None:
    for x in (V2, V1, {"history": V2}, {}):
        found = trajectory_of(x)
        assert trajectory_of(found) is found


@pytest.mark.parametrize(
    "x",
    [
        V2,
        {"messages": V2},
        json.dumps(V2),
        json.dumps({"messages": V2}),
        json.dumps({"messages": V2}).encode(),
        bytearray(json.dumps(V2).encode()),
        types.SimpleNamespace(messages=V2),
        types.SimpleNamespace(history={"messages": V2}, answer="A", termination_reason="submit"),
        {"history": V2, "answer": "A", "termination_reason": "submit"},
        json.dumps({"history": {"messages": V2}, "answer": "A", "termination_reason": "submit"}),
        json.dumps(V1),
    ],
)
def test_every_form_of_a_stored_run_is_read(x: Any) -> None:
    assert trajectory_of(x) == V1
    assert has_trajectory(x)


NOT_A_RUN = [
    None,
    1,
    "text",
    "{broken",
    "[" * 100_000,
    '"trajectory"',
    "{}",
    b"\xff{",
    object(),
    [],
    (),
    RLM_STEPS,
    {"question": "q"},
    {1: 2},
    {"messages": [{"role": "user", "content": "hi"}]},
    [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}],
    types.SimpleNamespace(messages=[], history=[]),
    types.SimpleNamespace(history=[{"prompt": "p", "response": "r"}]),
    Mock(spec=["answer"]),
    Plan,
]


@pytest.mark.parametrize("x", NOT_A_RUN)
def test_the_error_is_the_objects_own(x: Any) -> None:
    with pytest.raises(AttributeError) as own:
        x.trajectory  # noqa: B018
    with pytest.raises(AttributeError) as ours:
        trajectory_of(x)
    assert (str(ours.value), ours.value.name) == (str(own.value), own.value.name)


@pytest.mark.parametrize("x", NOT_A_RUN)
def test_the_default_is_returned_as_it_is(x: Any) -> None:
    default: dict[str, Any] = {}
    assert trajectory_of(x, default) is default
    assert trajectory_of(x, None) is None
    assert not has_trajectory(x)


def test_an_attribute_error_of_a_property_counts_as_missing_as_it_does_for_hasattr() -> None:
    error = AttributeError("no such part")
    assert not has_trajectory(Guarded(error))
    with pytest.raises(AttributeError) as raised:
        trajectory_of(Guarded(error))
    assert raised.value is error


def test_any_other_error_is_not_hidden() -> None:
    for ask in (trajectory_of, has_trajectory, lambda x: trajectory_of(x, {})):
        with pytest.raises(ZeroDivisionError):
            ask(Guarded(ZeroDivisionError()))


def test_asking_makes_no_key() -> None:
    record: Any = defaultdict(list, question="q")
    assert trajectory_of(record, None) is None
    assert dict(record) == {"question": "q"}


def test_what_is_no_prediction_is_not_written_on() -> None:
    record = types.SimpleNamespace(history={"messages": V2})
    trajectory_of(record)
    assert vars(record).keys() == {"history"}


STEPS = [
    Step("look", "search", {"query": "a"}, "hit", False, "id_look_0"),
    Step("done", "finish", {}, "Completed.", False, "id_done_0"),
]


def test_steps_of_a_history() -> None:
    assert list(steps_of(V2)) == STEPS
    assert list(steps_of(json.dumps({"messages": V2}))) == STEPS


def test_steps_of_a_trajectory_have_no_ids() -> None:
    expected = [step._replace(call_id=None) for step in STEPS]
    assert list(steps_of(V1)) == expected
    assert list(steps_of(types.SimpleNamespace(trajectory=V1))) == expected


def test_steps_come_in_the_order_of_their_numbers() -> None:
    trajectory = {f"tool_name_{number}": str(number) for number in sorted(range(12), key=str)}
    assert [step.name for step in steps_of(trajectory)] == [str(number) for number in range(12)]


@pytest.mark.parametrize("text", ["Execution error in search: boom", "Failed to execute: boom"])
def test_a_failed_step_is_known_by_both_generations_words(text: str) -> None:
    (step,) = steps_of(flat(("t", "search", {}, text)))
    assert step.is_error
    (step,) = steps_of(to_events(flat(("t", "search", {}, text))))
    assert step.is_error


@pytest.mark.parametrize(
    "observation", ["all well", "no Execution error in search: ", "Execution error in other: x", 1]
)
def test_other_observations_are_no_errors(observation: Any) -> None:
    trajectory = flat(("t", "search", {}, observation))
    assert not any(step.is_error for step in steps_of(trajectory))
    assert not any(step.is_error for step in steps_of(to_events(trajectory)))


def test_finish_with_arguments_is_no_failed_step() -> None:
    trajectory = flat(("t", "finish", {"answer": "A"}, "Execution error in finish: unexpected argument"))
    assert [step.is_error for step in steps_of(trajectory)] == [False]
    assert [step.is_error for step in steps_of(to_events(trajectory))] == [False]


@pytest.mark.parametrize("name", ["nope", "finish"])
def test_what_v2_calls_an_error_is_one(name: str) -> None:
    (step,) = steps_of([turn("t", call(name, value=f"Unknown tool: {name}", error=True))])
    assert step.is_error


def test_a_partial_step_is_filled_up() -> None:
    assert list(steps_of({"thought_4": "t"})) == [Step("t", "", {}, None, False, None)]


def test_steps_are_those_of_react_only() -> None:
    with pytest.raises(TypeError, match="SimpleNamespace has a trajectory of type list"):
        steps_of(types.SimpleNamespace(trajectory=RLM_STEPS))
    with pytest.raises(AttributeError, match="trajectory"):
        steps_of(object())


@settings(max_examples=100, deadline=None)
@given(trajectories())
def test_steps_are_the_same_before_and_after_conversion(trajectory: Any) -> None:
    prediction = types.SimpleNamespace(trajectory=trajectory)
    before = [step._replace(call_id=None) for step in steps_of(prediction) if step.name]
    after = [step._replace(call_id=None) for step in steps_of({"messages": to_events(trajectory)})]
    assert repr(before) == repr(after)
