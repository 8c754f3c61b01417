"""The legacy programs in `fixtures/programs`, with what `fixtures/plans` says about each.

A program is a file with a function `main`, or a folder of files of which one has it. Its plan is a Python
file of the same name, with

- `PLAN`: what the scripted model does, see `react_shims.testing`,
- `EXPECTED`: pieces of what the program prints,
- `STDIN`, `ARGV`: what it reads and its arguments,
- `NEEDS`: the oldest release that it runs on; without it, all,
- `UNSAFE`: whether it is rewritten with `--unsafe`,
- `LEFT`: what the rewrite leaves for a human, as `path:line CODE`;

and, for a folder,

- `ROOT`: the folder in it where its modules are found, `ENTRY`: the module with `main`,
- `CHANGED`: the files that need a change, all the others need none.
"""

from __future__ import annotations

import runpy
from dataclasses import dataclass
from typing import Any

from packaging.version import Version
from releases import REPOSITORY

PROGRAMS = REPOSITORY / "fixtures/programs"
PLANS = REPOSITORY / "fixtures/plans"


@dataclass(frozen=True)
class Program:
    """A legacy program. `file` is what it is in `fixtures/programs`: `chat.py`, or the folder `newsroom`."""

    name: str
    file: str
    plan: dict[str, Any]

    @property
    def is_folder(self) -> bool:
        return self.file == self.name

    @property
    def root(self) -> str:
        """The folder that is on `sys.path` when it runs, relative to where the programs are."""
        return f"{self.name}/{self.plan.get('ROOT', '')}" if self.is_folder else ""

    @property
    def entry(self) -> str:
        """The module that has `main`."""
        default = "main" if self.is_folder else self.name
        return str(self.plan.get("ENTRY", default))

    @property
    def changed(self) -> set[str]:
        """The files that the rewrite changes, relative to where the programs are."""
        return {f"{self.name}/{name}" for name in self.plan["CHANGED"]} if self.is_folder else {self.file}

    @property
    def left(self) -> list[str]:
        """What the rewrite leaves for a human: `newsroom/main.py:3 RM204`."""
        return [f"{self.name}/{one}" if self.is_folder else one for one in self.plan.get("LEFT", ())]

    @property
    def unsafe(self) -> bool:
        return bool(self.plan.get("UNSAFE", False))

    def runs_on(self, version: str) -> bool:
        return Version(version) >= Version(self.plan.get("NEEDS", "0"))

    def __str__(self) -> str:
        return self.name


def all_programs() -> list[Program]:
    """Every program, by name."""
    paths = sorted(PROGRAMS.iterdir())
    found = [path for path in paths if path.name != "__pycache__"]
    return [Program(path.stem, path.name, runpy.run_path(str(PLANS / f"{path.stem}.py"))) for path in found]
