"""zstd, from the standard library where it has it (Python 3.14), else from the extra `zstd`."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from react_migrate.stored.errors import StoredError

_PART = 1 << 15  # bytes, packed; unpacked they may be many more


def errors() -> tuple[type[Exception], ...]:
    """What reading damaged data raises; nothing if zstd is not installed."""
    module = _module()
    return () if module is None else (module.ZstdError,)


@contextlib.contextmanager
def reader(packed: BinaryIO) -> Iterator[BinaryIO]:
    """The content of a packed stream. Reading past a cut raises EOFError.

    Raises `StoredError` if zstd is not installed.
    """
    yield io.BufferedReader(_Unpacking(packed, _required()), 1 << 18)


@contextlib.contextmanager
def writer(file: BinaryIO) -> Iterator[BinaryIO]:
    """A stream that packs what is written into `file`, which stays open."""
    module = _required()
    if module.__name__ == "zstandard":
        stream = module.ZstdCompressor().stream_writer(file, closefd=False)
    else:
        stream = module.ZstdFile(file, "w")
    with stream:
        yield stream


class _Unpacking(io.RawIOBase):
    """Frame by frame, because readers of whole streams do not tell a cut from an end."""

    def __init__(self, packed: BinaryIO, module: Any) -> None:
        self._packed = packed
        self._module = module
        self._frame: Any = None
        self._rest = b""  # packed, after the end of a frame
        self._unpacked = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._unpacked:
            part = self._rest or self._packed.read(_PART)
            self._rest = b""
            if not part:
                if self._frame is not None:
                    raise EOFError("zstd data ends within a frame")
                return 0
            self._unpacked = memoryview(self._unpack(part))
        size = min(len(buffer), len(self._unpacked))
        buffer[:size] = self._unpacked[:size]
        self._unpacked = self._unpacked[size:]
        return size

    def _unpack(self, part: bytes) -> bytes:
        if self._frame is None:
            decompressor = self._module.ZstdDecompressor()
            is_extra = self._module.__name__ == "zstandard"
            self._frame = decompressor.decompressobj() if is_extra else decompressor
        unpacked: bytes = self._frame.decompress(part)
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
        return unpacked


def _module() -> Any:
    for name in ("compression.zstd", "zstandard"):
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(name)
    return None


def _required() -> Any:
    module = _module()
    if module is None:
        raise StoredError("needs zstd, which is not installed: pip install 'react-migrate[zstd]'")
    return module
