"""What was done to records, to be counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

UNCHANGED = "unchanged"


@dataclass(eq=False)
class Report:
    """What was done to a record. (Told apart by identity: counting millions must be cheap.)

    kind: the trajectory's shape, or `UNCHANGED` for a record that was what it should become already.

    inputs, outputs: the names that events hold values of. guessed: which of the two were guessed.
    missing: fields that were asked for and that the record has not.
    notes: anything else worth counting, as a clause that goes on from "in 3 records".
    """

    kind: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Converted(NamedTuple):
    """A record after the conversion.

    non_finite: whether there is still a NaN or an infinity in it, which only the standard library writes.
    """

    record: Any
    report: Report
    non_finite: bool = False
