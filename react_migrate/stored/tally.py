"""What was done, counted over all records of a command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from react_migrate.stored.report import UNCHANGED, Report

Names = tuple[str, ...]


@dataclass
class Tally:
    """converted, unchanged: numbers of records. The counters say how many records had what.

    kinds: the shape of the trajectory. inputs, outputs: the names of the fields taken for them, () for none;
    guessed: which of the two roles were guessed. missing: fields that were asked for and not there.
    notes: see `Report`.
    """

    converted: int = 0
    unchanged: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    inputs: Counter[Names] = field(default_factory=Counter)
    outputs: Counter[Names] = field(default_factory=Counter)
    guessed: set[str] = field(default_factory=set)
    missing: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, reports: Mapping[Report, int]) -> None:
        """Count records: how many had each report."""
        for report, records in reports.items():
            if report.kind == UNCHANGED:
                self.unchanged += records
                continue
            self.converted += records
            self.kinds[report.kind] += records
            self.inputs[report.inputs] += records
            self.outputs[report.outputs] += records
            self.guessed.update(report.guessed)
            for name in report.missing:
                self.missing[name] += records
            for note in report.notes:
                self.notes[note] += records

    def update(self, other: Tally) -> None:
        """Count what another has counted."""
        for name, theirs in vars(other).items():
            if isinstance(theirs, int):
                setattr(self, name, getattr(self, name) + theirs)
            else:
                getattr(self, name).update(theirs)
