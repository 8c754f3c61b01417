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

    The bytes are the file's own: its encoding, its line ends, its byte order mark.
    """
    if not job.changed or job.before is None or job.after is None:
        return
    old, new = _split(job.before.raw), _split(job.after.raw)
    names = (_quoted("a", job.path), _quoted("b", job.path))
    for line in difflib.diff_bytes(difflib.unified_diff, old, new, *names):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _split(data: bytes) -> list[bytes]:
    r"""Lines as patch knows them: they end in \n only."""
    return io.BytesIO(data).readlines()


def _quoted(side: str, path: Path) -> bytes:
    """A file name as git writes it: in C's quotes when it holds what would break the line or end the name."""
    full, here = absolute(path), Path.cwd()
    below = full.relative_to(here if full.is_relative_to(here) else full.anchor)
    name = os.fsencode(f"{side}/{below}")
    if not any(byte < 32 or byte in b'"\\' or byte >= 127 for byte in name):
        return name + (b"\t" if b" " in name else b"")
    special = {ord("\n"): b"\\n", ord("\t"): b"\\t", ord('"'): b'\\"', ord("\\"): b"\\\\"}
    escaped = (
        special.get(byte) or (bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte) for byte in name
    )
    return b'"' + b"".join(escaped) + b'"'
