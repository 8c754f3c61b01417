"""Records in a table of text (CSV), with the trajectory as JSON in one of its columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from react_migrate.stored.columns import RowConverter
from react_migrate.stored.errors import RejectedError, StoredError
from react_migrate.stored.formats import delimiter_of
from react_migrate.stored.jsontext import dump
from react_migrate.stored.lines import LinesResult, Reject
from react_migrate.stored.opening import Input
from react_migrate.stored.output import Output
from react_migrate.stored.settings import Settings

_PART = 256  # rows
_LONGEST_CELL = 2**31 - 1  # characters; the csv module's own limit is 128 KiB


def convert_table(
    source: Input, output: Output, settings: Settings, on_result: Callable[[LinesResult], None]
) -> None:
    """Convert a table row by row; rejects count lines of the file. The output's dialect is the input's.

    Raises:
        StoredError: the input is no table, or the output cannot be written.
    """
    text = io.TextIOWrapper(source.stream, "utf-8-sig", errors="surrogateescape", newline="")
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        _convert(text, source.name, output, settings, on_result)
    finally:
        csv.field_size_limit(limit)
        text.detach()


def _convert(
    text: io.TextIOWrapper,
    name: str,
    output: Output,
    settings: Settings,
    on_result: Callable[[LinesResult], None],
) -> None:
    first = text.readline()
    delimiter = delimiter_of(first.encode(errors="surrogateescape")).decode()
    end = "\r\n" if first.endswith("\r\n") else "\n"
    reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
    rows = _rows(reader, name)
    _, columns = next(rows)
    repeated = sorted({column for column in columns if columns.count(column) > 1})
    if repeated:
        raise StoredError(f"{name} has more than one column {repeated[0]!a}; give them different names")
    converter = RowConverter(settings)
    is_begun = False

    def write(part: Sequence[Sequence[str]]) -> None:
        nonlocal is_begun
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=delimiter, lineterminator=end)
        if not is_begun:
            writer.writerow(converter.columns or columns)
        is_begun = True
        writer.writerows(part)
        with output.writing() as write_bytes:
            write_bytes(buffer.getvalue().encode())

    part: list[Sequence[str]] = []
    result = LinesResult()
    for line, row in rows:
        result.lines += 1
        record = dict(zip(columns, row))  # noqa: B905 (checked below)
        try:
            if len(row) != len(columns):
                raise RejectedError(f"has {len(row)} cells where the table has {len(columns)} columns")
            _check_text(row)
            converted = converter.convert(record)
        except RejectedError as error:
            raw = dump(record if len(row) == len(columns) else row)
            result.rejects.append(Reject(line - 1, str(error), raw))
        else:
            part.append([_cell(value) for value in converted.record.values()])
            result.reports[converted.report] += 1
        if len(part) == _PART or len(result.rejects) == _PART:
            write(part)
            on_result(result)
            part, result = [], LinesResult()
    write(part)
    on_result(result)


def _rows(reader: Iterator[list[str]], name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line it begins on."""
    while True:
        line = reader.line_num + 1  # type: ignore[attr-defined]
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise StoredError(f"{name} is no CSV from line {line} on: {error}") from error
        if row is None:
            return
        if row:
            yield line, row


def _cell(value: Any) -> str:
    """A history is text in a table, even if it was no JSON that it was made of."""
    return value if isinstance(value, str) else dump(value).decode()


def _check_text(row: Sequence[str]) -> None:
    try:
        "".join(row).encode()
    except UnicodeEncodeError as error:
        byte = ord(error.object[error.start]) & 0xFF
        raise RejectedError(f"is not UTF-8: byte {byte:#04x}; save the table as UTF-8 first") from error
