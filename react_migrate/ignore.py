"""Which paths git would ignore: `.gitignore` files at every depth, and `.git/info/exclude`.

Matching one pattern is pathspec's; this module knows which files of patterns are in force where.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pathspec

from react_migrate.files import read
from react_migrate.source import SourceError


class Rule(NamedTuple):
    """One pattern. `only_folders`: it ends in a slash."""

    pattern: pathspec.RegexPattern
    only_folders: bool

    def matches(self, name: str, is_folder: bool) -> bool:
        """Whether the pattern means the file or folder `name`, and not a folder that it is in.

        pathspec takes all that is below for matched (and marks in its expression where the folder ends),
        since it does not know the tree. We walk the tree: what is in an ignored folder we never see, and a
        folder that `!` brings back does not bring back what another pattern ignores in it.
        """
        if self.only_folders and not is_folder:
            return False
        subject = name + "/" if self.only_folders else name
        expression = self.pattern.regex
        if expression is None or not self.pattern.match_file(subject):
            return False  # a comment or an empty line has no expression
        *_, last = expression.finditer(subject)
        mark = last.groupdict().get("ps_d")
        return mark is None or last.end("ps_d") == len(subject)


@dataclass(frozen=True)
class Layer:
    """The patterns of one file, which speak about paths relative to `base`."""

    base: Path
    rules: Sequence[Rule]

    def verdict(self, path: Path, is_folder: bool) -> bool | None:
        """True: ignored; False: named with `!`; None: not mentioned. The last that matches decides."""
        name = path.relative_to(self.base).as_posix()
        matching = (rule for rule in reversed(self.rules) if rule.matches(name, is_folder))
        return next((rule.pattern.include for rule in matching), None)


@dataclass(frozen=True)
class Ignored:
    """The layers in force in one folder, outermost first; `unreadable`: files that could not be read."""

    layers: tuple[Layer, ...] = ()
    unreadable: list[tuple[Path, str]] = field(default_factory=list)

    def __call__(self, path: Path, is_folder: bool) -> bool:
        """Whether `path` (absolute) is ignored; the innermost file that mentions it decides."""
        verdicts = (layer.verdict(path, is_folder) for layer in reversed(self.layers))
        return next((verdict for verdict in verdicts if verdict is not None), False)

    def inside(self, folder: Path) -> Ignored:
        """The same, for what is in `folder` (absolute), whose own pattern files now have a say.

        A repository inside another one is a world of its own, as it is for git.
        """
        outer = () if (folder / ".git").exists() else self.layers
        return Ignored(outer + tuple(self._own(folder)), self.unreadable)

    def _own(self, folder: Path) -> Iterator[Layer]:
        for path in (_info_exclude(folder), folder / ".gitignore"):
            if path is None or not path.is_file():
                continue
            try:
                yield Layer(
                    folder, compile_patterns(read(path).decode("utf-8", "surrogateescape").splitlines())
                )
            except SourceError as error:
                self.unreadable.append((path, str(error)))


def above(root: Path) -> Ignored:
    """What the folders above `root` (absolute) say about it and its content.

    They are asked from the top of the repository down, or, outside of any repository, from the current folder
    down. Those that ignore `root`, or a folder it is in, are set aside: who names it wants it looked at.
    """
    tops = [folder for folder in (root, *root.parents) if (folder / ".git").exists()]
    here = Path.cwd()
    top = tops[0] if tops else here if root.is_relative_to(here) else root
    between = [folder for folder in (root, *root.parents) if folder != root and folder.is_relative_to(top)]
    ignored = Ignored()
    for folder, inner in itertools.pairwise([*reversed(between), root]):
        ignored = ignored.inside(folder)
        if ignored(inner, True):
            ignored = Ignored(unreadable=ignored.unreadable)
    return ignored


def compile_patterns(lines: Iterable[str]) -> list[Rule]:
    """gitignore patterns; a line that is not a valid one matches nothing, as in git."""
    return [rule for line in lines for rule in _compiled(line)]


def _compiled(line: str) -> Iterator[Rule]:
    line = line if line.endswith("\\ ") else line.rstrip()
    if line.endswith("/**/"):  # git: the folders in it; pathspec: it, too
        line += "*/"
    with contextlib.suppress(ValueError):
        for pattern in pathspec.GitIgnoreSpec.from_lines([line]).patterns:
            if isinstance(pattern, pathspec.RegexPattern) and pattern.include is not None:
                yield Rule(pattern, line.endswith("/"))


def _info_exclude(folder: Path) -> Path | None:
    """`info/exclude` of the repository at `folder`; a linked worktree or submodule names it in a file."""
    git = folder / ".git"
    if git.is_dir():
        return git / "info" / "exclude"
    if not git.is_file():
        return None
    try:
        target = read(git).decode("utf-8", "surrogateescape").strip()
    except SourceError:
        return None
    if not target.startswith("gitdir:"):
        return None
    home = folder / target.removeprefix("gitdir:").strip()
    common = home / "commondir"
    if common.is_file():
        home = home / read(common).decode("utf-8", "surrogateescape").strip()
    return home / "info" / "exclude"
