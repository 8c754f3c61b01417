"""Runs that real V1 agents left in files are converted by the command, and real V2 agents go on from them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from legacy_runs import FIXTURE, PLANS, stored_run, without_paths
from replay import ADAPTERS, calls_and_results, messages_sent, run
from scripted import submit

from react_shims import dump_history, load_history, to_history, trajectory_of

on_v1 = pytest.mark.dspy("<3.5")
on_v2 = pytest.mark.dspy(">=3.3")


def convert(source: Path, target: Path, *options: str) -> list[dict[str, Any]]:
    """The records that the command makes of a file. It must not need DSPy, so here it has none."""
    without_dspy = "import sys; sys.modules['dspy'] = None; from react_migrate.cli import main; main()"
    command = [sys.executable, "-c", without_dspy, "convert", str(source), "-o", str(target), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return records_in(target)


def records_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def store(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def shown_to_v2(record: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """The calls and results that V2 has to show the model for a V1 record: all tools', then the answer's."""
    trajectory, calls, results = record["trajectory"], [], []
    for key, name in trajectory.items():
        if key.startswith("tool_name_") and name != "finish":
            number = key.removeprefix("tool_name_")
            observation = trajectory[f"observation_{number}"]
            calls.append((name, trajectory[f"tool_args_{number}"]))
            results.append(
                observation if isinstance(observation, str) else json.dumps(observation, ensure_ascii=False)
            )
    outputs = {"answer": record["answer"]}
    return [*calls, ("submit", outputs)], [*results, json.dumps(outputs)]


@on_v1
@pytest.mark.parametrize("kind", PLANS)
def test_the_fixture_is_what_v1_leaves_behind(kind: str) -> None:
    """Tracebacks, whose lines differ between releases, aside."""

    def comparable(text: str) -> Any:
        return json.loads(re.sub(r"Traceback (?:[^\"\\]|\\.)*", "Traceback", without_paths(text)))

    stored = {record["id"]: record for record in records_in(FIXTURE)}
    assert comparable(json.dumps(stored[kind])) == comparable(json.dumps(stored_run(kind)))


@on_v1
@on_v2
def test_stored_runs_of_this_v1_are_continued_by_this_v2(tmp_path: Path) -> None:
    records = [stored_run(kind) for kind in PLANS]
    check_that_v2_goes_on(store(tmp_path / "runs.jsonl", records), records, tmp_path)


@on_v2
def test_stored_runs_of_dspy_341_are_continued_by_this_v2(tmp_path: Path) -> None:
    check_that_v2_goes_on(FIXTURE, records_in(FIXTURE), tmp_path)


def check_that_v2_goes_on(source: Path, records: list[dict[str, Any]], folder: Path) -> None:
    converted = convert(source, folder / "converted.jsonl")
    assert [record["id"] for record in converted] == list(PLANS)
    for record, new in zip(records, converted, strict=True):
        assert list(new) == ["id", "question", "history", "reasoning", "answer"]
        history = load_history(new["history"])
        assert history == load_history(dump_history(history))
        assert trajectory_of(history) == record["trajectory"]
        for name, adapter in ADAPTERS.items():
            sent = messages_sent(history, adapter)
            assert record["question"] in str(sent)
            if name.endswith("native"):
                assert calls_and_results(sent) == shown_to_v2(record)
        continued = run([submit(answer="B")], native=True, history=history, question="And the way back?")
        assert continued.answer == "B"
    assert convert(folder / "converted.jsonl", folder / "back.jsonl", "--reverse") == records


@on_v2
def test_the_command_makes_the_history_that_the_library_makes(tmp_path: Path) -> None:
    """But for the ids, which only have to be unique."""
    for record, new in zip(records_in(FIXTURE), convert(FIXTURE, tmp_path / "out.jsonl"), strict=True):
        outputs = {"answer": record["answer"]}
        library = to_history(record["trajectory"], {"question": record["question"]}, outputs)
        command = load_history(new["history"])

        def without_digest(history: Any) -> str:
            return re.sub(r"traj_[0-9a-f]{16}_", "traj_", json.dumps(dump_history(history)))

        assert without_digest(command) == without_digest(library)
