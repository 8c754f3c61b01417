"""Tool results that JSON cannot carry: after a dump and a reload the model reads what it read before."""

from __future__ import annotations

import array
import asyncio
import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import pickle
import uuid
from typing import Annotated, Any, NamedTuple

import dspy
import pydantic
import pytest
from replay import ADAPTERS, messages_sent, run
from scripted import submit, turn

from react_shims import dump_history, load_history, to_history, trajectory_of

pytestmark = pytest.mark.dspy(">=3.3")


class Color(enum.Enum):
    RED = "red"
    ONE = 1


class Shade(str, enum.Enum):
    DARK = "dark"


class Level(enum.IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: Any


@dataclasses.dataclass
class Hit:
    title: str
    when: datetime.date


@dataclasses.dataclass
class Price:
    """DSPy shows a price by itself in cents, and one inside other values as it is."""

    euros: Annotated[int, pydantic.PlainSerializer(lambda euros: euros * 100)]


class Page(pydantic.BaseModel):
    url: str
    hits: list[Hit]


class Opaque:
    def __repr__(self) -> str:
        return "<an opaque thing>"


class TwoFaced:
    def __repr__(self) -> str:
        return "its repr"

    def __str__(self) -> str:
        return "its str"


class Box(dict):  # type: ignore[type-arg]
    pass


class Number(int):
    pass


class Measure(float):
    """As numpy's float64 is."""


class Text(str):
    __slots__ = ()


DAY = datetime.date(2026, 1, 2)
HIT = Hit("größe", DAY)

VALUES = {
    "date": DAY,
    "datetime": datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone.utc),
    "timedelta": datetime.timedelta(hours=3),
    "decimal": decimal.Decimal("1.50"),
    "uuid": uuid.UUID(int=7),
    "path": pathlib.PurePosixPath("/a/b"),
    "bytes": b"text",
    "bytes that are no text": b"\xff\x00",
    "exception": ValueError("went wrong"),
    "model": Page(url="u", hits=[HIT]),
    "dataclass": HIT,
    "dataclass with a serializer": Price(3),
    "list of dataclasses": [HIT, HIT],
    "enum of a text": Color.RED,
    "enum of a number": Color.ONE,
    "text enum": Shade.DARK,
    "number enum": Level.HIGH,
    "set": {5},
    "tuple": (1, "a"),
    "named tuple": Point(1, (2, 3)),
    "dates inside": {"a": [DAY, {"b": DAY}]},
    "other keys": {1: "a", (2, 3): "b", None: "c"},
    "NaN": math.nan,
    "infinity": -math.inf,
    "NaN inside": {"a": [1.5, math.nan, {"b": math.inf}]},
    "opaque": Opaque(),
    "opaque inside": {"a": [Opaque()]},
    "two-faced": TwoFaced(),
    "class": Opaque,
    "function": len,
    "dict of another class": Box(a=1),
    "ordered dict": collections.OrderedDict(a=1),
    "counter": collections.Counter("aab"),
    "text of another class": Text("a"),
    "number of another class": Number(5),
    "complex": 1 + 2j,
    "range": range(3),
    "float of another class": Measure(1.5),
    "array": array.array("i", [1, 2]),
    "memory": memoryview(b"abc"),
    "array inside": {"a": array.array("d", [0.5]), "b": 1},
    "prediction": dspy.Prediction(answer="A", score=1),
    "image": dspy.Image(url="https://example.com/a.png"),
    "huge int": 2**100,
    "deep": json.loads("[" * 200 + "]" * 200),
    "none": None,
    "text": "plain",
    "text that looks like JSON": '{"a": 1}',
}
if hasattr(dspy, "Reasoning"):
    VALUES["reasoning"] = dspy.Reasoning(content="because")


