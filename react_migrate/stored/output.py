"""Outputs: files that appear only when they are complete, and standard output."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from react_migrate.files import reason
from react_migrate.report.escape import shown
from react_migrate.stored import zstd
from react_migrate.stored.errors import StoredError
from react_migrate.stored.formats import PACKED_NAMES, Compression

STDOUT = Path("-")
_BUFFER = 1 << 17


class ReaderGoneError(StoredError):
    """Whatever reads our standard output has stopped doing so."""


class Output(Protocol):
    """Where converted records go."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def plain_path(self) -> Path | None:
        """The file that other processes may write into, at any place, instead of us; None if not so."""

    def writing(self) -> AbstractContextManager[Callable[[bytes], Any]]:
        """Gives the function that writes, for a block that does nothing else that may fail.

        The block raises `StoredError` when writing fails.
        """

    def finish(self) -> None:
        """Everything is written: a file is complete on disk, but has another name. Raises `StoredError`.

        May be called again.
        """

    def commit(self) -> None:
        """Let a finished file appear. Raises `StoredError`."""

    def discard(self) -> None:
        """Leave no trace of a file that did not appear."""


def output_at(path: Path) -> Output:
    """The output at a path; `-` is standard output. A name's ending decides whether it is packed.

    Devices and pipes are written to as they are. Raises `StoredError`.
    """
    if path == STDOUT:
        return _Stream(sys.stdout.buffer, "standard output")
    name = shown(path)
    with _failures(name):
        if path.is_dir():
            raise StoredError(f"{name} is a folder; name a file in it")
        if path.exists() and not path.is_file():
            return _Stream(path.open("wb"), name)
        return _NewFile(path, name, PACKED_NAMES.get(path.suffix.lower(), Compression.NONE))


@contextlib.contextmanager
def _failures(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGoneError(f"{name} was closed by its reader before everything was written") from error
    except OSError as error:
        raise StoredError(f"{name} could not be written: {reason(error)}") from error


class _Stream:
    """Standard output, a device or a pipe: what is written has appeared."""

    plain_path = None

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[bytes], Any]]:
        with _failures(self.name):
            yield self._file.write

    def finish(self) -> None:
        if not self._file.closed:
            with _failures(self.name):
                self._file.flush()
                self._close()

    def commit(self) -> None:
        """It has appeared."""

    def discard(self) -> None:
        """What is written cannot be taken back."""
        with contextlib.suppress(OSError):  # it is closed with an error of its own if the reader is gone
            self._close()

    def _close(self) -> None:
        if self._file is not sys.stdout.buffer:
            self._file.close()


class _NewFile:
    """A file beside its final name until `commit`."""

    def __init__(self, path: Path, name: str, compression: Compression) -> None:
        self.name = name
        self._path = path.resolve()  # of a symbolic link the target is replaced
        self._packing = contextlib.ExitStack()
        prefix = f".{self._path.name[:40]}."
        handle, unfinished = tempfile.mkstemp(dir=self._path.parent, prefix=prefix, suffix=".tmp")
        self._unfinished: Path | None = Path(unfinished)
        self._file: BinaryIO = os.fdopen(handle, "wb", buffering=_BUFFER)
        self.plain_path = self._unfinished if compression is Compression.NONE else None
        try:
            self._stream = self._packing.enter_context(_packing(self._file, compression))
        except StoredError as error:
            self.discard()
            raise StoredError(f"{name} {error}") from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[bytes], Any]]:
        with _failures(self.name):
            yield self._stream.write

    def finish(self) -> None:
        if self._file.closed:
            return
        with _failures(self.name):
            self._packing.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def commit(self) -> None:
        assert self._unfinished is not None
        with _failures(self.name):
            if self._path.exists():
                shutil.copymode(self._path, self._unfinished)
            else:
                self._unfinished.chmod(0o666 & ~_umask())
            self._unfinished.replace(self._path)
            self._unfinished = None

    def discard(self) -> None:
        if self._unfinished is None:
            return
        with contextlib.suppress(OSError):  # closing may want to write what is left, to a full disk
            self._packing.close()
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(FileNotFoundError):
            self._unfinished.unlink()
        self._unfinished = None


def _packing(file: BinaryIO, compression: Compression) -> AbstractContextManager[BinaryIO]:
    if compression is Compression.GZIP:  # no time, no name: equal runs give equal files
        packed = gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)
        return cast("AbstractContextManager[BinaryIO]", packed)
    return zstd.writer(file) if compression is Compression.ZSTD else contextlib.nullcontext(file)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
