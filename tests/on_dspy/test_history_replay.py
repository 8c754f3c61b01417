"""After a dump and a reload the model is sent the very same messages; what DSPy's own dumps lost is back."""

from __future__ import annotations

import copy
import json
from typing import Any

import dspy
import pytest
from replay import ADAPTERS, calls_and_results, continued, eventful, messages_sent, run
from scripted import submit, turn

from react_shims import dump_history, load_history, to_history, trajectory_of

pytestmark = pytest.mark.dspy(">=3.3")

V1 = {
    "thought_0": "look",
    "tool_name_0": "find",
    "tool_args_0": {"query": "a"},
    "observation_0": {"hits": ["größe", None, 2**70]},
    "thought_1": "broken",
    "tool_name_1": "fail",
    "tool_args_1": {"code": 1},
    "observation_1": "Execution error in fail: \nTraceback ...",
    "thought_2": "done",
    "tool_name_2": "finish",
    "tool_args_2": {},
    "observation_2": "Completed.",
}
CHAT = {"question": "hi?", "answer": "hello"}


def forced(native: bool) -> Any:
    return run([turn("t", ("find", {"query": "a"})), submit(answer="F")], native=native, max_iters=1)


SOURCES = {
    "eventful run in text": lambda: eventful(native=False).history,
    "eventful run, native": lambda: eventful(native=True).history,
    "two runs in text": lambda: continued(eventful(native=False), native=False).history,
    "two runs, native": lambda: continued(eventful(native=True), native=True).history,
    "forced submit": lambda: forced(native=False).history,
    "unfinished": lambda: dspy.History(messages=eventful(native=True).history.messages[:2]),
    "converted from V1": lambda: to_history(V1, {"question": "old?"}, {"answer": "old"}),
    "converted, then continued": lambda: (
        run(
            [submit(answer="B")], native=True, history=to_history(V1, {"question": "old?"}, {"answer": "old"})
        ).history
    ),
    "chat, then a run": lambda: (
        run([submit(answer="B")], native=True, history=dspy.History(messages=[CHAT])).history
    ),
    "empty": lambda: dspy.History(messages=[]),
}


@pytest.fixture(params=SOURCES)
def history(request: pytest.FixtureRequest) -> Any:
    return SOURCES[request.param]()


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_the_reloaded_history_is_replayed_as_the_live_one(history: Any, adapter: Any) -> None:
    live = messages_sent(history, adapter)
    dumped = dump_history(history)
    text = json.dumps(dumped, allow_nan=False)
    for data in (dumped, dumped["messages"], text, text.encode()):
        assert messages_sent(load_history(data), adapter) == live


def test_a_dump_is_what_is_dumped_again_after_reloading(history: Any) -> None:
    dumped = dump_history(history)
    assert dump_history(load_history(dumped)) == dumped
    assert dump_history(dumped) == dumped
    assert dump_history(dumped["messages"]) == dumped


def test_dspy_reads_the_dump_too(history: Any) -> None:
    dumped = dump_history(history)
    assert dspy.History.model_validate(dumped).messages == dumped["messages"]


def test_neither_dump_nor_load_changes_what_it_is_given(history: Any) -> None:
    before = repr(history)
    dumped = dump_history(history)
    assert repr(history) == before
    kept = copy.deepcopy(dumped)
    load_history(dumped).messages.append({})
    load_history(history).messages.append({})
    assert dumped == kept
    assert repr(history) == before


OWN_DUMPS = {
    "model_dump_json": lambda history: history.model_dump_json(),
    "model_dump": lambda history: history.model_dump(),
    "toDict": lambda history: dspy.Prediction(history=history).toDict()["history"],
    "validated again": lambda history: dspy.History.model_validate_json(history.model_dump_json()),
}


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
@pytest.mark.parametrize("dump", OWN_DUMPS.values(), ids=OWN_DUMPS)
@pytest.mark.parametrize("native", [False, True])
def test_what_dspys_own_dump_lost_is_put_back(adapter: Any, dump: Any, native: bool) -> None:
    history = eventful(native=native).history
    live = messages_sent(history, adapter)
    assert messages_sent(load_history(dump(history)), adapter) == live


def test_dspys_own_dump_does_lose_something() -> None:
    """Else the test above proves nothing. Ids are what native calling pairs calls and results by."""
    history = eventful(native=True).history
    bare = dspy.History.model_validate_json(history.model_dump_json())
    adapter = ADAPTERS["ChatAdapter-native"]
    assert len(messages_sent(bare, adapter)) < len(messages_sent(history, adapter))


def ids(history: Any) -> list[str]:
    return [
        call.id
        for event in history.messages
        if "tool_calls" in event
        for call in event["tool_calls"].tool_calls
    ]


def test_ids_that_repeat_in_dspys_own_dump_are_made_unique() -> None:
    history = continued(eventful(native=False), native=False).history
    assert len(set(ids(history))) < len(ids(history))  # V2 numbers its calls anew in every run
    loaded = load_history(history.model_dump_json())
    assert len(set(ids(loaded))) == len(ids(loaded))
    assert ids(loaded)[:4] == ids(history)[:4]
    assert ids(load_history(dump_history(loaded))) == ids(loaded)
    for event in loaded.messages:
        results = event["tool_calls"].tool_call_results.tool_call_results
        assert [call.id for call in event["tool_calls"].tool_calls] == [each.call_id for each in results]


