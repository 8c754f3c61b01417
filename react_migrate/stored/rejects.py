"""Records that were not converted: kept whole, with where they stood and why."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

import orjson

from react_migrate.report.escape import printable
from react_migrate.stored.lines import Reject
from react_migrate.stored.output import STDOUT, Output, output_at

_SHOWN = 5
_LONGEST = 300  # characters of a reason in a message


class Rejects:
    """Collects rejects in a file of JSONL, which exists only if there are any.

    One line for each: `{"source", "line" (or "record", "row": the number, from 1), "reason", "record"}`. What
    is no JSON stands under "text" instead of "record", and what is no UTF-8 under "base64".
    """

    def __init__(self, path: Path | None, output: Path) -> None:
        """`path`: where; None: beside the output, under a name that is not taken."""
        self._path = path
        self._output = output
        self._file: Output | None = None
        self.count = 0
        self.shown: list[str] = []  # the first few, for the summary

    @property
    def path(self) -> Path | None:
        """The file, or None as long as there are no rejects."""
        return self._path if self._file is not None else None

    def add(self, source: str, unit: str, first: int, rejects: Sequence[Reject]) -> None:
        """Keep some. `first`: the number of the record that they count from. Raises `StoredError`."""
        if not rejects:
            return
        if self._file is None:
            self._path = self._path or _free_path(self._output)
            self._file = output_at(self._path)
        with self._file.writing() as write:
            for reject in rejects:
                write(_line(source, unit, first + reject.at, reject))
        for reject in rejects[: _SHOWN - len(self.shown)]:
            separator = ":" if unit == "line" else f", {unit} "
            self.shown.append(f"{source}{separator}{first + reject.at}: {_short(reject.reason)}")
        self.count += len(rejects)

    def finish(self) -> None:
        """See `Output.finish`."""
        if self._file is not None:
            self._file.finish()

    def commit(self) -> None:
        """See `Output.commit`."""
        if self._file is not None:
            self._file.commit()

    def discard(self) -> None:
        """See `Output.discard`."""
        if self._file is not None:
            self._file.discard()


def _line(source: str, unit: str, number: int, reject: Reject) -> bytes:
    about = {"source": source, unit: number, "reason": reject.reason}
    return json.dumps(about)[:-1].encode() + b", " + _raw(reject.raw) + b"}\n"


def _raw(raw: bytes) -> bytes:
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    else:
        return b'"record": ' + raw
    try:
        return b'"text": ' + json.dumps(raw.decode()).encode()
    except UnicodeDecodeError:
        return b'"base64": "' + base64.b64encode(raw) + b'"'


def _short(reason: str) -> str:
    text = printable(reason)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _free_path(output: Path) -> Path:
    stem = "react-migrate" if output == STDOUT else output.name
    folder = Path() if output == STDOUT else output.parent
    numbers = ("", *(f"-{number}" for number in range(2, 10_000)))
    paths = (folder / f"{stem}.rejects{number}.jsonl" for number in numbers)
    return next(path for path in paths if not path.exists())
