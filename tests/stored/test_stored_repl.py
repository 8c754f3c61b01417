"""Runs of an RLM: found in records whatever they are stored as, with inputs and outputs, and come back."""

from __future__ import annotations

import copy
import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shims.repl_strategies import entries, texts
from shims.strategies import json_values
from stored_files import (
    RECORD,
    RUNS,
    TRAJECTORY,
    convert,
    events,
    forward,
    store,
    stored,
    there_and_back,
)

from react_migrate.stored.backward import to_trajectory
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.jsontext import Parsed
from react_migrate.stored.settings import Settings
from react_shims.wire.repl_text import text_of_entries

RLM_RUNS = RUNS.with_name("rlm_runs.jsonl")

LOOK = {"reasoning": "look", "code": "print(x)", "output": "1"}
DONE = {"reasoning": "done", "code": "SUBMIT(1)", "output": "FINAL: {'answer': 'A'}"}
ENTRIES = [LOOK, DONE]
TEXT = text_of_entries(ENTRIES)
EXTRACTED = "Extract forced final output"

SUBMITTED = {"context": ["c"], "query": "q?", "answer": "A", "trajectory": ENTRIES, "final_reasoning": "done"}
RAN_OUT = {"context": ["c"], "query": "q?", "trajectory": [LOOK], "final_reasoning": EXTRACTED, "answer": "A"}


def tagged(entry: dict[str, str]) -> dict[str, str]:
    return {"__dspy_repl__": "entry", **entry}


FALLBACK = {"__dspy_repl__": "extract_fallback"}


def fields_of(event: dict[str, Any]) -> dict[str, Any]:
    """The inputs and outputs in an event."""
    own = ("repl_entry", "iteration", "variables_info", "react_migrate")
    return {name: value for name, value in event.items() if name not in own}


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(SUBMITTED, id="a prediction with its inputs"),
        pytest.param({"query": "q?", "run": ENTRIES, "answer": "A"}, id="under another name"),
        pytest.param({"answer": "A", "repl_trajectory": ENTRIES}, id="as DSPy 3.5 calls it"),
        pytest.param(
            {"repl_trajectory": ENTRIES, "repl_history": "=== Step 1 ===\n", "answer": "A"}, id="twice"
        ),
        pytest.param({"answer": "A", "meta": {"trajectory": ENTRIES}}, id="nested"),
        pytest.param({"answer": "A", "trajectory": json.dumps(ENTRIES)}, id="JSON text"),
        pytest.param({"answer": "A", "trajectory": json.dumps(ENTRIES, indent=7)}, id="odd JSON text"),
        pytest.param({"answer": "A", "repl_history": TEXT}, id="text of a REPLHistory"),
        pytest.param({"answer": "A", "trajectory": TEXT}, id="that text as the trajectory"),
        pytest.param(
            {"answer": "A", "log": [{**LOOK, "seconds": 1.5}, dict(reversed(DONE.items()))]},
            id="entries with more keys, in other orders",
        ),
    ],
)
def test_one_run_stored_in_many_shapes(record: Any) -> None:
    first, last = events(record)
    assert (first["repl_entry"], last["repl_entry"]) == (tagged(LOOK), tagged(DONE))
    assert last["answer"] == "A"
    assert json.dumps(there_and_back(record)) == json.dumps(record)


@pytest.mark.parametrize("record", [ENTRIES, TEXT, {"trajectory": ENTRIES}, {"t": TEXT}], ids=str)
def test_a_record_may_be_the_trajectory_itself(record: Any) -> None:
    assert [event["repl_entry"] for event in events(record)] == [tagged(LOOK), tagged(DONE)]
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_a_run_that_ran_out_of_iterations_has_an_event_of_its_outputs() -> None:
    for record in (
        RAN_OUT,
        {**RAN_OUT, "trajectory": ENTRIES},  # what it printed reads like a submit
        {name: value for name, value in RAN_OUT.items() if name != "final_reasoning"},
        {**RAN_OUT, "trajectory": []},
        {"answer": "A", "prediction": {**RAN_OUT}},
    ):
        *iterations, last = events(record)
        assert last["repl_entry"] == FALLBACK
        assert last["answer"] == "A"
        count = len(iterations)
        assert [event["iteration"] for event in iterations] == [f"{n + 1}/{count}" for n in range(count)]
        assert json.dumps(there_and_back(record)) == json.dumps(record)
    submitted = {**SUBMITTED, "trajectory": [LOOK]}  # by a subclass that prints something else
    assert [event["repl_entry"] for event in events(submitted)] == [tagged(LOOK)]


