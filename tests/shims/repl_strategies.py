"""Trajectories of an RLM as hypothesis makes them: what DSPy writes, and what people make of it."""

from __future__ import annotations

from typing import Any

from hypothesis import event
from hypothesis import strategies as st
from shims.strategies import json_values

# What separates entries in the text of a REPLHistory, and reads like what DSPy says itself.
SEPARATORS = (
    "\n```\nOutput (3 chars):\n",
    "\n=== Step 2 ===\n",
    "\nCode:\n```python\n",
    "Reasoning: ",
    "\n\n... (1,234 characters omitted) ...\n\n",
    "```python\nprint(1)\n```",
    "FINAL: {'answer': 'x'}",
    "You have not interacted with the REPL environment yet.",
    "",
)
texts = st.text(max_size=20) | st.lists(
    st.sampled_from([*SEPARATORS, "x", "\n", "größe ✓", "\U0001f600"]), max_size=4
).map("".join)
foreign_keys = st.sampled_from(
    ["iteration", "repl_entry", "__dspy_repl__", "tool_calls", "thought_0", "ø", "react_migrate", "n"]
)


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any]:
    """One iteration. Every third one is odd: it has more keys, fewer, in another order, or other types."""
    entry = {"reasoning": draw(texts), "code": draw(texts), "output": draw(texts)}
    oddity = draw(st.sampled_from(["", "", "", "foreign", "order", "missing", "type"]))
    if oddity == "foreign":
        entry.update(draw(st.dictionaries(foreign_keys, json_values, min_size=1, max_size=2)))
    elif oddity == "order":
        entry = {name: entry[name] for name in draw(st.permutations(list(entry)))}
    elif oddity == "missing":
        del entry[draw(st.sampled_from(["reasoning", "output"]))]
    elif oddity == "type":
        entry[draw(st.sampled_from(["reasoning", "code", "output"]))] = draw(json_values)
    return entry


@st.composite
def repl_trajectories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """An RLM's trajectory; `event()` counts which of its peculiarities occur."""
    trajectory = draw(st.lists(entries(), max_size=4))
    if trajectory and draw(st.booleans()):
        trajectory[-1]["output"] = "FINAL: {'answer': 'x'}"
    for name, occurs in peculiarities(trajectory).items():
        if occurs:
            event(name)
    return trajectory


def peculiarities(trajectory: list[dict[str, Any]]) -> dict[str, bool]:
    """What is special about a trajectory, by name."""
    usual = ["reasoning", "code", "output"]
    values = [entry.get(name) for entry in trajectory for name in usual]
    text = "".join(value for value in values if isinstance(value, str))
    return {
        "no entry": not trajectory,
        "submitted": bool(trajectory) and str(trajectory[-1].get("output")).startswith("FINAL: "),
        "not submitted": bool(trajectory) and not str(trajectory[-1].get("output")).startswith("FINAL: "),
        "reads as submitted before its end": any(
            str(entry.get("output")).startswith("FINAL: ") for entry in trajectory[:-1]
        ),
        "empty reasoning": any(entry.get("reasoning") == "" for entry in trajectory),
        "foreign key": any(set(entry) - set(usual) for entry in trajectory),
        "key missing": any(set(usual) - set(entry) for entry in trajectory),
        "other order": any(list(entry) == usual[::-1] for entry in trajectory),
        "no text": not all(isinstance(value, (str, type(None))) for value in values),
        "fence": "```" in text,
        "reads as a heading": "=== Step 2 ===" in text,
        "unicode": not text.isascii(),
    }


ALL_PECULIARITIES = frozenset(peculiarities([]))
