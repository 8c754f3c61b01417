"""Which paths git would ignore: `.gitignore` files at every depth, and `.git/info/exclude`.

Matching one pattern is pathspec's; this module knows which files of patterns are in force where.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pathspec

from react_migrate.files import read
from react_migrate.source import SourceError


@dataclass(frozen=True)
class Layer:
    """The patterns of one file, which speak about paths relative to `base`."""

    base: Path
    spec: pathspec.GitIgnoreSpec

    def verdict(self, path: Path, is_folder: bool) -> bool | None:
        """True: ignored; False: named with `!`; None: not mentioned."""
        relative = path.relative_to(self.base).as_posix()
        return self.spec.check_file(relative + "/" if is_folder else relative).include


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

    They are asked from the top of the repository down, or, outside of any repository, from the current
    folder. When they ignore `root` itself they are set aside: who names an ignored folder wants it looked
    at.
    """
    tops = [folder for folder in (root, *root.parents) if (folder / ".git").exists()]
    here = Path.cwd()
    top = tops[0] if tops else here if root.is_relative_to(here) else root
    between = [folder for folder in (root, *root.parents) if folder != root and folder.is_relative_to(top)]
    ignored = Ignored()
    for folder in reversed(between):
        ignored = ignored.inside(folder)
    if any(ignored(folder, True) for folder in (root, *between) if folder != top):
        return Ignored(unreadable=ignored.unreadable)
    return ignored


def compile_patterns(lines: list[str]) -> pathspec.GitIgnoreSpec:
    """gitignore patterns; a line that is not a valid one matches nothing, as in git."""
    valid: list[str] = []
    for line in lines:
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        valid.append(line)
    return pathspec.GitIgnoreSpec.from_lines(valid)


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
