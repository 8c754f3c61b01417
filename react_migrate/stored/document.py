"""Records in one JSON document: in a list, in the only list of an object, or the document itself.

A document is held in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from react_migrate.stored.errors import RejectedError, StoredError
from react_migrate.stored.jsontext import Parsed, dump, parse
from react_migrate.stored.lines import LinesResult, Reject, convert_record
from react_migrate.stored.opening import Input
from react_migrate.stored.settings import Settings
from react_migrate.stored.shapes import KINDS


@dataclass
class Document:
    """A converted document.

    records: the converted records. whole: the document with them, None if it was a record that could not be
    converted. non_finite: see `Parsed`. is_indented: whether it was written for people.
    """

    result: LinesResult
    records: list[Any]
    whole: Any
    non_finite: bool
    is_indented: bool

    def lines(self) -> Iterator[bytes]:
        """The records as JSONL."""
        for record in self.records:
            yield dump(record, non_finite=self.non_finite) + b"\n"

    def text(self) -> bytes:
        """The document as JSON; nothing if there is none."""
        if self.whole is None:
            return b""
        return dump(self.whole, non_finite=self.non_finite, indent=self.is_indented) + b"\n"


def convert_document(source: Input, settings: Settings) -> Document:
    """Convert the records of a document. Raises `StoredError` if the input is no JSON."""
    raw = source.stream.read()
    try:
        parsed = parse(raw)
    except RejectedError as error:
        raise StoredError(f"{source.name} {error}") from error
    try:
        return _converted(parsed, settings, is_indented=b"\n" in raw.strip())
    except StoredError as error:
        raise StoredError(f"{source.name}, {error}") from error


def _converted(parsed: Parsed, settings: Settings, *, is_indented: bool) -> Document:
    value = parsed.value
    key = _only_list(value)
    document = Document(LinesResult(), [], None, parsed.non_finite, is_indented)
    if isinstance(value, list) and not _is_one_record(value):
        document.whole = _convert_each(value, parsed, settings, document)
    elif (
        key is not None
        and not _is_convertible(parsed, settings)
        and _any_is_convertible(value[key], settings)
    ):
        document.whole = {**value, key: _convert_each(value[key], parsed, settings, document)}
    else:
        document.whole = next(iter(_convert_each([value], parsed, settings, document)), None)
    return document


def _convert_each(records: list[Any], parsed: Parsed, settings: Settings, document: Document) -> list[Any]:
    result = document.result
    for at, record in enumerate(records):
        try:
            done = convert_record(Parsed(record, parsed.non_finite), settings)
            dump(done.record, non_finite=True)  # it may have become too deep to be written
        except RejectedError as error:
            result.rejects.append(Reject(at, str(error), _kept(at, record, parsed)))
            continue
        document.non_finite = document.non_finite or done.non_finite
        document.records.append(done.record)
        result.reports[done.report] += 1
    result.lines = len(records)
    return document.records


def _kept(at: int, record: Any, parsed: Parsed) -> bytes:
    try:
        return dump(record, non_finite=parsed.non_finite)
    except RejectedError as error:
        raise StoredError(f"record {at + 1} {error} to be converted or kept; take it out first") from error


def _is_one_record(value: list[Any]) -> bool:
    """Whether a list is a trajectory itself, and not a list of records."""
    return any(shape.matches(value) for shape in KINDS.values())


def _any_is_convertible(records: list[Any], settings: Settings) -> bool:
    return any(_is_convertible(Parsed(record), settings) for record in records)


def _is_convertible(parsed: Parsed, settings: Settings) -> bool:
    try:
        convert_record(parsed, settings)
    except RejectedError:
        return False
    return True


def _only_list(value: Any) -> str | None:
    """The field of an object that may hold records: the only one with a list of objects."""
    if not isinstance(value, dict):
        return None
    lists = [
        key
        for key, items in value.items()
        if isinstance(items, list) and items and all(isinstance(item, dict) for item in items)
    ]
    return lists[0] if len(lists) == 1 else None
