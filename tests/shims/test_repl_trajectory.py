"""`repl_trajectory_of`, and what the other readers make of an RLM's run, on all that is no DSPy object."""

from __future__ import annotations

import copy
import json
import types
from collections import UserDict
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest
from events import FINISH, call, flat, submit, turn

from react_shims import has_trajectory, repl_trajectory_of, steps_of, trajectory_of
from react_shims.stored_trajectory import DerivedTrajectory
from react_shims.wire import is_repl_event, is_run_event, keep_steps, run_bounds, to_repl_events
from react_shims.wire.repl import entry_of, is_extract_event

LOOK = {"reasoning": "look", "code": "print(x)", "output": "1"}
DONE = {"reasoning": "done", "code": "SUBMIT(1)", "output": "FINAL: {'answer': 1}"}
STEPS = [LOOK, DONE]
EXTRACT = {"repl_entry": {"__dspy_repl__": "extract_fallback"}, "answer": 2}


def iteration(entry: dict[str, str], number: str | None = None, **fields: Any) -> dict[str, Any]:
    """An event as DSPy writes it."""
    counted = {"variables_info": ["x"], "iteration": number} if number else {}
    return {**fields, **counted, "repl_entry": {"__dspy_repl__": "entry", **entry}}


RLM = [iteration(LOOK, "1/5", context="c"), iteration(DONE, "2/5", answer=1)]
V1 = flat(("look", "search", {"query": "a"}, "hit"), ("done", *FINISH))
V2 = [
    turn("look", call("search", {"query": "a"}, "hit"), question="q"),
    turn("done", submit(answer="A"), answer="A"),
]
CHAT = {"question": "q", "answer": "a"}


class Quiet:
    """A prediction whose `trajectory` is derived, as the shim's RLM has it."""

    @DerivedTrajectory
    def trajectory(self) -> Any:
        raise AssertionError("was asked")

    @DerivedTrajectory
    def repl_trajectory(self) -> Any:
        raise AssertionError("was asked")

    def __init__(self, **fields: Any) -> None:
        self._store = fields


@pytest.mark.parametrize(
    "x",
    [
        STEPS,
        types.SimpleNamespace(trajectory=STEPS),
        types.SimpleNamespace(repl_trajectory=STEPS),
        types.SimpleNamespace(repl_trajectory=STEPS, trajectory="a route", history={"messages": V2}),
        types.SimpleNamespace(trajectory=STEPS, history={"messages": RLM}),
        {"answer": 1, "trajectory": STEPS},
        {"answer": 1, "repl_trajectory": STEPS, "history": {"messages": RLM}},
        UserDict(repl_trajectory=STEPS),
        Quiet(trajectory=STEPS),
        Quiet(repl_trajectory=STEPS),
        Mock(trajectory=STEPS),  # answers to `repl_trajectory`, too
        MagicMock(repl_trajectory=STEPS),
    ],
)
def test_what_is_stored_is_returned_as_it_is(x: Any) -> None:
    assert repl_trajectory_of(x) is STEPS
    assert repl_trajectory_of(x, "default") is STEPS


@pytest.mark.parametrize(
    "x",
    [
        RLM,
        {"messages": RLM},
        types.SimpleNamespace(messages=RLM),
        types.SimpleNamespace(history={"messages": RLM}, answer=1),
        {"history": RLM, "answer": 1},
        Quiet(history={"messages": RLM}, answer=1),
        json.dumps(STEPS),
        json.dumps(RLM),
        json.dumps({"messages": RLM}).encode(),
        bytearray(json.dumps({"history": {"messages": RLM}, "answer": 1}).encode()),
        json.dumps({"trajectory": STEPS}),
        json.dumps({"repl_trajectory": STEPS, "trajectory": 1}),
    ],
)
def test_every_form_of_a_stored_run_is_read(x: Any) -> None:
    assert repl_trajectory_of(x) == STEPS
    assert repl_trajectory_of(x, None) == STEPS


def test_no_run_at_all() -> None:
    empty: list[Any] = []
    for x in (empty, {"trajectory": empty}, types.SimpleNamespace(repl_trajectory=empty)):
        assert repl_trajectory_of(x) is empty
    for text in ("[]", '{"messages": []}', {"messages": []}):
        assert repl_trajectory_of(text) == []


