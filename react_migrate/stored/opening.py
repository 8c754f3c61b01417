"""Inputs: files or standard input, unpacked, and what format they are in."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from react_migrate.files import reason
from react_migrate.report.escape import shown
from react_migrate.stored import zstd
from react_migrate.stored.errors import StoredError
from react_migrate.stored.formats import HEAD, Compression, Format, compression_of, format_of

STDIN = Path("-")
_BUFFER = 1 << 18


@dataclass
class Input:
    """One input, opened at its beginning.

    name: for messages. path: None for standard input. size: of the file as it lies on disk, in bytes, if it
    is known. stream: its content, unpacked. raw: as it lies on disk; `raw.tell()` is how far it was read.
    """

    name: str
    path: Path | None
    size: int | None
    format: Format
    compression: Compression
    stream: BinaryIO
    raw: BinaryIO

    @property
    def plain_path(self) -> Path | None:
        """The file's path, if what is in it can be read there as it is."""
        return self.path if self.compression is Compression.NONE and self.size is not None else None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Input]:
    """The input at a path, or standard input for `-`.

    Raises `StoredError`, also from within the block, when the input cannot be read to its end.
    """
    name = "standard input" if path == STDIN else shown(path)
    with contextlib.ExitStack() as files:
        try:
            source = _open(path, name, files)
        except StoredError as error:
            raise StoredError(f"{name} {error}") from error
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise StoredError(f"{name}: {reason(error)}") from error
        with _readable(f"{name} "):
            yield source


@contextlib.contextmanager
def _readable(name: str = "") -> Iterator[None]:
    """Says what is wrong with an input that cannot be read to its end, after `name`."""
    try:
        yield
    except EOFError as error:
        raise StoredError(
            f"{name}is cut off: its compressed data ends too early. None of it was converted; to convert "
            "what is left of it, unpack it into `react-migrate convert -`"
        ) from error
    except _damage() as error:
        raise StoredError(f"{name}is damaged: {error}") from error
    except OSError as error:  # what is wrong with the output is a StoredError already
        raise StoredError(f"{name}could not be read to its end: {reason(error)}") from error


def _damage() -> tuple[type[Exception], ...]:
    return (gzip.BadGzipFile, zlib.error, *zstd.errors())


def _open(path: Path, name: str, files: contextlib.ExitStack) -> Input:
    size = None
    if path == STDIN:
        raw: BinaryIO = sys.stdin.buffer
    else:
        raw = files.enter_context(path.open("rb", buffering=_BUFFER))
        size = path.stat().st_size if path.is_file() else None
    head, packed = _head(raw, seekable=size is not None)
    compression = compression_of(head)
    stream = packed
    if compression is Compression.GZIP:
        unpacked = files.enter_context(gzip.GzipFile(fileobj=packed, mode="rb"))
        stream = cast("BinaryIO", unpacked)
    elif compression is Compression.ZSTD:
        stream = files.enter_context(zstd.reader(packed))
    if compression is not Compression.NONE:
        with _readable():
            head, stream = _head(stream, seekable=False)
    file_format = format_of(head, name, whole=len(head) < HEAD)
    return Input(name, None if path == STDIN else path, size, file_format, compression, stream, raw)


def _head(stream: BinaryIO, *, seekable: bool) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and a stream that still has them."""
    head = b""
    while len(head) < HEAD and (part := stream.read(HEAD - len(head))):
        head += part
    if seekable:
        stream.seek(0)
        return head, stream
    return head, io.BufferedReader(_Rejoined(head, stream), _BUFFER)


class _Rejoined(io.RawIOBase):
    """A stream after its first bytes were read, as if they had not been."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(data) :]
        buffer[: len(data)] = data
        return len(data)
