"""What the tests of `convert` share: running it, and files of records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from react_migrate.cli import main
from react_migrate.stored.backward import to_trajectory
from react_migrate.stored.find import find_history
from react_migrate.stored.forward import to_history
from react_migrate.stored.jsontext import Parsed, dump, parse
from react_migrate.stored.settings import Settings

RUNS = Path(__file__).resolve().parents[2] / "fixtures" / "stored" / "runs.jsonl"

STEP = {"thought_0": "t", "tool_name_0": "search", "tool_args_0": {"q": "a"}, "observation_0": "found a"}
FINISH = {"thought_1": "d", "tool_name_1": "finish", "tool_args_1": {}, "observation_1": "Completed."}
TRAJECTORY = {**STEP, **FINISH}
RECORD = {"question": "q?", "trajectory": TRAJECTORY, "reasoning": "because", "answer": "A"}


def convert(*arguments: object, stdin: bytes | None = None) -> Result:
    """Runs `react-migrate convert` in this process."""
    result = CliRunner().invoke(main, ["convert", *map(str, arguments)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def store(path: Path, records: list[Any]) -> Path:
    """A JSONL file as Python programs write it."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def stored(path: Path) -> list[Any]:
    """The records in a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def forward(record: Any, **settings: Any) -> Any:
    """One record, converted, as it is read back from a file."""
    parsed = parse(json.dumps(record))
    converted = to_history(parsed, Settings(**settings), "0123456789abcdef")
    return parse(dump(converted.record, non_finite=converted.non_finite)).value


def there_and_back(record: Any, **settings: Any) -> Any:
    """One record, converted, stored, read, converted back, stored and read."""
    new = forward(record, **settings)
    names = {"history_field": settings["history_field"]} if "history_field" in settings else {}
    back = to_trajectory(Parsed(new), Settings(reverse=True, **names))
    return json.loads(dump(back.record, non_finite=back.non_finite))


def events(record: Any, **settings: Any) -> list[dict[str, Any]]:
    """The events of the history that a record's trajectory becomes."""
    found = find_history(forward(record, **settings), Settings())
    assert found is not None
    return [dict(event) for event in found.events]


def calls(record: Any, **settings: Any) -> list[tuple[str, Any, Any]]:
    """Name, arguments and result of every call in that history."""
    found = []
    for event in events(record, **settings):
        tool_calls = event["tool_calls"]
        results = tool_calls.get("tool_call_results", {"tool_call_results": []})["tool_call_results"]
        assert [call["id"] for call in tool_calls["tool_calls"][: len(results)]] == [
            result["call_id"] for result in results
        ]
        found += [
            (call["name"], call["args"], result["value"])
            for call, result in zip(tool_calls["tool_calls"], results, strict=True)
        ]
    return found
