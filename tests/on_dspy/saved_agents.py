"""Saves agents and a prediction on the DSPy at hand, or reads what another release saved. Run as a program.

python saved_agents.py write FOLDER        saves this release's
python saved_agents.py read FOLDER         loads and runs all that is in FOLDER, prints what it checked
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
from scripted import TEXT, ScriptedLM, submit, turn
from ways import look, search

from react_shims import trajectory_of
from react_shims.react import ReAct
from react_shims.transition import v2_class

SIGNATURE = "question -> answer: int"
KEYWORDS = {"truncate": True, "on_failure": "extract", "describe_outputs": True, "copy_history": True}
RELEASE = ".".join(dspy.__version__.split(".")[:2])


def agents() -> dict[str, Any]:
    return {
        "bare": v2_class()(SIGNATURE, tools=[search]),  # type: ignore[misc]
        "shim": ReAct(SIGNATURE, tools=[search]),
        "keywords": ReAct(SIGNATURE, tools=[search], **KEYWORDS),
    }


def ask(agent: Any, replies: list[Any], **inputs: Any) -> tuple[Any, str]:
    """The prediction, and what the model was shown first."""
    lm = ScriptedLM(replies)
    with dspy.context(lm=lm.lm, adapter=TEXT):
        return agent(**inputs), lm.shown(0)


def look_and_answer() -> list[Any]:
    return [turn("one", look("a")), submit(answer=4)]


def write(folder: Path) -> None:
    call = dspy.ToolCalls.ToolCall(name="search", args={"query": "the demo"})
    demo = dspy.Example(question="q", next_thought="t", tool_calls=dspy.ToolCalls(tool_calls=[call]))
    for kind, agent in agents().items():
        place = folder / RELEASE / kind
        place.mkdir(parents=True)
        agent.react.demos = [demo]
        agent.save(place / "state.json")
        agent.save(place / "program", save_program=True)
        prediction, _ = ask(agent, look_and_answer(), question="why?")
        (place / "prediction.pickle").write_bytes(pickle.dumps(prediction))


def read(folder: Path) -> Iterator[str]:
    for place in sorted(folder.glob("*/*")):
        origin, kind = place.parts[-2:]
        for name, agent in agents().items():
            agent.load(place / "state.json")
            prediction, shown = ask(agent, look_and_answer(), question="why?")
            assert prediction.answer == 4
            assert "the demo" in shown
            yield f"state of {origin} {kind} in {name}"
        stored = pickle.loads((place / "prediction.pickle").read_bytes())
        assert trajectory_of(stored)["observation_0"] == "found a"
        _, shown = ask(agents()["shim"], [submit(answer=5)], question="and?", history=stored.history)
        assert shown.count("found a") == 1
        yield f"prediction of {origin} {kind}"
        if kind != "bare" and (RELEASE == "3.3") == (origin == "3.3"):
            program = dspy.load(place / "program", allow_pickle=True)
            prediction, _ = ask(program, look_and_answer(), question="why?")
            assert type(program) is ReAct
            assert (program.truncate, program.on_failure) == (
                (True, "extract") if kind == "keywords" else (False, None)
            )
            assert trajectory_of(prediction)["thought_0"] == "one"
            yield f"program of {origin} {kind}"


if __name__ == "__main__":
    action, where = sys.argv[1:]
    if action == "write":
        write(Path(where))
    else:
        print(json.dumps(list(read(Path(where)))))