def test_ids_that_are_there_are_kept_even_if_they_repeat() -> None:
    history = continued(eventful(native=False), native=False).history
    assert ids(load_history(dump_history(history))) == ids(history)


def test_results_without_ids_get_the_calls() -> None:
    data = dump_history(eventful(native=False).history)
    for event in data["messages"]:
        for result in event["tool_calls"]["tool_call_results"]["tool_call_results"]:
            del result["call_id"]
    assert dump_history(load_history(data)) == dump_history(eventful(native=False).history)


def test_ids_that_calls_still_have_are_kept_even_if_results_lost_theirs() -> None:
    live = continued(eventful(native=False), native=False).history
    data = dump_history(live)
    for event in data["messages"]:
        for result in event["tool_calls"]["tool_call_results"]["tool_call_results"]:
            result["call_id"] = None
    assert dump_history(load_history(data)) == dump_history(live)


def test_a_new_id_is_nobody_elses() -> None:
    data = dump_history(continued(eventful(native=False), native=False).history)
    first, last = data["messages"][0]["tool_calls"], data["messages"][-1]["tool_calls"]
    repeated = first["tool_calls"][0]["id"]
    for container, name in ((first, repeated), (last, f"{repeated}_1")):
        container["tool_call_results"]["tool_call_results"][0]["call_id"] = name
    for event in data["messages"]:
        for call in event["tool_calls"]["tool_calls"]:
            del call["id"]
    loaded = ids(load_history(data))
    assert len(set(loaded)) == len(loaded)
    assert loaded[-1] == f"{repeated}_1"
    assert f"{repeated}_2" in loaded


def test_calls_and_results_without_any_id_get_new_ones() -> None:
    data = dump_history(eventful(native=False).history)
    for event in data["messages"]:
        for call in event["tool_calls"]["tool_calls"]:
            del call["id"]
        for result in event["tool_calls"]["tool_call_results"]["tool_call_results"]:
            result["call_id"] = None
    loaded = load_history(data)
    assert len(set(ids(loaded))) == len(ids(loaded)) == 5
    adapter = ADAPTERS["JSONAdapter-native"]
    assert len(messages_sent(loaded, adapter)) == len(messages_sent(eventful(native=False).history, adapter))


def test_results_that_do_not_fit_the_calls_are_left_alone() -> None:
    data = dump_history(eventful(native=False).history)
    container = data["messages"][0]["tool_calls"]
    del container["tool_call_results"]["tool_call_results"][0]
    assert dump_history(load_history(data)) == data


def test_the_trajectory_of_a_reloaded_history_is_the_same(history: Any) -> None:
    nothing = object()
    live = trajectory_of(history, nothing)
    assert trajectory_of(load_history(json.dumps(dump_history(history))), nothing) == live


def test_of_equal_keys_the_last_counts() -> None:
    text = '{"messages": [], "messages": [{"question": "q", "question": "r"}]}'
    assert load_history(text).messages == [{"question": "r"}]


def test_a_native_replay_shows_every_call_and_result_of_a_converted_run() -> None:
    sent = messages_sent(SOURCES["converted from V1"](), ADAPTERS["ChatAdapter-native"])
    calls, results = calls_and_results(sent)
    assert calls == [("find", {"query": "a"}), ("fail", {"code": 1}), ("submit", {"answer": "old"})]
    assert json.loads(results[0]) == V1["observation_0"]
    assert results[1] == V1["observation_1"]
    assert json.loads(results[2]) == {"answer": "old"}


BAD = {
    "no JSON": ("{nope", "not JSON"),
    "cut off": ('{"messages": [', "not JSON"),
    "no text": (b"\xff\xfe\xfa", "not JSON"),
    "nested too deep": ("[" * 200_000, "nested too deep"),
    "a trajectory": (V1, "a dict with the keys 'thought_0', 'tool_name_0'"),
    "a number": ("1", "a str"),
    "none": (None, "a NoneType"),
    "other things": ([1], "a list with other things than events"),
    "calls without a name": (
        [{"tool_calls": {"tool_calls": [{"args": {}}]}}],
        "event 0 .* tool calls that DSPy cannot read: .*name",
    ),
    "calls that are texts": (
        [{}, {"tool_calls": {"tool_calls": ["x"]}}],
        "event 1 .* tool calls that DSPy cannot read",
    ),
}


@pytest.mark.parametrize(("data", "reason"), BAD.values(), ids=BAD)
def test_bad_data_is_refused_with_a_reason(data: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as raised:
        load_history(data)
    assert len(str(raised.value)) < 500


def test_only_a_history_is_dumped() -> None:
    for other in (V1, None, dspy.Prediction(answer="A"), "[]"):
        with pytest.raises(TypeError, match="dump_history: this is no history but a "):
            dump_history(other)