def with_result(value: Any) -> Any:
    """A history in which a tool returned `value`, beside a tool that returned a text."""

    def get(what: str) -> Any:
        return value

    replies = [turn("t", ("get", {"what": "it"}), ("find", {"query": "a"})), submit(answer="A")]
    return run(replies, native=True, tools=[get]).history


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_the_model_reads_the_same(value: Any) -> None:
    history = with_result(value)
    dumped = dump_history(history)
    loaded = load_history(json.dumps(dumped, allow_nan=False))
    for name, adapter in ADAPTERS.items():
        assert messages_sent(loaded, adapter) == messages_sent(history, adapter), name
    assert dump_history(loaded) == dumped


def test_a_coroutine_that_nobody_awaited_reads_the_same() -> None:
    async def later() -> int:
        return 1

    coroutine = later()
    history = to_history({"tool_name_0": "get", "tool_args_0": {}, "observation_0": coroutine})
    loaded = load_history(dump_history(history))
    for name, adapter in ADAPTERS.items():
        assert messages_sent(loaded, adapter) == messages_sent(history, adapter), name
    assert asyncio.run(coroutine) == 1  # dumping did not touch it


def first_value(dumped: dict[str, Any]) -> Any:
    return dumped["messages"][0]["tool_calls"]["tool_call_results"]["tool_call_results"][0]["value"]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (DAY, "2026-01-02"),
        (HIT, {"title": "größe", "when": "2026-01-02"}),
        (Opaque(), "<an opaque thing>"),
        (ValueError("went wrong"), "went wrong"),
        (math.nan, None),
        ((1, 2), [1, 2]),
        (Shade.DARK, "dark"),
        (Measure(1.5), 1.5),
        (b"text", "text"),
    ],
)
def test_other_readers_find_plain_data_in_place(value: Any, plain: Any) -> None:
    """Also in the flat view of the reloaded history, and where DSPy reads the dump by itself."""
    dumped = dump_history(with_result(value))
    assert first_value(dumped) == plain
    assert type(first_value(dumped)) is type(plain)
    loaded = trajectory_of(load_history(dumped))["observation_0"]
    assert loaded == plain or math.isnan(loaded)


def test_a_note_names_what_became_a_text() -> None:
    (note,) = dump_history(with_result(ValueError("x")))["messages"][0]["react_migrate"]["values"]
    assert note["type"] == "builtins.ValueError"
    assert note["at"] == ["tool_calls", "tool_call_results", "tool_call_results", 0, "value"]


def test_floats_come_back_as_floats() -> None:
    loaded = trajectory_of(load_history(dump_history(with_result({"a": [math.nan, math.inf, 1.0]}))))
    assert repr(loaded["observation_0"]) == "{'a': [nan, inf, 1.0]}"


def test_what_a_text_does_not_say_of_an_array_is_in_a_note() -> None:
    """numpy abridges long arrays, a memoryview shows nothing at all."""
    value = {"bytes": memoryview(b"abc"), "more": [array.array("d", [1.5, math.nan])]}
    dumped = dump_history(with_result(value))
    for data in (dumped, dump_history(load_history(json.dumps(dumped)))):
        notes = {tuple(note["at"][5:]): note for note in data["messages"][0]["react_migrate"]["values"]}
        assert notes["bytes",]["data"] == [97, 98, 99]
        assert notes["bytes",]["type"] == "builtins.memoryview"
        assert notes["more", 0]["data"] == [1.5, None]
        assert notes["more", 0]["values"] == [{"at": ["data", 1], "float": "nan"}]


def test_notes_are_no_steps() -> None:
    """The marker of a chat event with a note in it does not make it an agent's."""
    chat = dspy.History(messages=[{"question": math.nan, "answer": "hello"}])
    assert trajectory_of(dump_history(chat), None) is None
    assert repr(load_history(dump_history(chat))) == repr(chat)