NOT_AN_RLMS = [
    None,
    1,
    "text",
    "{broken",
    "[" * 100_000,
    "{}",
    {},
    b"\xff{",
    object(),
    (),
    V1,
    json.dumps(V1),
    V2,
    {"messages": V2},
    json.dumps({"messages": V2}),
    {"history": {"messages": V2}, "answer": "A", "termination_reason": "submit"},
    {"history": {"messages": []}, "termination_reason": "max_iters"},
    types.SimpleNamespace(history={"messages": [*RLM, *V2]}, answer="A"),
    [CHAT],
    [{"code": "c"}],
    [{"code": 1, "output": "o"}],
    [LOOK, "text"],
    {"question": "q"},
    {"generated_code_0": "c", "code_output_0": "o", "observation_0": "o"},
    {"repl_trajectory": "text"},
    types.SimpleNamespace(messages=[], history=[]),
    Quiet(history={"messages": V2}, answer="A"),
    Quiet(answer="A"),
    Mock(spec=["answer"]),
    Quiet,
]


@pytest.mark.parametrize("x", NOT_AN_RLMS)
def test_of_anything_else_there_is_the_objects_own_error_or_the_default(x: Any) -> None:
    if not isinstance(x, Quiet):
        with pytest.raises(AttributeError) as own:
            x.trajectory.nothing  # noqa: B018 (of the class it is a property)
        if "trajectory" in str(own.value):
            with pytest.raises(AttributeError) as ours:
                repl_trajectory_of(x)
            assert (str(ours.value), ours.value.name) == (str(own.value), own.value.name)
    default: dict[str, Any] = {}
    if x is not Quiet:
        assert repl_trajectory_of(x, default) is default
        assert repl_trajectory_of(x, None) is None


@pytest.mark.parametrize("real", [V1, None, "a route", {"generated_code_0": "c"}])
def test_a_place_taken_for_an_rlms_by_mistake_stays_as_it_was(real: Any) -> None:
    """What really is called `.trajectory` comes back as it is; nothing but it does."""
    for x in (types.SimpleNamespace(trajectory=real), {"trajectory": real}, Quiet(trajectory=real)):
        assert repl_trajectory_of(x) is real
        assert repl_trajectory_of(x, []) is real


def test_any_other_error_is_not_hidden() -> None:
    class Broken:
        @property
        def trajectory(self) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        repl_trajectory_of(Broken(), [])


def test_trajectory_of_reads_an_rlms_run_where_there_is_no_trajectory() -> None:
    """So that code for both goes on."""
    for x in (RLM, {"messages": RLM}, {"history": RLM}, Quiet(history=RLM), json.dumps(RLM)):
        assert trajectory_of(x) == STEPS
        assert has_trajectory(x)
    stored = types.SimpleNamespace(repl_trajectory=STEPS, history=RLM)
    assert trajectory_of(stored) is STEPS
    assert trajectory_of(Quiet(repl_trajectory=STEPS), None) is STEPS
    assert trajectory_of(types.SimpleNamespace(trajectory=V1, repl_trajectory=STEPS)) is V1


def test_steps_of_says_who_reads_an_rlm() -> None:
    for x in (RLM, {"history": RLM}, {"trajectory": STEPS}, types.SimpleNamespace(repl_trajectory=STEPS)):
        with pytest.raises(TypeError, match=r"a trajectory of type list, an RLM's, .*: repl_trajectory_of"):
            steps_of(x)


def test_entries_that_are_read_are_nobody_elses() -> None:
    before = copy.deepcopy(RLM)
    repl_trajectory_of(RLM)[0]["output"] = "mine"
    assert before == RLM


class Reasoning:
    """As `dspy.Reasoning` is."""

    def __init__(self, content: str) -> None:
        self.content = content


@pytest.mark.parametrize("reasoning", ["look", Reasoning("look"), {"content": "look"}])
def test_the_reasoning_is_a_text(reasoning: Any) -> None:
    entry = {**LOOK, "reasoning": reasoning}
    live = types.SimpleNamespace(**entry)
    for value in (entry, {"__dspy_repl__": "entry", **entry}, live):
        assert repl_trajectory_of([{"repl_entry": value}]) == [LOOK]
    assert to_repl_events([entry])[0]["repl_entry"]["reasoning"] == "look"


class Live:
    """As an entry or marker of DSPy 3.5 is: its dump tells what it is."""

    def __init__(self, tag: str, **fields: str) -> None:
        self.__dict__.update(fields)
        self._tag = tag

    def model_dump(self) -> dict[str, Any]:
        return {"__dspy_repl__": self._tag}


def test_events_hold_live_entries_or_dumped_ones() -> None:
    mixed = [{"context": "c", "repl_entry": Live("entry", **LOOK)}, RLM[1]]
    assert repl_trajectory_of(mixed) == STEPS
    fallback = {"repl_entry": Live("extract_fallback"), "answer": 1}
    assert is_extract_event(fallback)
    assert repl_trajectory_of([mixed[0], fallback]) == [LOOK]
    other = {"repl_entry": Live("another", **LOOK)}
    assert entry_of(other) is None
    assert not is_run_event(other)


