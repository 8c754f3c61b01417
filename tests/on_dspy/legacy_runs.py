"""Runs of real V1 agents, stored as programs store them: `fixtures/stored/runs.jsonl`, and how it was made.

    python tests/on_dspy/legacy_runs.py > fixtures/stored/runs.jsonl

with DSPy 3.4.1, react-shims and this folder on the path.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import dspy
from scripted import TEXT, Answer, ScriptedLM, act, extract, overflow

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "stored" / "runs.jsonl"


def find_flights(origin: str, destination: str) -> list[dict[str, Any]]:
    """Flights between two cities."""
    return [{"flight": "LX 1072", "from": origin, "to": destination, "seats": None}]


def book(flight: str) -> str:
    """Book a seat."""
    if flight == "LX 9999":
        raise ValueError(f"no flight {flight}")
    return f"gebucht: {flight} ✓"


ZURICH = act("I need flights.", "find_flights", {"origin": "Zürich", "destination": "Berlin"})
BACK = act("And back.", "find_flights", {"origin": "Berlin", "destination": "Zürich"})
BOOK = act("Book it.", "book", {"flight": "LX 1072"})
WRONG = act("Book another one.", "book", {"flight": "LX 9999"})
MISUSED = act("Book it by date.", "book", {"date": "tomorrow"})
DONE = act("That is all.", "finish", {})

# kind -> what the model of V1 replies before the extractor is asked for the answer
PLANS: dict[str, list[Answer | Exception]] = {
    "finished": [ZURICH, BOOK, DONE],
    "tool errors": [WRONG, MISUSED, BOOK, DONE],
    "finish with arguments": [ZURICH, act("Answer.", "finish", {"answer": "LX 1072"})],
    "out of turns": [ZURICH, BACK, ZURICH, BACK],
    "async": [ZURICH, BOOK, DONE],
    "truncated": [ZURICH, BACK, overflow(), BOOK, DONE],
    "empty": [],
}


def stored_run(kind: str) -> dict[str, Any]:
    """The record of one run: its input, and all fields of V1's prediction."""
    question = f"A flight from Zürich to Berlin, please ({kind})."
    turns = 0 if kind == "empty" else 4
    agent = dspy.ReAct("question -> answer", tools=[find_flights, book], max_iters=turns)
    lm = ScriptedLM([*PLANS[kind], extract(answer="LX 1072")]).lm
    with dspy.context(lm=lm, adapter=TEXT):
        asked = {"question": question}
        prediction = asyncio.run(agent.acall(**asked)) if kind == "async" else agent(**asked)
    return {"id": kind, **asked, **prediction.toDict()}


def without_paths(text: str) -> str:
    """Tracebacks in observations name files of the machine they were made on."""
    return re.sub(r'File \\"[^"]*/(?=dspy/|tests/)', r"File \"…/", text)


if __name__ == "__main__":
    for name in PLANS:
        print(without_paths(json.dumps(stored_run(name), ensure_ascii=False)))
