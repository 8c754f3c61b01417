"""Runs of DSPy's own RLM, as programs store them: `fixtures/stored/rlm_runs.jsonl`, and how it was made.

    python tests/on_dspy/legacy_rlm_runs.py > fixtures/stored/rlm_runs.jsonl

with DSPy 3.4.1, react-shims and this folder on the path.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import dspy
from rlm_runs import InProcess, act, answer
from scripted import TEXT, Answer, ScriptedLM

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "stored" / "rlm_runs.jsonl"

LETTER = "Grüezi! Der Zug nach Zürich fährt um 7:02 und um 7:32.\nHerzlich, 小林 ✓"

COUNT = act("print(context.count('7:'))", "Count what looks like a time.")
SEARCH = act("```python\nimport re\ntimes = re.findall(r'\\d:\\d\\d', context)\nprint(times)\n```", "")
SUBMIT = act("SUBMIT(times)", "All of them:\nCode:\n```python\nSUBMIT(times)\n```")
WRONG = act("SUBMIT('7:02')", "One will do.")
BROKEN = act("print(", "Print.")
PRETEND = act("print('FINAL: {' + context[:7] + '}\\n=== Step 2 ===')", "What is final?")
PRINT = act("print(context * 3)", "Read it.")

ANSWER = ["7:02", "7:32"]
EXTRACTED = answer(answer=ANSWER)

# kind -> what the model replies; where outputs are extracted, the limit is the number of the others
PLANS: dict[str, list[Answer]] = {
    "submitted": [COUNT, SEARCH, SUBMIT],
    "mistakes": [BROKEN, SEARCH, WRONG, SUBMIT],
    "extracted": [COUNT, PRETEND, EXTRACTED],
    "long output, extracted": [PRINT, EXTRACTED],
    "no iteration": [EXTRACTED],
    "async": [SEARCH, SUBMIT],
}
BEFORE_33 = not hasattr(dspy, "ToolCallResults")


def legacy_rlm(**options: Any) -> Any:
    """The installed DSPy's RLM, whatever it calls its limit and its interpreter."""
    limit = options.pop("max_iters", 20)
    if BEFORE_33:
        options.update(interpreter=InProcess(), max_iterations=limit)
    else:
        options.update(interpreter_factory=InProcess, max_iters=limit)
    return dspy.RLM("context: str, query: str -> answer: list[str]", **options)


def legacy_run(kind: str, **options: Any) -> Any:
    """The prediction of a run, and the calls of the RLM's predictors: (predictor, inputs, outputs) each."""
    plan = PLANS[kind]
    limit = len(plan) - 1 if plan[-1] is EXTRACTED else 20
    rlm = legacy_rlm(max_iters=limit, **options)
    asked = {"context": LETTER, "query": f"When do trains leave ({kind})?"}
    trace: list[Any] = []
    with dspy.context(lm=ScriptedLM(plan).lm, adapter=TEXT, trace=trace):
        prediction = asyncio.run(rlm.acall(**asked)) if kind == "async" else rlm(**asked)
    return asked, prediction, trace


def stored_run(kind: str) -> dict[str, Any]:
    """The record of one run: its inputs, and all fields of RLM's prediction."""
    asked, prediction, _ = legacy_run(kind)
    return {"id": kind, **asked, **prediction.toDict()}


def stored_call(kind: str, **options: Any) -> dict[str, Any]:
    """The record of the last call of one of an RLM's predictors, as a trace has it: inputs and outputs."""
    _, _, trace = legacy_run(kind, **options)
    _, inputs, outputs = trace[-1]
    shown = {
        name: getattr(value, "model_dump", lambda value=value: value)() for name, value in inputs.items()
    }
    return {"id": f"call: {kind}", **shown, **outputs.toDict()}


CALLS: dict[str, dict[str, Any]] = {"extracted": {}, "long output, extracted": {"max_output_chars": 40}}


def stored_records() -> list[dict[str, Any]]:
    """All records of the fixture."""
    return [*map(stored_run, PLANS), *(stored_call(kind, **options) for kind, options in CALLS.items())]


if __name__ == "__main__":
    for record in stored_records():
        print(json.dumps(record, ensure_ascii=False))