@pytest.mark.parametrize(
    "notes",
    [
        "x",
        [1],
        [{"at": []}],
        [{"at": [], "float": "nan"}],
        [{"at": ["react_migrate"], "float": "nan"}],
        [{"at": ["question", 0], "float": "nan"}],
        [{"at": ["nowhere"], "type": "t"}],
        [{"at": ["tool_calls", "tool_calls", 99], "type": "t"}],
        [{"at": ["tool_calls", "tool_calls", "0"], "type": "t"}],
        [{"at": [["a"]], "type": "t"}],
        [{"at": ["question"], "float": "1e999"}],
    ],
)
def test_notes_that_fit_nothing_are_passed_over(notes: Any) -> None:
    for marker in ({}, {"number": 5}):
        data = dump_history(with_result("plain"))
        data["messages"][0]["react_migrate"] = marker
        expected = load_history(data).messages[0]
        data["messages"][0]["react_migrate"] = {**marker, "values": notes}
        loaded = load_history(data).messages[0]
        loaded["react_migrate"] = loaded.get("react_migrate", {})
        assert repr(loaded) == repr(expected)


def test_arguments_stay_a_dict() -> None:
    """DSPy accepts nothing else; a call that a program put there may carry anything."""
    args = {"when": DAY, "what": Opaque(), "bytes": b"\xff", "floats": [math.nan]}
    dumped = dump_history(to_history({"tool_name_0": "get", "tool_args_0": args, "observation_0": "x"}))
    (call,) = dumped["messages"][0]["tool_calls"]["tool_calls"]
    texts = {"when": "2026-01-02", "what": "<an opaque thing>", "bytes": "b'\\xff'"}
    assert call["args"] == {**texts, "floats": [None]}
    assert repr(trajectory_of(load_history(dumped))["tool_args_0"]) == repr({**texts, "floats": [math.nan]})


@pytest.mark.parametrize(
    ("value", "text"), [(DAY, "2026-01-02"), (Box(a=1), "{'a': 1}"), (TwoFaced(), "its str")]
)
def test_a_stand_in_has_the_originals_text(value: Any, text: str) -> None:
    loaded = load_history(dump_history(with_result(value)))
    stand_in = loaded.messages[0]["tool_calls"].tool_call_results.tool_call_results[0].value
    assert str(stand_in) == text
    assert stand_in == copy.deepcopy(stand_in) == pickle.loads(pickle.dumps(stand_in))
    assert stand_in != text


def test_foreign_keys_keep_their_place_whatever_they_hold() -> None:
    dumped = dump_history(to_history({"log": [DAY, {"x": Opaque(), "y": math.nan}], "when": DAY}))
    json.dumps(dumped, allow_nan=False)
    loaded = trajectory_of(load_history(dumped))
    assert (
        repr(loaded) == "{'log': ['2026-01-02', {'x': '<an opaque thing>', 'y': nan}], 'when': '2026-01-02'}"
    )


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_inputs_that_are_no_json_read_the_same(adapter: Any) -> None:
    question = {"when": DAY, "hits": [HIT], "path": pathlib.PurePosixPath("/a")}
    for each in (question, DAY, math.nan, b"text", dspy.Image(url="https://example.com/a.png"), Opaque()):
        history = run([submit(answer="A")], native=True, question=each).history
        loaded = load_history(json.dumps(dump_history(history), allow_nan=False))
        assert messages_sent(loaded, adapter) == messages_sent(history, adapter)


def test_what_is_nested_without_end_is_refused_or_read_the_same() -> None:
    endless: list[Any] = []
    endless.append(endless)
    history = with_result(endless)
    loaded = load_history(json.dumps(dump_history(history)))
    for name, adapter in ADAPTERS.items():
        assert messages_sent(loaded, adapter) == messages_sent(history, adapter), name
    bottomless: list[Any] = []
    for _ in range(100_000):
        bottomless = [bottomless]
    with pytest.raises(ValueError, match="nested too deep for JSON"):
        dump_history(to_history({"tool_name_0": "get", "tool_args_0": {}, "observation_0": bottomless}))