@pytest.mark.parametrize(
    "value", [None, "text", 1, {}, {"code": 1, "output": "o"}, {"__dspy_repl__": "x", **LOOK}, [LOOK], Live]
)
def test_an_input_may_be_called_repl_entry(value: Any) -> None:
    event = {**V2[0], "repl_entry": value}
    assert not is_repl_event(event)
    assert not is_repl_event({"repl_entry": value})
    assert trajectory_of([event, V2[1]]) == V1


def test_inputs_and_outputs_may_be_called_code_and_output() -> None:
    """Then events look like the entries of a trajectory themselves."""
    (event,) = to_repl_events([DONE], {"code": "c", "reasoning": "r"}, {"output": "o"})
    assert repl_trajectory_of([event]) == [DONE]


def test_a_react_may_be_asked_about_a_dict_with_code_and_output() -> None:
    event = {**V2[0], "repl_entry": LOOK}
    assert not is_repl_event(event)
    assert trajectory_of([event, V2[1]]) == V1


def test_an_rlm_may_be_asked_about_tool_calls() -> None:
    event = {**RLM[0], "tool_calls": V2[0]["tool_calls"], "next_thought": "t"}
    assert is_repl_event(event)
    assert repl_trajectory_of([event, RLM[1]]) == STEPS
    assert repl_trajectory_of([*V2, event, RLM[1]]) == STEPS
    assert keep_steps([event], {}).events == [event]  # it has no step that could be dropped


def bounds(*events: dict[str, Any]) -> tuple[int, int]:
    return run_bounds(events)


def test_the_iterations_tell_where_a_run_starts() -> None:
    again = [iteration(LOOK, "1/2", context="d"), iteration(LOOK, "2/2"), EXTRACT]
    assert bounds(*RLM) == (0, 2)
    assert bounds(*RLM, *again) == (2, 5)
    assert bounds(*again, *RLM) == (3, 5)
    assert bounds(*again, *again) == (3, 6)
    assert bounds(*RLM, CHAT) == (0, 2)
    assert bounds(CHAT, *RLM) == (1, 3)
    assert bounds(*V2, *again, CHAT) == (2, 5)
    assert bounds(*RLM, *V2) == (2, 4)
    assert bounds(*RLM, {**V2[0], "question": "q"}, CHAT) == (2, 3)
    assert bounds(*RLM, V2[1]) == (2, 3)  # a ReAct that was resumed without inputs
    assert bounds(EXTRACT, *RLM) == (1, 3)
    assert bounds(*to_repl_events(STEPS, {"context": "c"}), *RLM) == (2, 4)  # converted, and gone on with
    assert bounds(again[0], again[2], again[2]) == (2, 3)  # without iterations, behind the fallback


def test_a_first_iteration_that_was_left_out_is_no_reason_to_run_into_the_run_before() -> None:
    assert bounds(*RLM, iteration(LOOK, "2/2"), EXTRACT) == (2, 4)
    assert bounds(iteration(LOOK, "3/5"), iteration(LOOK, "4/5")) == (0, 2)


@pytest.mark.parametrize("number", [None, 1, "one", "1", "0/5", "/5", "1/5/6"])
def test_without_iterations_a_run_starts_behind_a_submit(number: Any) -> None:
    """In events that were written by hand. Printing what reads like a submit submits nothing."""
    asked, done = iteration(LOOK, number, context="c"), iteration(DONE, number, answer=1)
    printed = iteration(DONE, number)
    assert bounds(asked, done, asked, done) == (2, 4)
    assert bounds(asked, printed, done) == (0, 3)
    assert bounds(asked, done) == (0, 2)


def test_a_converted_run_may_print_at_once_what_reads_like_a_submit() -> None:
    events = to_repl_events([DONE, LOOK], {"context": "c"}, {"answer": 1}, final_reasoning="look")
    assert repl_trajectory_of(events) == [DONE, LOOK]


def test_an_answer_of_an_earlier_react_is_not_the_rlms() -> None:
    """The end of the run that a prediction tells of is found by its outputs, which may be the same twice."""
    same = [iteration(LOOK, "1/5", context="c"), iteration(DONE, "2/5", answer="A")]
    history = {"messages": [*V2, *same]}
    assert repl_trajectory_of({"answer": "A", "history": history}) == STEPS
    later = [*V2, *same, {**V2[0], "question": "more"}, turn("d", submit(answer="B"), answer="B")]
    assert repl_trajectory_of({"answer": "A", "context": "c", "history": later}) == STEPS
    assert trajectory_of({"answer": "B", "history": later}) == {**V1, "thought_1": "d"}
    assert repl_trajectory_of({"answer": "B", "history": later}, None) is None


