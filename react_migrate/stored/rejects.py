"""Records that were not converted: kept whole, with where they stood and why."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson

from react_migrate.files import reason
from react_migrate.report.escape import printable, shown
from react_migrate.stored.errors import StoredError
from react_migrate.stored.lines import Reject
from react_migrate.stored.output import STDOUT, Output, output_at

_SHOWN = 5
_LONGEST = 300  # characters of a reason in a message
_IN_MEMORY = 1 << 20  # bytes of rejects
_PART = 1 << 16


class Rejects:
    """Collects rejects in a file of JSONL, which exists only if there are any.

    One line for each: `{"source", "line" (or "record", "row": the number, from 1), "reason", "record"}`. What
    is no JSON stands under "text" instead of "record", and what is no UTF-8 under "base64".

    Those of one input are held back until it is known whether the input as a whole can be converted.
    """

    def __init__(self, path: Path | None, output: Path) -> None:
        """`path`: where; None: beside the output, under a name that is not taken."""
        self._path = path
        self._output = output
        self._file: Output | None = None
        self._held = _Held()
        self.count = 0
        self.shown: list[str] = []  # the first few, for the summary

    @property
    def path(self) -> Path | None:
        """The file, or None as long as there are no rejects."""
        return self._path if self._file is not None else None

    def add(self, source: str, unit: str, first: int, rejects: Sequence[Reject]) -> None:
        """Hold some back. `first`: the number of the record that they count from. Raises `StoredError`."""
        if not rejects:
            return
        self._held.write(_line(source, unit, first + reject.at, reject) for reject in rejects)
        for reject in rejects[: _SHOWN - len(self._held.shown)]:
            separator = ":" if unit == "line" else f", {unit} "
            self._held.shown.append(f"{source}{separator}{first + reject.at}: {_short(reject.reason)}")
        self._held.count += len(rejects)

    def keep(self) -> None:
        """The input is converted: what was held back goes into the file. Raises `StoredError`."""
        held, self._held = self._held, _Held()
        with held.file:
            if not held.count:
                return
            if self._file is None:
                self._path = self._path or _free_path(self._output)
                self._file = output_at(self._path)
            held.file.seek(0)
            with self._file.writing() as write:
                while part := held.file.read(_PART):
                    write(part)
        self.shown += held.shown[: _SHOWN - len(self.shown)]
        self.count += held.count

    def drop(self) -> None:
        """The input is not converted at all: forget what was held back."""
        self._held.file.close()
        self._held = _Held()

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
        self._held.file.close()
        if self._file is not None:
            self._file.discard()


class _Held:
    """The rejects of one input: on disk when they are many."""

    def __init__(self) -> None:
        self.file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 its owner closes it
        self.count = 0
        self.shown: list[str] = []

    def write(self, lines: Iterable[bytes]) -> None:
        """Raises `StoredError`."""
        try:
            self.file.writelines(lines)
        except OSError as error:
            folder = shown(Path(tempfile.gettempdir()))
            raise StoredError(
                f"rejected records could not be held back in {folder}: {reason(error)}"
            ) from error


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
