"""Changes as unified diffs, in the exact bytes that patch(1) and `git apply` need."""

from __future__ import annotations

import difflib
import io
import os
from collections.abc import Iterator
from pathlib import Path

from react_migrate.engine import Job
from react_migrate.project import absolute


def unified(job: Job) -> Iterator[bytes]:
    """The lines of the diff of one file, each with its end; `patch -p1` and `git apply` read it.

    The bytes are the file's own: its encoding, its line ends, its byte order mark. Of a notebook each cell
    has a diff of its own, for reading: `a/file.ipynb:cell 3` is no name of a file.
    """
    if not job.changed or job.before is None or job.after is None:
        return
    for old, new in zip(job.before.parts(), job.after.parts(), strict=True):
        names = (_quoted("a", job.path, old.cell), _quoted("b", job.path, new.cell))
        if old.cell is None:
            yield from _compared(old.data, new.data, names)
        else:  # the last line of a cell has no end, ever
            yield from _compared(_ended(old.data), _ended(new.data), names)


def _compared(old: bytes, new: bytes, names: tuple[bytes, bytes]) -> Iterator[bytes]:
    for line in difflib.diff_bytes(difflib.unified_diff, _split(old), _split(new), *names):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _ended(data: bytes) -> bytes:
    return data if data.endswith(b"\n") else data + b"\n"


def _split(data: bytes) -> list[bytes]:
    r"""Lines as patch knows them: they end in \n only."""
    return io.BytesIO(data).readlines()


def _quoted(side: str, path: Path, cell: int | None) -> bytes:
    """A file name as git writes it: in C's quotes when it holds what would break the line or end the name."""
    full, here = absolute(path), Path.cwd()
    below = full.relative_to(here if full.is_relative_to(here) else full.anchor)
    name = os.fsencode(f"{side}/{below}" if cell is None else f"{side}/{below}:cell {cell}")
    if not any(byte < 32 or byte in b'"\\' or byte >= 127 for byte in name):
        return name + (b"\t" if b" " in name else b"")
    special = {ord("\n"): b"\\n", ord("\t"): b"\\t", ord('"'): b'\\"', ord("\\"): b"\\\\"}
    escaped = (
        special.get(byte) or (bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte) for byte in name
    )
    return b'"' + b"".join(escaped) + b'"'
