"""Which files of a project are Python, and what the project itself asks for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from react_migrate.files import read, reason
from react_migrate.ignore import Layer, above, compile_patterns
from react_migrate.source import SourceError

SUFFIXES = frozenset({".py", ".pyi", ".pyw", ".ipynb"})
# Folders that only hold other people's or generated code. `build` and `dist` are not among them: packages are
# called so too, and where they are rubbish, .gitignore says so.
_JUNK = frozenset(
    {".git", ".hg", ".svn", ".bzr", "__pycache__", "__pypackages__", "node_modules", ".venv", ".tox", ".nox"}
    | {".eggs", ".direnv", ".pixi", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
    | {".ipynb_checkpoints"}
)
_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")  # what is in every virtual environment, whatever its name


@dataclass
class Discovery:
    """The files to look at, in a stable order; what could not be looked at and why; what was passed over.

    `named` are the files that the user named one by one.
    """

    files: list[Path] = field(default_factory=list)
    named: set[Path] = field(default_factory=set)
    problems: list[tuple[Path, str]] = field(default_factory=list)
    skipped: int = 0


def discover(paths: Sequence[Path], exclude: Sequence[str] = ()) -> Discovery:
    """All Python files and notebooks at or below `paths`, each once.

    Files that are named are always taken, whether they exist or not: reading them will tell. Below a named
    folder these are passed over: what git ignores, what matches an `exclude` pattern (gitignore syntax,
    relative to the current folder, or to the named one when that is elsewhere), virtual environments, and
    linked folders.
    """
    found = Discovery()
    seen: dict[object, Path] = {}
    for path in paths:
        if is_folder(path):
            for file in _walk(path, exclude, found):
                _take(file, seen, found)
        else:
            found.named.add(path)
            _take(path, seen, found)
    found.files = sorted(seen.values(), key=lambda file: file.parts)
    found.problems.sort()
    return found


def _take(file: Path, seen: dict[object, Path], found: Discovery) -> None:
    """Remember the file, once: what is named goes before what is found, and a file before a link to it."""
    try:
        status = file.stat()
        key: object = (status.st_dev, status.st_ino)
    except (OSError, ValueError):  # reading it will tell why
        key = file
    known = seen.get(key)
    if known is None or (known not in found.named and (file in found.named or known.is_symlink())):
        seen[key] = file


def _walk(root: Path, exclude: Sequence[str], found: Discovery) -> Iterator[Path]:
    top = absolute(root)
    here = Path.cwd()
    excluded = Layer(here if top.is_relative_to(here) else top, compile_patterns(exclude))
    folders = [(root, top, above(top))]
    while folders:
        folder, full_folder, ignored = folders.pop()
        ignored = ignored.inside(full_folder)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            found.problems.append((folder, reason(error)))
            continue
        for entry in entries:
            path, full = folder / entry.name, full_folder / entry.name
            below = entry.is_dir(follow_symlinks=False)
            if not (_may_hold_code(entry) if below else path.suffix in SUFFIXES):
                continue
            if ignored(full, below) or excluded.verdict(full, below):
                continue
            if below:
                folders.append((path, full, ignored))
            elif entry.is_file():
                yield path
            else:  # a socket, a pipe, a link to a folder or to nowhere
                found.skipped += 1
    found.problems += [problem for problem in ignored.unreadable if problem not in found.problems]


def _may_hold_code(folder: os.DirEntry[str]) -> bool:
    if folder.name in _JUNK:
        return False
    return not any(os.path.lexists(Path(folder.path, mark)) for mark in _ENVIRONMENT_MARKS)


def is_folder(path: Path) -> bool:
    """`path.is_dir()` that says False to every name that cannot be asked about, on every Python."""
    return os.path.isdir(path)  # noqa: PTH112  # Path.is_dir raises for some


def absolute(path: Path) -> Path:
    """The path from the root, without `..`; links in it stay."""
    return Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links


# --- the project's own requirements ---

_DECLARATIONS = (
    *("pyproject.toml", "setup.cfg", "setup.py", "Pipfile"),
    *("requirements*.txt", "requirements*.in", "requirements/*.txt", "environment*.yml", "environment*.yaml"),
)
# The distribution's name where a requirement stands: at the start of a line or after a quote or space, and
# before what can follow a name in PEP 508, TOML or YAML. Not in a comment, nor as the project's own name.
_SHIMS = re.compile(
    rb"""^(?!\s*[\#;])(?!\s*name\s*=)(?:[^\#\n]*[\s"'\[,])?react[-_.]+shims(?=[\s"'=<>~!;,@\[]|$)""",
    re.IGNORECASE | re.MULTILINE,
)


def declares_shims(path: Path) -> bool | None:
    """Whether the project of `path` already requires react-shims; None when nothing is declared at all.

    The project is the nearest folder upwards that has a file of declarations, within the repository.
    """
    start = absolute(path)
    for folder in (start, *start.parents):
        declarations = [file for pattern in _DECLARATIONS for file in folder.glob(pattern) if file.is_file()]
        if declarations:
            return any(map(_mentions_shims, declarations))
        if (folder / ".git").exists():
            break
    return None


def _mentions_shims(file: Path) -> bool:
    try:
        return _SHIMS.search(read(file)) is not None
    except SourceError:
        return False
