"""What a stored shape is read to, before it becomes events, and what it is written from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

Event: TypeAlias = "Mapping[str, Any]"
Layout: TypeAlias = "dict[str, Any]"


@dataclass
class StoredRun:
    """One run of an agent.

    trajectory: its steps as V1's flat dict.
    turns: how many steps each turn of the model made, one after another, if any may have made several.
    call_ids: the id of each step's call, if it had one; as many as steps, or empty.
    inputs, outputs: what the shape itself knows of them, by name; None if it does not.
    """

    trajectory: dict[str, Any] = field(default_factory=dict)
    turns: list[int] = field(default_factory=list)
    call_ids: list[str | None] = field(default_factory=list)
    inputs: dict[str, Any] | None = None
    outputs: dict[str, Any] | None = None


@dataclass
class StoredReplRun:
    """One run of an RLM.

    entries: its trajectory, `{"reasoning", "code", "output"}` for each iteration.
    inputs, outputs: None; the shapes of these runs know neither.
    """

    entries: list[Any]
    inputs: None = None
    outputs: None = None


class Reading(NamedTuple):
    """A stored value that was read: its runs, and how it spelled things, as JSON-ready data for `write`."""

    runs: Sequence[StoredRun | StoredReplRun]
    layout: Layout


class Names(NamedTuple):
    """What the input and the output are called, for a shape that has their values without names."""

    input: str
    output: str


class Shape(NamedTuple):
    """One way of storing a trajectory.

    matches: whether a value (of any type) is in this shape.
    read: the value's runs. Raises `RejectedError` if the value is not in this shape after all.
    write: the value for the events of a history, in a layout that `read` gave (or {}). It may differ from
        what was read in what a history does not keep; see `difference.py`.
    spans_runs: whether a value holds all runs of a conversation, not only one.
    is_exact: whether `write` gives back all that `read` was given, with nothing left for `difference.py`.
    is_repl: whether the runs are those of an RLM.
    """

    kind: str
    matches: Callable[[Any], bool]
    read: Callable[[Any, Names], Reading]
    write: Callable[[Sequence[Event], Layout], Any]
    spans_runs: bool = False
    is_exact: bool = False
    is_repl: bool = False