def test_a_run_of_one_iteration_is_found_by_its_outputs() -> None:
    one = iteration(DONE, "1/5", context="c", answer="A")
    history = [one, iteration(LOOK, "1/5", context="d"), iteration(DONE, "2/5", answer="B")]
    assert repl_trajectory_of({"answer": "A", "history": history}) == [DONE]
    assert repl_trajectory_of({"answer": "B", "history": history}) == STEPS
    assert repl_trajectory_of({"context": "d", "answer": "B", "history": history}) == STEPS
    assert repl_trajectory_of({"context": "d", "history": history}) == STEPS


def test_a_react_that_failed_behind_an_rlm_did_nothing() -> None:
    """And an output of an RLM may be called as V2's reason."""
    failed = {"history": {"messages": RLM}, "termination_reason": "empty_tool_calls"}
    assert trajectory_of(failed) == {}
    assert repl_trajectory_of(failed, None) is None
    for reason in ("submit", "forced_submit", "extracted"):
        assert repl_trajectory_of({**failed, "termination_reason": reason}) == STEPS


@pytest.mark.parametrize(
    ("trajectory", "final_reasoning", "is_extracted"),
    [
        (STEPS, None, False),
        ([LOOK], None, True),
        ([LOOK, {**DONE, "output": " FINAL: {}"}], None, True),
        ([DONE, LOOK], None, True),
        (STEPS, "done", False),
        (STEPS, "Extract forced final output", True),
        ([LOOK], "done", False),
        ([], None, True),
        ([], "done", True),
        ([{"code": "c"}], None, True),
    ],
)
def test_whether_the_outputs_were_extracted(
    trajectory: Any, final_reasoning: Any, is_extracted: bool
) -> None:
    events = to_repl_events(trajectory, {"context": "c"}, {"answer": 1}, final_reasoning=final_reasoning)
    assert is_extract_event(events[-1]) == is_extracted
    assert events[-1]["answer"] == 1
    assert events[0]["context"] == "c"
    assert repl_trajectory_of(events) == trajectory
    # The limit is known only where it was reached.
    counted = [event.get("iteration") for event in events[: len(trajectory)]]
    count = len(trajectory)
    expected = [f"{number + 1}/{count}" if is_extracted else None for number in range(count)]
    assert counted == expected


def test_without_outputs_nothing_is_known_to_be_extracted() -> None:
    for outputs in (None, {}):
        assert [*map(is_extract_event, to_repl_events([LOOK], {"c": 1}, outputs))] == [False]
        (only,) = to_repl_events([], {"c": 1}, outputs)
        assert is_repl_event(only)
        assert not is_extract_event(only)
        assert repl_trajectory_of([only]) == []
    assert to_repl_events([]) == []


def test_what_is_known_of_the_run_is_in_its_events() -> None:
    events = to_repl_events(STEPS, {"context": "c"}, {"answer": 1}, variables_info=["x"], max_iters=5)
    marker = {"react_migrate": {"repl": {"start": True}}}
    assert events == [{**RLM[0], **marker}, RLM[1]]
    assert list(events[0]) == ["context", "variables_info", "iteration", "repl_entry", "react_migrate"]
    assert list(events[1]) == ["variables_info", "iteration", "repl_entry", "answer"]
    # A limit that cannot be is left out.
    assert "iteration" not in to_repl_events(STEPS, max_iters=1)[1]


@pytest.mark.parametrize(
    ("trajectory", "error"),
    [
        (["text"], "entry 0 of the RLM's trajectory is a str"),
        ([LOOK, None], "entry 1 of the RLM's trajectory is a NoneType"),
        ([LOOK, {"thought": "t"}], "entry 1 of the RLM's trajectory is a dict without 'code'"),
        ([{**LOOK, 1: 2}], "entry 0 of the RLM's trajectory has a key that is no str"),
    ],
)
def test_what_is_no_entry_is_refused(trajectory: Any, error: str) -> None:
    with pytest.raises(TypeError, match=error):
        to_repl_events(trajectory)


@pytest.mark.parametrize("name", ["repl_entry", "iteration", "variables_info", "react_migrate"])
def test_names_that_an_event_needs_itself_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"an input named '{name}' cannot be stored"):
        to_repl_events(STEPS, {name: 1})
    with pytest.raises(ValueError, match=f"an output named '{name}' cannot be stored"):
        to_repl_events(STEPS, None, {name: 1})
    with pytest.raises(ValueError, match="'a' cannot be both an input and an output"):
        to_repl_events(STEPS, {"a": 1}, {"a": 1})


def test_damaged_markers_do_no_harm() -> None:
    for damage in (
        None,
        1,
        [],
        {"repl": 1},
        {"repl": {"values": 1, "keys": 1, "start": "yes", "empty": 1}},
        {"repl": {"keys": [1, None], "values": []}},
    ):
        assert repl_trajectory_of([{**RLM[0], "react_migrate": damage}, RLM[1]]) == STEPS
