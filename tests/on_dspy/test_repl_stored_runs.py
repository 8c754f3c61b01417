"""Runs that DSPy's own RLM left in files are converted by the command, and the new RLM goes on from them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dspy
import pytest
from legacy_rlm_runs import ANSWER, CALLS, FIXTURE, PLANS, stored_records
from legacy_runs import FIXTURE as REACT_FIXTURE
from rlm_runs import Way, act, rlm, run, with_every_adapter
from test_stored_runs import convert, records_in, store

from react_shims import (
    dump_history,
    history_of,
    load_history,
    repl_trajectory_of,
    to_history,
    trajectory_of,
)

on_histories = pytest.mark.dspy(">=3.3")
NEXT = {"context": "another letter", "query": "And now?"}


def test_the_fixture_is_what_rlm_leaves_behind() -> None:
    """On every release; but Python and pydantic word errors differently from version to version."""

    def comparable(records: Any) -> Any:
        text = json.dumps(records, sort_keys=True)
        return json.loads(re.sub(r'"\[(Type )?Error\] [^"]*"', '"[Error]"', text))

    assert comparable(records_in(FIXTURE)) == comparable(stored_records())


def test_stored_runs_come_back_equal(tmp_path: Path) -> None:
    """Those of this release, and with them those of a ReAct, in one file."""
    records = [*stored_records(), *records_in(REACT_FIXTURE), *records_in(FIXTURE)]
    converted = convert(store(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl")
    assert all(isinstance(record["history"]["messages"], list) for record in converted)
    assert not any({"trajectory", "repl_history"} & record.keys() for record in converted)
    back = convert(tmp_path / "out.jsonl", tmp_path / "back.jsonl", "--reverse")
    assert [json.dumps(record) for record in back] == [json.dumps(record) for record in records]


def test_a_converted_run_is_read_on_every_release(tmp_path: Path) -> None:
    for record, new in zip(records_in(FIXTURE), convert(FIXTURE, tmp_path / "out.jsonl"), strict=True):
        trajectory = record.get("trajectory")
        if trajectory is not None:
            assert repl_trajectory_of(new) == trajectory
            assert trajectory_of(new["history"]) == (trajectory or [])
            assert repl_trajectory_of(dspy.History.model_validate(new["history"])) == trajectory
        else:
            assert repl_trajectory_of(new) == repl_trajectory_of(record["repl_history"])


@on_histories
def test_the_command_makes_the_history_that_the_library_makes(tmp_path: Path) -> None:
    """But for what the command remembers of the record."""
    for record, new in zip(records_in(FIXTURE), convert(FIXTURE, tmp_path / "out.jsonl"), strict=True):
        if record["id"].startswith("call: "):
            continue
        asked = {"context": record["context"], "query": record["query"]}
        events = new["history"]["messages"]
        for event in events:
            marker = event.get("react_migrate", {})
            marker.pop("stored", None)
            if not marker:
                event.pop("react_migrate", None)
        library = history_of(record, asked, {"answer": record["answer"]})
        assert events == dump_history(library)["messages"]
        prediction = dspy.Prediction(**{name: record[name] for name in record if name not in ("id", *asked)})
        assert history_of(prediction, asked) == library


@on_histories
@with_every_adapter
def test_the_new_rlm_goes_on_from_stored_runs(adapter: Any, tmp_path: Path) -> None:
    converted = convert(FIXTURE, tmp_path / "out.jsonl")
    assert [record["id"] for record in converted] == [*PLANS, *(f"call: {kind}" for kind in CALLS)]
    for new in converted:
        history = load_history(new["history"])
        sent = sent_on_from(history, adapter)
        for reloaded in (
            load_history(json.dumps(dump_history(history))),
            load_history(history.model_dump_json()),
            dspy.History.model_validate_json(history.model_dump_json()),
        ):
            assert sent_on_from(reloaded, adapter) == sent
        shown = readable("".join(text for _, text in sent))
        texts = [text for entry in repl_trajectory_of(new) for text in entry.values()]
        assert all(readable(text) in shown for text in [*texts, *ANSWER])
        if "query" in new:
            assert readable(new["query"]) in shown


def sent_on_from(history: Any, adapter: Any) -> list[tuple[str, str]]:
    """The conversation that the model is sent with a new question, message by message."""
    prediction, lm = Way(adapter=adapter).run(rlm(), [act("SUBMIT(14)")], **NEXT, history=history)
    assert prediction.answer == 14
    assert [entry["code"] for entry in repl_trajectory_of(prediction)] == ["SUBMIT(14)"]
    assert len(prediction.history.messages) == len(history.messages) + 1
    conversation: list[tuple[str, str]] = lm.conversation(0)
    return conversation


def readable(text: str) -> str:
    """What adapters write alike: JSON escapes line breaks (as `n`) and quotes, XML some other signs."""
    unescaped = text.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "")
    return "".join(letter for letter in unescaped if letter.isalnum() and letter != "n")


@on_histories
def test_a_react_and_an_rlm_share_a_history() -> None:
    """An RLM goes on behind a ReAct's stored run, and everything is still told apart."""
    react = records_in(REACT_FIXTURE)[0]
    earlier = to_history(react["trajectory"], {"question": react["question"]}, {"answer": react["answer"]})
    prediction, _ = run(rlm(), [act("SUBMIT(14)")], **NEXT, history=earlier)
    assert trajectory_of(earlier) == react["trajectory"]
    assert [entry["code"] for entry in repl_trajectory_of(prediction.history)] == ["SUBMIT(14)"]
    assert trajectory_of(prediction) == repl_trajectory_of(prediction)
    reloaded = load_history(json.dumps(dump_history(prediction.history)))
    assert reloaded == prediction.history
    assert repl_trajectory_of(reloaded) == prediction.repl_trajectory
