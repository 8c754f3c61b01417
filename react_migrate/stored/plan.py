"""Which input becomes which output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from react_migrate.files import reason
from react_migrate.report.escape import shown
from react_migrate.stored.errors import StoredError
from react_migrate.stored.formats import DATA_NAMES, unpacked_name
from react_migrate.stored.opening import STDIN
from react_migrate.stored.output import STDOUT


class Task(NamedTuple):
    """One output, and the inputs whose records go into it, in order."""

    target: Path
    sources: list[Path]


class Plan(NamedTuple):
    """tasks: in order. passed_over: how many files of folders have a name that is no data's."""

    tasks: list[Task]
    passed_over: int


def planned(inputs: Sequence[Path], output: Path, folder: bool = False) -> Plan:
    """What to convert to what.

    OUTPUT is a folder if it is one already, if `folder` says so (it was given with a slash at its end), or if
    there are several inputs, or a folder, and its name is not that of a data file. Then every input becomes a
    file of the same name in it. Otherwise the records of all inputs go into one file.

    Of folders all files with the name of a data file are taken, also in folders within, by name; hidden ones
    and collected rejects are not.

    Raises:
        StoredError: an input does not exist or would be overwritten, or two outputs would be one.
    """
    found: list[tuple[Path, Path]] = []  # a source, and its path relative to the folder it was found in
    passed_over = 0
    for path in inputs:
        if path != STDIN and path.is_dir():
            inside = list(_files_in(path, output))
            data = [file for file in inside if _is_data(file.name)]
            passed_over += len(inside) - len(data)
            found += [(file, file.relative_to(path)) for file in data]
        else:
            found.append((path, Path(path.name)))
    if not found:
        raise StoredError("there is no file of stored runs in what was given")
    named_as_data = unpacked_name(output.name).endswith(DATA_NAMES)
    several = len(found) > 1 or any(path != STDIN and path.is_dir() for path in inputs)
    if output != STDOUT and (folder or output.is_dir() or (several and not named_as_data)):
        tasks = [Task(output / relative, [source]) for source, relative in found]
    else:
        tasks = [Task(output, [source for source, _ in found])]
    _check(tasks)
    return Plan(tasks, passed_over)


def _files_in(folder: Path, output: Path) -> Iterator[Path]:
    """Files below a folder, without those of an earlier run's output."""
    skipped = output.resolve() if output != STDOUT else None

    def failed(error: OSError) -> None:
        raise StoredError(f"{shown(Path(error.filename))}: {reason(error)}") from error

    for parent, folders, names in os.walk(folder, onerror=failed):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and Path(parent, name).resolve() != skipped
        )
        yield from (Path(parent, name) for name in sorted(names) if not name.startswith("."))


def _is_data(name: str) -> bool:
    name = unpacked_name(name)
    return name.endswith(DATA_NAMES) and not name.endswith(".rejects.jsonl")


def _check(tasks: Sequence[Task]) -> None:
    targets: set[Path] = set()
    for target, sources in tasks:
        if target in targets:
            raise StoredError(
                f"two inputs would both become {shown(target)}; convert them one by one, or to one .jsonl"
            )
        targets.add(target)
        for source in sources:
            if source == STDIN and target.name == STDIN.name and target != STDOUT:
                raise StoredError("standard input has no name for a file in a folder; name a file with -o")
            if target != STDOUT and target.is_file() and source.is_file() and target.samefile(source):
                raise StoredError(
                    f"{shown(target)} is an input; name another output, so that nothing gets lost"
                )
