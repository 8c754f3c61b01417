"""What the shim's RLM knows of the installed DSPy, and says when that is otherwise."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

import pydantic
import pytest
from dspy.primitives import repl_types
from rlm_stand_ins import again

from react_shims.transition import v2_class

if v2_class():
    from react_shims.rlm import entries, installed
    from react_shims.rlm.installed import default_adapter

pytestmark = pytest.mark.dspy(">=3.3")


class TaggedEntry(repl_types.REPLEntry):  # type: ignore[misc]
    """An entry of DSPy's that says what it is when it is dumped."""

    @pydantic.model_serializer()  # type: ignore[untyped-decorator,unused-ignore]
    def tagged(self) -> dict[str, Any]:
        return {"__dspy_repl__": "entry", "reasoning": "", "code": self.code, "output": self.output}


class TaggedMarker(pydantic.BaseModel):  # type: ignore[misc,unused-ignore]
    """A marker of DSPy's."""

    @pydantic.model_serializer()  # type: ignore[untyped-decorator,unused-ignore]
    def tagged(self) -> dict[str, Any]:
        return {"__dspy_repl__": "extract_fallback"}


def test_entries_are_dspys_where_those_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repl_types, "REPLEntry", TaggedEntry)
    monkeypatch.setattr(repl_types, "ExtractFallbackMarker", TaggedMarker, raising=False)
    second = again(entries)
    assert type(second.new_entry("r", "c", "o")) is TaggedEntry
    assert type(second.new_marker()) is TaggedMarker
    dumped = {"__dspy_repl__": "entry", "reasoning": "r", "code": "c", "output": "o"}
    assert type(second.live_entry(dumped)) is TaggedEntry
    assert type(second.live_entry({"__dspy_repl__": "extract_fallback"})) is TaggedMarker


@pytest.mark.parametrize(
    "value",
    [
        "text",
        {"a": "dict of the user's"},
        {"__dspy_repl__": "something new"},
        {"__dspy_repl__": "entry", "code": 1, "output": "broken"},
        None,
    ],
)
def test_what_is_no_entry_stays_as_it_is(value: Any) -> None:
    assert entries.live_entry(value) is value


def test_an_unknown_default_adapter_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    predict = importlib.import_module("dspy.predict.predict")
    for name in ("ChatAdapter", "XMLAdapter"):
        monkeypatch.delattr(predict, name, raising=False)
    with pytest.raises(RuntimeError, match=r"Configure one, as in dspy\.configure"):
        default_adapter()


def test_repl_types_that_are_elsewhere_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dspy.primitives.repl_types", None)
    with pytest.raises(ImportError, match=r"it has no dspy\.primitives\.repl_types\. Update react-shims"):
        again(installed)