def test_recorded_calls_of_predictors_tell_more() -> None:
    """`variables_info` of the run, and its limit; outputs of the extract predictor were extracted."""
    extract = {"variables_info": ["x"], "repl_history": text_of_entries([LOOK, LOOK]), "answer": "A"}
    first, second, last = events(extract)
    assert (first["variables_info"], second["iteration"]) == (["x"], "2/2")
    assert (last["repl_entry"], last["answer"]) == (FALLBACK, "A")
    pretended = {**extract, "repl_history": TEXT}
    assert events(pretended)[-1]["repl_entry"] == FALLBACK
    action = {"variables_info": "x", "repl_history": TEXT, "iteration": "3/9", "reasoning": "r", "code": "c"}
    first, second = events(action)
    assert [(event["variables_info"], event["iteration"]) for event in (first, second)] == [
        ("x", "1/9"),
        ("x", "2/9"),
    ]
    assert fields_of(first) == fields_of(second) == {}
    for record in (extract, pretended, action, {**extract, "variables_info": 7}, {**action, "iteration": 3}):
        assert json.dumps(there_and_back(record)) == json.dumps(record)


@pytest.mark.parametrize(
    ("record", "inputs", "outputs"),
    [
        (SUBMITTED, {"context": ["c"], "query": "q?"}, {"answer": "A"}),
        (RAN_OUT, {"context": ["c"], "query": "q?"}, {"answer": "A"}),
        # what was submitted is known by name, whatever stands where
        (
            {"id": 1, "chapters": [1], "score": 2, "verdict": "v", "trajectory": "FINAL verdict", "cost": 3},
            {"chapters": [1]},
            {"verdict": "v"},
        ),
        # what was extracted stands behind
        (
            {"id": 1, "meal": {"a": 1}, "trajectory": [LOOK], "final_reasoning": EXTRACTED, "plan": "p"},
            {"meal": {"a": 1}},
            {"plan": "p"},
        ),
        (
            {"inputs": {"a": 1, "b": [2]}, "outputs": {"c": 3}, "trajectory": ENTRIES},
            {"a": 1, "b": [2]},
            {"c": 3},
        ),
        (
            {
                "inputs": {"a": 1},
                "prediction": {"trajectory": ENTRIES, "final_reasoning": "r", "answer": "A"},
            },
            {"a": 1},
            {"answer": "A"},
        ),
        # what cannot be told from others is known by its usual name
        ({"chapters": 1, "document": "d", "trajectory": [LOOK], "note": "n"}, {"document": "d"}, {}),
        (
            {
                "document": "d",
                "trajectory": [{**DONE, "output": "FINAL: {'a': Decimal('1')}"}],
                "answer": "A",
            },
            {"document": "d"},
            {"answer": "A"},
        ),
        # of dspy.Evaluate
        (
            {
                "q": "?",
                "example_answer": "L",
                "pred_answer": "A",
                "trajectory": ENTRIES,
                "final_reasoning": "r",
            },
            {"q": "?"},
            {"answer": "A"},
        ),
        (
            {
                "query": "?",
                "example_plan": "L",
                "trajectory": [LOOK],
                "final_reasoning": EXTRACTED,
                "pred_plan": "p",
                "is_good": 1,
            },
            {"query": "?"},
            {"plan": "p"},
        ),
        # what was printed like a submit was none
        (
            {
                "plan": 1,
                "trajectory": [{**DONE, "output": "FINAL: {'plan': 1}"}],
                "final_reasoning": EXTRACTED,
                "verdict": "v",
            },
            {"plan": 1},
            {"verdict": "v"},
        ),
        (
            {"iteration": 7, "repl_entry": 1, "react_migrate": 2, **SUBMITTED},
            {"context": ["c"], "query": "q?"},
            {"answer": "A"},
        ),
        ({"trajectory": ENTRIES}, {}, {}),
    ],
    ids=lambda value: ",".join(value),
)
def test_inputs_and_outputs_are_guessed(record: Any, inputs: Any, outputs: Any) -> None:
    record = copy.deepcopy(record)
    if record.get("trajectory") == "FINAL verdict":
        record["trajectory"] = [LOOK, {**DONE, "output": "FINAL: {'verdict': 'v', 'not stored': 1}"}]
    found = events(record)
    assert fields_of({**found[-1], **found[0]}) == {**inputs, **outputs}
    assert fields_of(found[0]).keys() >= inputs.keys()
    assert fields_of(found[-1]).keys() >= outputs.keys()
    assert json.dumps(there_and_back(record)) == json.dumps(record)


