"""The live objects under `repl_entry` in an event, which tell what they are when they are dumped.

They are DSPy's `REPLEntry`, and a marker for the outputs of the extract fallback. Dumped as parts of a
history they become the tagged dicts of `react_shims.wire.repl`, by pydantic's own dump too. Where DSPy's
entries do so themselves (3.5), they are DSPy's, as is the marker if it has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pydantic  # type: ignore[import-not-found,unused-ignore]

from react_shims.rlm.installed import repl_types
from react_shims.wire.repl import (
    ENTRY,
    ENTRY_FIELDS,
    EXTRACT_FALLBACK,
    REPL_ENTRY,
    REPL_TAG,
    extract_marker,
    tagged_entry,
    text_of,
)


class REPLEntry(repl_types.REPLEntry):  # type: ignore[misc]
    """DSPy's record of one iteration: `reasoning`, `code` and `output`, all texts."""

    @pydantic.model_serializer()  # type: ignore[untyped-decorator,unused-ignore]
    def _tagged(self) -> dict[str, Any]:
        return tagged_entry(self.reasoning, self.code, self.output)


class ExtractFallbackMarker(pydantic.BaseModel):  # type: ignore[misc]
    """Stands for the iteration that there was none of: the outputs beside it were extracted from the run."""

    model_config = pydantic.ConfigDict(frozen=True)

    @pydantic.model_serializer()  # type: ignore[untyped-decorator,unused-ignore]
    def _tagged(self) -> dict[str, Any]:
        return extract_marker()


def _tells_what_it_is(kind: Any, **fields: str) -> bool:
    return kind is not None and REPL_TAG in kind(**fields).model_dump()


_DSPYS_MARKER: Any = getattr(repl_types, "ExtractFallbackMarker", None)
_ENTRY = repl_types.REPLEntry if _tells_what_it_is(repl_types.REPLEntry, code="", output="") else REPLEntry
_MARKER = _DSPYS_MARKER if _tells_what_it_is(_DSPYS_MARKER) else ExtractFallbackMarker


def new_entry(reasoning: Any, code: str, output: str) -> Any:
    """An entry. The reasoning may be a `dspy.Reasoning` or None; it becomes its text."""
    return _ENTRY(reasoning=text_of(reasoning), code=code, output=output)


def new_marker() -> Any:
    """The marker of an event that holds extracted outputs."""
    return _MARKER()


def live_entry(value: Any) -> Any:
    """The live object for a tagged dict, or for an entry of DSPy's own that does not say what it is.

    Everything else is returned as it is, such as a user's own value under that name.
    """
    if isinstance(value, Mapping):
        tag = value.get(REPL_TAG)
        if tag == EXTRACT_FALLBACK:
            return new_marker()
        reasoning, code, output = (value.get(name) for name in ENTRY_FIELDS)
        if tag == ENTRY and isinstance(code, str) and isinstance(output, str):
            return new_entry(reasoning, code, output)
    if type(value) is repl_types.REPLEntry and _ENTRY is REPLEntry:
        return new_entry(value.reasoning, value.code, value.output)
    return value


def with_live_entry(event: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the event in which the entry is live."""
    return {name: live_entry(value) if name == REPL_ENTRY else value for name, value in event.items()}
