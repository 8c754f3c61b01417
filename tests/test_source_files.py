"""New bytes are in the file as a whole, and all else about it is as it was; or nothing has changed."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from react_migrate import files
from react_migrate.files import read, write
from react_migrate.source import SourceError, WriteError

OLD, NEW = b"old\r\n", b"new\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_writes_the_bytes_and_leaves_nothing_beside_them(file: Path) -> None:
    write(file, OLD, NEW)
    assert contents(file.parent) == {"a.py": NEW}


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o2664])
def test_keeps_the_mode(file: Path, mode: int) -> None:
    file.chmod(mode)
    write(file, OLD, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_keeps_extended_attributes(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("no extended attributes here")
    write(file, OLD, NEW)
    assert os.getxattr(file, "user.note") == b"mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_keeps_the_owner(file: Path) -> None:
    os.chown(file, 12345, 54321)
    write(file, OLD, NEW)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


def test_the_file_is_newer_afterwards(file: Path) -> None:
    os.utime(file, (1, 1))
    write(file, OLD, NEW)
    assert file.stat().st_mtime > 1


def test_writes_through_links_to_their_target(file: Path) -> None:
    folder = file.parent / "other"
    folder.mkdir()
    link, second = folder / "link.py", folder / "second.py"
    link.symlink_to("../a.py")
    second.symlink_to(link)
    write(second, OLD, NEW)
    assert file.read_bytes() == NEW
    assert link.is_symlink()
    assert second.is_symlink()


def test_a_hard_link_elsewhere_keeps_its_content(file: Path) -> None:
    """Package managers link installed files from a cache, which must not be edited."""
    other = file.parent / "cache.py"
    other.hardlink_to(file)
    write(file, OLD, NEW)
    assert (file.read_bytes(), other.read_bytes()) == (NEW, OLD)


def refused(path: Path, why: str) -> None:
    before = contents(path.parent)
    with pytest.raises(WriteError, match=why):
        write(path, OLD, NEW)
    assert contents(path.parent) == before


def test_a_file_that_changed_meanwhile_is_not_touched(file: Path) -> None:
    file.write_bytes(b"theirs")
    refused(file, r"changed on disk since it was read, .* run again")


def test_a_file_that_is_gone_does_not_come_back(file: Path) -> None:
    file.unlink()
    refused(file, "is as it was: does not exist")


def test_a_read_only_file_is_not_replaced_even_if_that_were_possible(file: Path) -> None:
    file.chmod(0o444)
    refused(file, r"is read-only, .* make it writable first")
    file.chmod(0o644)


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "the file system is read-only"),
        (errno.EACCES, "check its permissions"),
        (errno.EIO, "Input/output error"),
    ],
)
@pytest.mark.parametrize("step", ["fsync", "utime", "replace"])
def test_a_failing_step_leaves_the_old_content_and_no_rest(
    file: Path, monkeypatch: pytest.MonkeyPatch, number: int, why: str, step: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path if step == "replace" else os, step, fail)
    refused(file, f"could not be written and is as it was: .*{why}")


def test_a_full_disk(file: Path) -> None:
    """The real thing, where the machine has it: every write to /dev/full fails."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    original = files.tempfile.mkstemp

    def full(**settings: object) -> tuple[int, str]:
        handle, name = original(**settings)  # type: ignore[call-overload]
        os.close(handle)
        return os.open("/dev/full", os.O_WRONLY), name

    files.tempfile.mkstemp = full  # type: ignore[assignment]
    try:
        refused(file, "the disk is full; free some space")
    finally:
        files.tempfile.mkstemp = original


def test_an_interrupt_leaves_no_rest(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(file, OLD, NEW)
    assert contents(file.parent) == {"a.py": OLD}


def test_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("b.py")
    (tmp_path / "b.py").symlink_to("a.py")
    with pytest.raises(WriteError, match=r"loop|symbolic links"):
        write(tmp_path / "a.py", OLD, NEW)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "does not exist; check the spelling"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: os.mkfifo(path), "is not a regular file; pipe its text in with `-`"),
        (lambda path: path.symlink_to(path), "is a loop of symbolic links"),
    ],
)
def test_reading_what_is_not_a_file(tmp_path: Path, make: object, why: str) -> None:
    path = tmp_path / "x.py"
    make(path)  # type: ignore[operator]
    with pytest.raises(SourceError, match=why):
        read(path)


@pytest.mark.parametrize("name", ["a\0b.py", "x" * 300 + ".py", "a.py/b.py"])
def test_reading_names_that_cannot_be(file: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"null|too long|a part of its path is a file"):
        read(file.parent / name)
