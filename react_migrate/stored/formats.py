"""The formats of files of stored runs, told by their content; a name only breaks ties."""

from __future__ import annotations

import codecs
import csv
import enum
import io
import json

from react_migrate.stored.errors import StoredError

HEAD = 1 << 16  # bytes to look at

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PARQUET = b"PAR1"
_NOT_READ = {
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"BZh": "bzip2; unpack it first",
    b"\xfd7zXZ\x00": "xz; unpack it first",
    b"SQLite format 3\x00": "an SQLite database; export the table as CSV or JSONL first",
    codecs.BOM_UTF16_LE: "UTF-16; save it as UTF-8 first",
    codecs.BOM_UTF16_BE: "UTF-16; save it as UTF-8 first",
    **{
        b"\x80"
        + bytes([protocol]): "a pickle, which is never opened here: it could run any code. Load it where "
        "you trust it, and store the runs as JSON"
        for protocol in range(2, 6)
    },
}
_LINES_NAMES = (".jsonl", ".ndjson", ".jsonlines")
_TABLE_NAMES = (".csv", ".tsv")
_DELIMITERS = (b",", b"\t", b";", b"|")


class Compression(enum.Enum):
    """How a file is packed."""

    NONE = "none"
    GZIP = "gzip"
    ZSTD = "zstd"


class Format(enum.Enum):
    """What is in a file, once it is unpacked."""

    LINES = "JSONL"
    DOCUMENT = "JSON"
    TABLE = "CSV"
    PARQUET = "Parquet"


DATA_NAMES = (*_LINES_NAMES, ".json", *_TABLE_NAMES, ".parquet")
PACKED_NAMES = {".gz": Compression.GZIP, ".zst": Compression.ZSTD, ".zstd": Compression.ZSTD}


def compression_of(head: bytes) -> Compression:
    """How a file that begins with `head` is packed."""
    if head.startswith(_GZIP):
        return Compression.GZIP
    return Compression.ZSTD if head.startswith(_ZSTD) else Compression.NONE


def unpacked_name(name: str) -> str:
    """A file's name in lower case, without the ending of a compression."""
    name = name.lower()
    for ending in PACKED_NAMES:
        name = name.removesuffix(ending)
    return name


def is_lines_name(name: str) -> bool:
    """Whether a file's name says that it is JSONL."""
    return unpacked_name(name).endswith(_LINES_NAMES)


def format_of(head: bytes, name: str, *, whole: bool) -> Format:
    """What a file is whose unpacked content begins with `head`, or is that, if it is `whole`.

    Raises `StoredError`, whose message is a predicate of the file, if it is nothing that holds stored runs.
    """
    if head.startswith(_PARQUET):
        return Format.PARQUET
    for magic, what in _NOT_READ.items():
        if head.startswith(magic):
            raise StoredError(f"is {what}")
    name = unpacked_name(name)
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith((b"{", b"[")):
        return _json_format(text, name, whole=whole)
    if not text or name.endswith(_LINES_NAMES):
        return Format.LINES
    if name.endswith(_TABLE_NAMES) or _is_table(text):
        return Format.TABLE
    raise StoredError("is none of the formats JSON, JSONL, CSV and Parquet")


def delimiter_of(header: bytes) -> bytes:
    """What separates the columns of a table: the most frequent of the usual characters in its first line."""
    return max(_DELIMITERS, key=header.count)


def _is_table(text: bytes) -> bool:
    """Whether a text of no name that says so looks like a table: the first two rows have as many cells."""
    header = text.split(b"\n", 1)[0]
    if b"\0" in text or delimiter_of(header) not in header:
        return False
    lines = io.StringIO(text.decode(errors="replace"), newline="")
    rows = csv.reader(lines, delimiter=delimiter_of(header).decode())
    try:
        first, second = next(rows), next(rows, None)
    except csv.Error:
        return False
    return second is None or len(second) == len(first)


def _json_format(text: bytes, name: str, *, whole: bool) -> Format:
    """JSONL or one JSON document. What is cut in the middle of its first line is told by its name."""
    first, newline, rest = text.partition(b"\n")
    if not newline and not whole:
        is_document = first.startswith(b"[") and not name.endswith(_LINES_NAMES)
        return Format.DOCUMENT if is_document else Format.LINES
    second = rest.lstrip().split(b"\n", 1)[0]
    if _is_complete(first):
        only = whole and not second
        is_document = only and (first.startswith(b"[") or name.endswith(".json"))
        return Format.DOCUMENT if is_document else Format.LINES
    if name.endswith(_LINES_NAMES) and len(first.strip()) > 1 and _is_complete(second):
        return Format.LINES  # the first line is broken
    is_document = _is_beginning(first) and (
        _is_beginning(joined := first + b"\n" + second) or _is_complete(joined)
    )
    return Format.DOCUMENT if is_document or not _is_complete(second) else Format.LINES


def _is_complete(text: bytes) -> bool:
    return _error_at(text) is None


def _is_beginning(text: bytes) -> bool:
    """Whether a text could go on as JSON."""
    at = _error_at(text)
    return at is not None and at >= len(text.decode(errors="replace").rstrip())


def _error_at(text: bytes) -> int | None:
    try:
        json.loads(text.decode(errors="replace"))
    except json.JSONDecodeError as error:
        return error.pos
    except (ValueError, RecursionError):  # it is JSON, though not any that can be read
        return None
    return None
