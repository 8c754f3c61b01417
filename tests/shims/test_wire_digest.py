"""Ids of converted runs are the same wherever and whenever a run is converted."""

from __future__ import annotations

from typing import Any

import pytest

from react_shims.wire import content_digest


def test_it_is_the_same_on_every_python_and_in_every_process() -> None:
    assert content_digest({"a": [1, 2.5, "ü", None, True, 2**70]}, {}, None) == "af356fec27d22801"
    assert content_digest({"a": object()}) == content_digest({"a": object()}) == "676d143b91a161be"


@pytest.mark.parametrize(
    "other", [{"a": 1}, {"a": "2"}, {"a": 2.0}, {"b": 2}, {"a": 2, "b": None}, {"a": [2]}, {}]
)
def test_other_content_is_told_apart(other: Any) -> None:
    assert content_digest(other) != content_digest({"a": 2})
    assert content_digest({**other, "x": {1, 2}}) != content_digest({"a": 2, "x": {1, 2}})


def circular() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize("make", [circular, deep])
def test_what_cannot_be_written_down_has_a_digest_too(make: Any) -> None:
    digest = content_digest({"thought_0": "t", "observation_0": make()})
    assert digest == content_digest({"thought_0": "t", "observation_0": make()})
    assert digest != content_digest({"thought_0": "u", "observation_0": make()})


def test_text_that_is_no_unicode() -> None:
    assert content_digest({"a": "\ud800"}) != content_digest({"a": "\ud801"})
    assert content_digest({"a": "\ud800", "x": {1}}) != content_digest({"a": "\ud801", "x": {1}})