def test_inputs_and_outputs_are_those_that_are_named() -> None:
    first, last = events({**SUBMITTED, "note": "n"}, inputs=("query",), outputs=("note",))
    assert (fields_of(first), fields_of(last)) == ({"query": "q?"}, {"note": "n"})
    with pytest.raises(RejectedError, match="cannot be a history: an input named 'iteration' cannot be"):
        forward({**SUBMITTED, "iteration": 1}, inputs=("iteration",))


@pytest.mark.parametrize(
    "value",
    [
        [{"code": "c", "output": "o"}],
        [{"reasoning": "r", "code": None, "output": "o"}],
        [LOOK, {"reasoning": "r"}],
        [LOOK, "text"],
        [],
        "=== Step 1 === ",
        "You have not interacted",
    ],
    ids=str,
)
def test_what_is_neither_is_a_reject(value: Any) -> None:
    """An object with code and output is anybody's."""
    for record in ({"trajectory": value}, {"run": value}):
        with pytest.raises(RejectedError, match="no trajectory that could be recognised"):
            forward(record)
    with pytest.raises(RejectedError, match=r"in its field 'trajectory': it is (a list in none|plain text)"):
        forward({"trajectory": value})
    if value == [{"code": "c", "output": "o"}]:
        with pytest.raises(RejectedError, match="if it is an RLM's, say --kind repl"):
            forward({"trajectory": value})


@pytest.mark.parametrize("text", [TEXT + "\n", TEXT[:-1], TEXT.replace("\n1\n", "\n[redacted]\n")])
def test_a_text_that_was_edited_is_a_reject(text: str) -> None:
    with pytest.raises(RejectedError, match="has no text of a REPLHistory in full"):
        forward({"question": "q", "repl_history": text})


def test_code_act_is_never_an_rlm() -> None:
    flat = {"generated_code_0": "c", "code_output_0": "o", "reasoning": "r", "code": "c", "output": "o"}
    for record in ({"trajectory": flat}, {"trajectory": json.dumps(flat)}, {"a": [flat], "trajectory": flat}):
        for kind in (None, "repl", "repl-text"):
            with pytest.raises(RejectedError):
                forward(record, kind=kind)
    with pytest.raises(RejectedError, match="CodeAct"):
        forward({"trajectory": flat})


def test_steps_with_a_tools_name_are_a_reacts() -> None:
    step = {"tool": "python", "reasoning": "r", "code": "c", "output": "o"}
    assert "tool_calls" in events({"trajectory": [step]})[0]
    assert "repl_entry" in events({"trajectory": [step]}, kind="repl")[0]
    for kind in (None, "repl"):
        assert there_and_back({"trajectory": [step]}, kind=kind) == {"trajectory": [step]}


def test_a_shape_can_be_forced() -> None:
    record = {"trajectory": [{"code": "c", "output": "o"}], "flat": TRAJECTORY, "text": TEXT}
    assert events(record, kind="repl")[0]["repl_entry"]["code"] == "c"
    assert "text" not in forward({"list": ENTRIES, "text": TEXT}, kind="repl-text")
    assert "flat" not in forward({"list": ENTRIES, "flat": TRAJECTORY}, kind="flat")
    assert json.dumps(there_and_back(record, kind="repl")) == json.dumps(record)
    for kind, reason in (
        ("repl", "is no trajectory of an RLM"),
        ("repl-text", "has no text of a REPLHistory"),
    ):
        with pytest.raises(RejectedError, match=reason):
            forward({"trajectory": {"a": 1}}, kind=kind)
    with pytest.raises(RejectedError, match="is no trajectory of an RLM"):
        forward({"trajectory": [LOOK, {"output": "o"}]}, kind="repl")


