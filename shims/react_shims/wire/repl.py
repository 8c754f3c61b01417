"""One event of an RLM's history, whether it holds live objects or the tagged dicts they are dumped to.

An RLM's run has one event per iteration of its REPL, as DSPy 3.5 writes it (stanfordnlp/dspy#10387):

    {inputs (in the first event), "variables_info", "iteration": "1/5", "repl_entry", outputs (in its last)}

`repl_entry` is what the model thought, the code it wrote and what running it printed. When the iterations run
out, a last event has the outputs that were extracted from the run, and a marker in the place of an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from react_shims.wire.events import calls_of, field_of, is_agent_event
from react_shims.wire.marker import EVENT_KEY

REPL_ENTRY = "repl_entry"
VARIABLES_INFO = "variables_info"
ITERATION = "iteration"
REPL_KEYS = frozenset({REPL_ENTRY, VARIABLES_INFO, ITERATION})  # an event's own: no input or output has them

REPL_TAG = "__dspy_repl__"  # the key that tells a dumped entry or marker from a user's dict
ENTRY = "entry"
EXTRACT_FALLBACK = "extract_fallback"

ENTRY_FIELDS = ("reasoning", "code", "output")  # an entry's keys, in DSPy's order

_MARKER_KEY = "repl"  # below EVENT_KEY; apart from the marker of ReAct's events, which are told by it


class ReplMarker(NamedTuple):
    """What a converted event remembers of an RLM's run, as stored: those that differ from the default."""

    start: bool = False  # the run begins here
    empty: bool = False  # the event of a run of which there is neither an entry nor an output
    values: Mapping[str, Any] = {}  # of the entry, where the event shows others or none
    keys: tuple[str, ...] = ()  # of the entry in their order, if they are not the usual ones


_NO_MARKER = ReplMarker()


def tagged_entry(reasoning: Any, code: str, output: str) -> dict[str, Any]:
    """An entry as it is dumped. The reasoning may be a `dspy.Reasoning`; it becomes its text."""
    return {REPL_TAG: ENTRY, "reasoning": text_of(reasoning), "code": code, "output": output}


def extract_marker() -> dict[str, Any]:
    """What stands in the place of an entry in the event of extracted outputs, as it is dumped."""
    return {REPL_TAG: EXTRACT_FALLBACK}


def entry_of(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """`{"reasoning", "code", "output"}` of an event, as texts; None if it has no entry."""
    entry = event.get(REPL_ENTRY)
    if entry is None or tag_of(entry) not in (ENTRY, None):
        return None
    code, output = field_of(entry, "code"), field_of(entry, "output")
    if not isinstance(code, str) or not isinstance(output, str):
        return None
    return {"reasoning": text_of(field_of(entry, "reasoning")), "code": code, "output": output}


def is_extract_event(event: Mapping[str, Any]) -> bool:
    """Whether the event has the outputs of the extract fallback instead of an entry."""
    entry = event.get(REPL_ENTRY)
    return entry is not None and tag_of(entry) == EXTRACT_FALLBACK


def is_repl_event(event: Mapping[str, Any]) -> bool:
    """Whether an RLM made the event.

    Inputs can have any name. An input `tool_calls` makes no ReAct of an RLM, and an input `repl_entry` no RLM
    of a ReAct, unless it is one in full.
    """
    if REPL_ENTRY not in event:
        return EVENT_KEY in event and repl_marker_of(event).empty
    if is_extract_event(event):
        return True
    return entry_of(event) is not None and (tag_of(event[REPL_ENTRY]) is not None or not calls_of(event))


def is_run_event(event: Mapping[str, Any]) -> bool:
    """Whether the event belongs to a run, of a ReAct or of an RLM, and is not, say, a chat's."""
    return is_agent_event(event) or is_repl_event(event)


def repl_marker_of(event: Mapping[str, Any]) -> ReplMarker:
    """The event's marker; damaged entries of a stored one count as absent."""
    marker = event.get(EVENT_KEY)
    stored = marker.get(_MARKER_KEY) if isinstance(marker, Mapping) else None
    if not isinstance(stored, Mapping):
        return _NO_MARKER
    values, keys = stored.get("values"), stored.get("keys")
    return ReplMarker(
        stored.get("start") is True,
        stored.get("empty") is True,
        values if isinstance(values, Mapping) else {},
        tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, (list, tuple)) else (),
    )


def with_repl_marker(event: dict[str, Any], marker: ReplMarker) -> dict[str, Any]:
    """The event with a marker; the event itself if there is nothing to mark."""
    stored = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in marker._asdict().items()
        if value
    }
    return {**event, EVENT_KEY: {_MARKER_KEY: stored}} if stored else event


def text_of(reasoning: Any) -> str:
    """A reasoning as text: it is a str, a `dspy.Reasoning`, or (dumped by hand) `{"content": ...}`."""
    if isinstance(reasoning, str):
        return reasoning
    content = field_of(reasoning, "content")
    if isinstance(content, str):
        return content
    return "" if reasoning is None else str(reasoning)


def tag_of(entry: Any) -> Any:
    """The tag of a dumped entry or marker, or the one that a live one would be dumped with."""
    tag = field_of(entry, REPL_TAG)
    if tag is not None or isinstance(entry, Mapping):
        return tag
    dump = getattr(entry, "model_dump", None)
    dumped = dump() if callable(dump) and not isinstance(entry, type) else None
    return dumped.get(REPL_TAG) if isinstance(dumped, Mapping) else None
