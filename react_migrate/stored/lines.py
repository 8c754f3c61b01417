"""Records that stand one to a line (JSONL)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from react_migrate.stored.backward import to_trajectory
from react_migrate.stored.digest import digest_of
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.forms import Forms
from react_migrate.stored.forward import to_history
from react_migrate.stored.jsontext import Parsed, dump, parse
from react_migrate.stored.report import Converted, Report
from react_migrate.stored.settings import Settings


@dataclass
class Reject:
    """A record that was not converted. `at`: its place in what it was read with, from 0. `raw`: its JSON."""

    at: int
    reason: str
    raw: bytes


@dataclass
class LinesResult:
    """What became of some lines: how many there were, and what was done to each; blank lines give nothing."""

    lines: int = 0
    reports: Counter[Report] = field(default_factory=Counter)
    rejects: list[Reject] = field(default_factory=list)


class LineConverter:
    """Converts lines; remembers forms of records (see `forms`) from one call to the next."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._forms = Forms(settings)

    def convert(self, lines: Iterable[bytes], write: Callable[[bytes], Any]) -> LinesResult:
        """Converts lines of JSON, in their order. `write` gets every converted record as a line."""
        result = LinesResult()
        reports: list[Report] = []
        quick, at = self._forms.convert, -1
        for at, line in enumerate(lines):
            done = quick(line)
            if done is not None:
                write(done[0])
                reports.append(done[1])
            elif line and not line.isspace():
                self._convert_usually(at, line, write, result)
        result.lines = at + 1
        result.reports.update(reports)
        return result

    def _convert_usually(
        self, at: int, line: bytes, write: Callable[[bytes], Any], result: LinesResult
    ) -> None:
        try:
            converted = convert_record(parse(line), self._settings, digest_of(line).decode())
            text = dump(converted.record, non_finite=converted.non_finite)
        except RejectedError as error:
            result.rejects.append(Reject(at, str(error), line.rstrip(b"\r\n")))
            return
        write(text + b"\n")
        result.reports[converted.report] += 1


def convert_record(parsed: Parsed, settings: Settings, digest: str | None = None) -> Converted:
    """One record, forward or backward as the settings say. Raises `RejectedError`."""
    try:
        return to_trajectory(parsed, settings) if settings.reverse else to_history(parsed, settings, digest)
    except RecursionError as error:
        raise RejectedError("is nested too deep") from error