def test_an_empty_list_is_an_rlms_if_the_record_says_so() -> None:
    record = {"query": "q?", "trajectory": [], "final_reasoning": EXTRACTED}
    (event,) = events(record)
    assert fields_of(event) == {"query": "q?"}
    assert there_and_back(record) == record
    nothing = {"trajectory": [], "final_reasoning": None}
    assert forward(nothing)["history"]["messages"] == []
    assert there_and_back(nothing) == nothing
    assert there_and_back({"t": text_of_entries([])}) == {"t": text_of_entries([])}


def test_long_outputs_of_a_text_keep_their_lengths() -> None:
    entry = {**LOOK, "output": "aa\n\n... (6 characters omitted) ...\n\nzz"}
    text = text_of_entries([LOOK, entry], {1: 10})
    assert "Output (10 chars)" in text
    assert there_and_back({"answer": "A", "repl_history": text}) == {"answer": "A", "repl_history": text}


DSPYS = [  # an RLM's own history
    {"context": "c", "variables_info": ["x"], "iteration": "1/5", "repl_entry": tagged(LOOK)},
    {"variables_info": ["x"], "iteration": "2/5", "repl_entry": tagged(DONE), "answer": "A"},
]
V2 = forward(RECORD)["history"]["messages"]


def backward(record: Any, **options: Any) -> Any:
    return to_trajectory(Parsed(record), Settings(reverse=True, **options)).record


def test_an_rlms_own_history_becomes_its_list() -> None:
    record = {"answer": "A", "history": {"messages": DSPYS}, "final_reasoning": "done"}
    assert backward(record) == {
        "context": "c",
        "answer": "A",
        "trajectory": ENTRIES,
        "final_reasoning": "done",
    }
    assert backward({"messages": DSPYS}) == ENTRIES
    as_text = {"answer": "A", "t": json.dumps({"messages": DSPYS})}
    assert backward(as_text) == {"context": "c", "answer": "A", "trajectory": json.dumps(ENTRIES)}
    assert backward(record, kind="repl-text")["trajectory"] == TEXT


def test_a_prediction_of_dspy_35_has_its_history_already() -> None:
    record = {"answer": "A", "history": {"messages": DSPYS}, "repl_trajectory": ENTRIES}
    assert forward(record) == record
    assert "history" in forward({"answer": "A", "repl_trajectory": ENTRIES})
    with pytest.raises(RejectedError, match="a field 'history' already"):
        forward(record, trajectory="repl_trajectory")


def test_a_history_that_another_agent_went_on_with_has_that_ones_trajectory() -> None:
    react = forward({**RECORD, "trajectory": TRAJECTORY})
    react["history"]["messages"] += DSPYS
    assert backward(react)["trajectory"] == ENTRIES
    steps = forward({"log": [{"tool": "f", "args": {}, "result": "r", "n": 1}]})
    steps["history"]["messages"] += DSPYS
    assert backward(steps) == {"log": ENTRIES}
    rlm = forward({"run": TEXT})
    rlm["history"]["messages"] += V2
    assert backward(rlm) == {"run": TRAJECTORY}


def test_damaged_memories_do_no_harm() -> None:
    entry = {**LOOK, "output": "aa\n\n... (6 characters omitted) ...\n\nzz"}
    history = forward({"answer": "A", "repl_history": text_of_entries([entry], {0: 10})})["history"]
    stored_in = history["messages"][-1]["react_migrate"]["stored"]
    assert stored_in["layout"] == {"lengths": {"0": 10}}
    for lengths in (None, [], {"x": 1}, {"0": "nine"}, {"9" * 5000: 1}, {"²": 1}, {"7": 1}):
        stored_in["layout"] = {"lengths": lengths}
        assert backward({"history": history})["repl_history"].startswith("=== Step 1 ===")


fields = st.dictionaries(
    st.sampled_from(["query", "answer", "id", "final_reasoning", "iteration"]), json_values
)


