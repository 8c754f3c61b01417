"""Runs a program on a DSPy release, in the process that `server.py` keeps for that release."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from programs import PLANS, Program
from releases import release_environment

SERVER = Path(__file__).with_name("server.py")


@dataclass(frozen=True)
class Outcome:
    """What a program did: its exit code, what it printed, and its stderr (warnings, logs, traceback)."""

    code: int
    output: str
    errors: str

    def __str__(self) -> str:
        return f"exit code {self.code}\n--- output\n{self.output}\n--- errors\n{self.errors}"


class Release:
    """A DSPy release that is imported and ready to run programs. A context manager: it ends the process."""

    def __init__(self, version: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)],
            env=release_environment(version),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, program: Program, folder: Path, *, adapter: str | None = None, warnings: str = "default"
    ) -> Outcome:
        """Run `main()` of a program, in the version of it that is in `folder`, on its plan.

        adapter: the name of a DSPy adapter class; None leaves the release its default.
        warnings: "error" makes warnings that point at the program's lines fail it.
        """
        job: dict[str, Any] = {
            "root": str(folder / program.root),
            "entry": program.entry,
            "plan": str(PLANS / f"{program.name}.py"),
            "adapter": adapter,
            "warnings": warnings,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that runs {program} ended with {self._process.wait()}")
        return Outcome(**json.loads(answer))

    def __enter__(self) -> Release:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()  # closes its input, which ends it
