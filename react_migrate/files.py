"""Files on disk: reading them, and putting new bytes in their place as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from pathlib import Path

from react_migrate.source import SourceError, WriteError


def read(path: Path) -> bytes:
    """The bytes of a regular file. Raises `SourceError`."""
    try:
        mode = path.stat().st_mode
        data = path.read_bytes() if stat.S_ISREG(mode) else None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise SourceError(reason(error)) from error
    if data is None:
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise SourceError(f"is {kind}; pipe its text in with `-` if it is Python")
    return data


def write(path: Path, before: bytes, after: bytes) -> None:
    """Replace a file's content `before` by `after` in one step, or raise `WriteError` and leave it as it was.

    A symbolic link is followed: its target is replaced. Mode, owner and extended attributes stay. A file that
    does not hold `before` any more is not touched.
    """
    try:
        target = path.resolve(strict=True)
        status = target.stat()
        if not status.st_mode & 0o222 or not os.access(target, os.W_OK):  # root may write to read-only files
            raise WriteError("is read-only, so it was left as it was; make it writable first")
        if target.read_bytes() != before:
            raise WriteError("changed on disk since it was read, so it was left as it was; run again")
        _replace(target, status, after)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links, on Python < 3.13
        raise WriteError(f"could not be written and is as it was: {reason(error)}") from error


def _replace(target: Path, status: os.stat_result, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):  # only root may give files away
                os.chown(name, status.st_uid, status.st_gid)
        shutil.copystat(target, name)
        os.utime(name)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


_REASONS = {
    errno.ENOENT: "does not exist; check the spelling and the folder you run this in",
    errno.EACCES: "may not be read or written by you; check its permissions",
    errno.EPERM: "may not be read or written by you; check its permissions",
    errno.ENOSPC: "the disk is full; free some space and run again",
    errno.EDQUOT: "your disk quota is used up; free some space and run again",
    errno.EROFS: "the file system is read-only",
    errno.ELOOP: "is a loop of symbolic links",
    errno.ENAMETOOLONG: "has a name that is too long for this file system",
    errno.ENOTDIR: "does not exist: a part of its path is a file",
}


def reason(error: Exception) -> str:
    """What an operating system error means for the reader, and what to do about it."""
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0, error.strerror or str(error))
    return str(error)