@settings(max_examples=150, deadline=None)
@given(st.lists(entries(), min_size=1, max_size=3), fields, st.booleans())
def test_every_list_comes_back(trajectory: Any, others: Any, as_text: bool) -> None:
    for entry in trajectory:
        entry.setdefault("code", "c")
    value = json.dumps(trajectory) if as_text else trajectory
    record = json.loads(json.dumps({**others, "trajectory": value}))
    assert json.dumps(there_and_back(record, kind="repl")) == json.dumps(record)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.fixed_dictionaries({"reasoning": texts, "code": texts, "output": texts}), max_size=3), fields
)
def test_every_text_comes_back_or_is_refused(trajectory: Any, others: Any) -> None:
    record = {**others, "run": text_of_entries(trajectory)}
    try:
        back = there_and_back(record, kind="repl-text")
    except RejectedError:
        assert any("=== Step 2 ===" in entry["reasoning"] + entry["code"] for entry in trajectory)
        return
    assert json.dumps(back) == json.dumps(record)


@pytest.mark.parametrize("jobs", [1, 2])
def test_runs_of_both_in_one_file(jobs: int, tmp_path: Path) -> None:
    """With what is neither, and with lines that a template is used for (see `test_stored_forms`)."""
    neither = {"question": "q", "trajectory": [{"code": "c"}]}
    records = [*stored(RLM_RUNS), *stored(RUNS), *[RECORD] * 5, *stored(RLM_RUNS), neither]
    source = store(tmp_path / "in.jsonl", records)
    done = convert(source, "-o", tmp_path / "out.jsonl", "-j", jobs, "--rejects", tmp_path / "rejects")
    assert done.exit_code == 1
    count = len(records) - 1
    assert f"{count} converted to histories (repl: 12, flat: 12, repl-text: 4), 1 rejected." in done.stderr
    assert "none of the shapes flat, messages, turns, steps, repl, repl-text" in done.stderr
    done = convert(tmp_path / "out.jsonl", "-o", tmp_path / "back.jsonl", "--reverse", "-j", jobs)
    assert (tmp_path / "back.jsonl").read_bytes() == b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for record in records[:-1]
    )


def test_a_document_that_is_one_run(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps(ENTRIES))
    assert convert(tmp_path / "in.json", "-o", tmp_path / "out.json").exit_code == 0
    assert json.loads((tmp_path / "out.json").read_text()).keys() == {"history"}
    assert convert(tmp_path / "out.json", "-o", tmp_path / "back.json", "--reverse").exit_code == 0
    assert json.loads((tmp_path / "back.json").read_text()) == ENTRIES


@pytest.mark.parametrize("column", ["trajectory", "repl_history"])
def test_a_table(column: str, tmp_path: Path) -> None:
    cells = {"trajectory": [json.dumps(ENTRIES), json.dumps(TRAJECTORY)], "repl_history": [TEXT, TEXT]}[
        column
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [["query", column, "answer"], ["q?", cells[0], "A"], ["p?", cells[1], "B"]]
    )
    (tmp_path / "in.csv").write_text(text.getvalue())
    assert convert(tmp_path / "in.csv", "-o", tmp_path / "out.csv").exit_code == 0
    header, first, second = csv.reader(io.StringIO((tmp_path / "out.csv").read_text()))
    assert header == ["query", "history", "answer"]
    assert json.loads(first[1])["messages"][0]["repl_entry"] == tagged(LOOK)
    assert json.loads(second[1])["messages"]
    assert convert(tmp_path / "out.csv", "-o", tmp_path / "back.csv", "--reverse").exit_code == 0
    assert (tmp_path / "back.csv").read_text() == text.getvalue()


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([ENTRIES, [{**LOOK, "seconds": 1.5}]]),
        pa.array([json.dumps(ENTRIES), json.dumps(TRAJECTORY)]),
        pa.array([TEXT, text_of_entries([LOOK])]),
    ],
    ids=["nested", "JSON text", "text of a REPLHistory"],
)
def test_parquet(cells: Any, tmp_path: Path) -> None:
    table = pa.table({"query": ["q?", "p?"], "trajectory": cells, "answer": ["A", "B"]})
    pq.write_table(table, tmp_path / "in.parquet")
    done = convert(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == 0, done.stderr
    new = pq.read_table(tmp_path / "out.parquet")
    assert new.column_names == ["query", "history", "answer"]
    history = json.loads(new["history"].to_pylist()[0])
    assert [event["repl_entry"] for event in history["messages"]] == [tagged(LOOK), tagged(DONE)]
    assert "seconds" not in str(history)
    done = convert(tmp_path / "out.parquet", "-o", tmp_path / "back.parquet", "--reverse")
    assert done.exit_code == 0, done.stderr
    assert pq.read_table(tmp_path / "back.parquet").equals(table)
