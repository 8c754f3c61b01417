"""One file's bytes: what they say as Python text, and how that becomes bytes again.

Text keeps its newlines exactly as they are in the file; a byte order mark and the encoding are remembered
apart from it, so that `restore(text)` gives the very bytes that were read.
"""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_WIDE_MARKS = {  # longest first: UTF-32-LE starts with UTF-16-LE's mark
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class SourceError(ValueError):
    """A file that cannot be read, or written, as what it claims to be.

    The message is a predicate about the file ("does not exist"), with what to do after a semicolon.
    """


class NotParsedError(SourceError):
    """A file that is not what its name says it is. `line` and `column`, from 1, tell where that shows."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class OtherLanguageError(SourceError):
    """A file of code that is not Python's, in a format that Python shares."""


class RestoreError(Exception):
    """A text that cannot have come from a source by edits to its code; a bug of ours."""


class WriteError(SourceError):
    """The file was read but its new content could not be put in place; it is as it was."""


class Place(NamedTuple):
    """Where a line of a source stands for its reader: a notebook cell (from 1) or None, and a line in it."""

    cell: int | None
    line: int


class Part(NamedTuple):
    """What a reader compares on its own when a file changes: a notebook's cell (from 1), or with None all."""

    cell: int | None
    data: bytes


@dataclass(frozen=True)
class LeftOut:
    """Code that is in a file, and not in the text of its module.

    It stands at `line` and `column` of the text, from 1. Either it does not parse, for the reason in `error`,
    or the notebook magic `magic` hands it to something else.
    """

    line: int
    column: int
    code: str
    error: str | None = None
    magic: str | None = None


class Source(Protocol):
    """A module's text and its way back to the bytes of its file."""

    @property
    def path(self) -> Path:
        """The file, as the user named it or as it was found."""

    @property
    def text(self) -> str:
        """The module, newlines as in the file."""

    @property
    def raw(self) -> bytes:
        """The bytes of the file when it was read."""

    @property
    def encoding(self) -> str:
        """The codec that the bytes are written in."""

    @property
    def code(self) -> bytes:
        """All code of the file, to look for names and imports in; in an encoding that ASCII is part of."""

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """What of the file's code is not in `text`."""

    @property
    def unseen(self) -> Collection[str]:
        """The names that code outside of `text` may use."""

    def restore(self, text: str) -> bytes:
        """The bytes of the file if its text were `text`. Raises `SourceError` if it cannot hold it, and
        `RestoreError` if no edit to code makes it of `self.text`."""

    def locate(self, line: int) -> Place:
        """Where line `line` (from 1) of `text` is shown to a reader."""

    def line(self, number: int) -> str:
        """Line `number` (from 1) of `text` as it is in the file, with its end; "" where there is none."""

    def parts(self) -> Sequence[Part]:
        """The file as a reader compares it with another version of itself, which has as many parts."""


@dataclass(frozen=True)
class PythonFile:
    """A plain Python file; see `Source`."""

    path: Path
    text: str
    raw: bytes
    encoding: str
    left_out: Sequence[LeftOut] = ()
    unseen: Collection[str] = ()

    @property
    def code(self) -> bytes:
        return self.raw

    def restore(self, text: str) -> bytes:
        try:
            encoded = text.encode(self.encoding)
        except UnicodeError as error:
            what = ascii(text[error.start]) if isinstance(error, UnicodeEncodeError) else "room for it"
            raise SourceError(
                f"is encoded as {self.encoding}, which has no {what}; save it as UTF-8 first"
            ) from error
        return codecs.BOM_UTF8 + encoded if self.raw.startswith(codecs.BOM_UTF8) else encoded

    def locate(self, line: int) -> Place:
        return Place(None, line)

    def line(self, number: int) -> str:
        return self._lines[number - 1] if 1 <= number <= len(self._lines) else ""

    def parts(self) -> Sequence[Part]:
        return [Part(None, self.raw)]

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self.text)


def split_lines(text: str) -> list[str]:
    r"""Lines with their ends, split where Python's tokenizer splits: \n, \r\n and \r, and nowhere else."""
    return _LINE.findall(text)


def decode(path: Path, data: bytes) -> PythonFile:
    """`data` as Python source. Raises `SourceError` for what is not text or could not be written back."""
    for mark, name in _WIDE_MARKS.items():
        if data.startswith(mark):
            raise SourceError(f"is {name}, which Python itself cannot run; save it as UTF-8")
    try:
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # which `detect_encoding` does not know
        encoding, _ = tokenize.detect_encoding(io.BytesIO(lines).readline)
        encoding = encoding.removesuffix("-sig")
        body = data.removeprefix(codecs.BOM_UTF8)
        text = body.decode(encoding)
    except SyntaxError as error:
        raise SourceError(
            f"is not Python text ({error.msg}); save it as UTF-8 or correct its coding line"
        ) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"is not valid {encoding} (byte {error.object[error.start]:#04x} on line {line}); "
            "save it as UTF-8 or correct its coding line"
        ) from error
    except (LookupError, UnicodeError) as error:
        raise SourceError(f"names an encoding that is none ({error}); correct its coding line") from error
    source = PythonFile(path, text, data, encoding)
    if source.restore(text) != data:
        raise SourceError(
            f"cannot be written back byte for byte in its encoding, {encoding}; save it as UTF-8"
        )
    return source
