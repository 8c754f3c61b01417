"""One event of an RLM's history, whether it holds live objects or the tagged dicts they are dumped to.

An RLM's run has one event per iteration of its REPL, as DSPy 3.5 writes it (stanfordnlp/dspy#10387):

    {inputs (in the first event), "variables_info", "iteration": "1/5", "repl_entry", outputs (in its last)}

`repl_entry` is what the model thought, the code it wrote and what running it printed. When the iterations run
out, a last event has the outputs that were extracted from the run, and a marker in the place of an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react_shims.wire.events import field_of

REPL_ENTRY = "repl_entry"
VARIABLES_INFO = "variables_info"
ITERATION = "iteration"
REPL_KEYS = frozenset({REPL_ENTRY, VARIABLES_INFO, ITERATION})  # an event's own: no input or output has them

REPL_TAG = "__dspy_repl__"  # the key that tells a dumped entry or marker from a user's dict
ENTRY = "entry"
EXTRACT_FALLBACK = "extract_fallback"

ENTRY_FIELDS = ("reasoning", "code", "output")  # an entry's keys, in DSPy's order


def tagged_entry(reasoning: Any, code: str, output: str) -> dict[str, Any]:
    """An entry as it is dumped. The reasoning may be a `dspy.Reasoning`; it becomes its text."""
    return {REPL_TAG: ENTRY, "reasoning": text_of(reasoning), "code": code, "output": output}


def extract_marker() -> dict[str, Any]:
    """What stands in the place of an entry in the event of extracted outputs, as it is dumped."""
    return {REPL_TAG: EXTRACT_FALLBACK}


def entry_of(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """`{"reasoning", "code", "output"}` of an event, as texts; None if it has no entry."""
    entry = event.get(REPL_ENTRY)
    if entry is None or _tag_of(entry) not in (ENTRY, None):
        return None
    code, output = field_of(entry, "code"), field_of(entry, "output")
    if not isinstance(code, str) or not isinstance(output, str):
        return None
    return {"reasoning": text_of(field_of(entry, "reasoning")), "code": code, "output": output}


def is_extract_event(event: Mapping[str, Any]) -> bool:
    """Whether the event has the outputs of the extract fallback instead of an entry."""
    entry = event.get(REPL_ENTRY)
    return entry is not None and _tag_of(entry) == EXTRACT_FALLBACK


def is_repl_event(event: Mapping[str, Any]) -> bool:
    """Whether an RLM made the event. A ReAct agent's input may well be called `repl_entry`."""
    return REPL_ENTRY in event and (entry_of(event) is not None or is_extract_event(event))


def text_of(reasoning: Any) -> str:
    """A reasoning as text: it is a str, a `dspy.Reasoning`, or (dumped by hand) `{"content": ...}`."""
    if isinstance(reasoning, str):
        return reasoning
    content = field_of(reasoning, "content")
    if isinstance(content, str):
        return content
    return "" if reasoning is None else str(reasoning)


def _tag_of(entry: Any) -> Any:
    """The tag of a dumped entry or marker, or the one that a live one would be dumped with."""
    tag = field_of(entry, REPL_TAG)
    if tag is not None or isinstance(entry, Mapping):
        return tag
    dump = getattr(entry, "model_dump", None)
    dumped = dump() if callable(dump) and not isinstance(entry, type) else None
    return dumped.get(REPL_TAG) if isinstance(dumped, Mapping) else None
