"""The promise of the whole: legacy programs, rewritten, do the same on DSPy 3.2 to 3.6.

`fixtures/programs` holds programs as users wrote them, in one file or in a folder of files; what a program
prints on DSPy 3.4.1 before it is rewritten is what it must print afterwards, on every release and with every
default adapter.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from client import Outcome, Release
from programs import PROGRAMS, Program, all_programs
from releases import PREVIEWS, RELEASES

from react_shims.testing import Act, Answer, Finish, NewRun, OutOfTurns, Overflow

REFERENCE = "3.4.1"
OLDEST = "3.2.1"
ALL = all_programs()
each_program = pytest.mark.parametrize("program", ALL, ids=str)

# Before 3.5 the default adapter is ChatAdapter.
RUNS = [
    pytest.param(program, version, adapter, id=f"{program}-{version}-{adapter or 'default'}")
    for program in ALL
    for version in RELEASES
    for adapter in ((None, "ChatAdapter") if version in PREVIEWS else (None,))
    if program.runs_on(version)
]


@dataclass(frozen=True)
class Rewritten:
    """A program after the rewrite: where, what became of its files, and what the command said."""

    folder: Path
    changed: set[str]
    left: list[str]
    code: int


def rewrite(program: Program, folder: Path) -> Rewritten:
    """Run `react-migrate rewrite` on the version of the program that is in `folder`."""
    before = _files(folder)
    command = [sys.executable, "-m", "react_migrate", "rewrite", "--output-format", "json"]
    command += ["--unsafe"] if program.unsafe else []
    done = subprocess.run([*command, str(folder / program.file)], capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    found = [one for one in json.loads(done.stdout)["findings"] if not one["fixed"]]
    left = [f"{Path(one['path']).relative_to(folder)}:{one['line']} {one['code']}" for one in found]
    after = _files(folder)
    assert after.keys() == before.keys()
    return Rewritten(folder, {name for name in after if after[name] != before[name]}, left, done.returncode)


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="session")
def releases() -> Iterator[Callable[[str], Release]]:
    """DSPy releases, each imported when a test first asks for it."""
    running: dict[str, Release] = {}
    with ExitStack() as stack:

        def release(version: str) -> Release:
            if version not in running:
                running[version] = stack.enter_context(Release(version))
            return running[version]

        yield release


@pytest.fixture(scope="session")
def reference(releases: Callable[[str], Release]) -> Callable[[Program], str]:
    """What a program prints on the reference release before it is rewritten."""
    known: dict[str, str] = {}

    def output(program: Program) -> str:
        if program.name not in known:
            outcome = releases(REFERENCE).run(program, PROGRAMS, warnings="error")
            known[program.name] = succeeded(outcome)
        return known[program.name]

    return output


@pytest.fixture(scope="session")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Program], Rewritten]:
    """A copy of a program, rewritten."""
    known: dict[str, Rewritten] = {}

    def make(program: Program) -> Rewritten:
        if program.name not in known:
            folder = tmp_path_factory.mktemp(program.name)
            copy = shutil.copytree if program.is_folder else shutil.copy
            unwanted: dict[str, Any] = (
                {"ignore": shutil.ignore_patterns("__pycache__")} if program.is_folder else {}
            )
            copy(PROGRAMS / program.file, folder / program.file, **unwanted)
            known[program.name] = rewrite(program, folder)
        return known[program.name]

    return make


def succeeded(outcome: Outcome) -> str:
    if outcome.code != 0:
        pytest.fail(str(outcome), pytrace=False)
    return outcome.output


def steps_of(program: Program) -> list[Any]:
    """The steps of a program's plan, also of a plan by input."""
    plan = program.plan["PLAN"]
    return [step for steps in plan.values() for step in steps] if isinstance(plan, dict) else plan


def writes_code(step: Any) -> bool:
    """Whether it is an iteration of an RLM."""
    return isinstance(step, Answer) and "code" in step.outputs


@each_program
def test_the_reference_shows_what_is_expected(program: Program, reference: Callable[[Program], str]) -> None:
    for text in program.plan["EXPECTED"]:
        assert text in reference(program)


def test_the_programs_together_meet_what_agents_meet(reference: Callable[[Program], str]) -> None:
    """Tool errors, the end of the turns, an overflow: without them the comparisons would prove little."""
    kinds = {type(step) for program in ALL for step in steps_of(program)}
    assert kinds == {Act, Answer, Finish, NewRun, OutOfTurns, Overflow}
    with_agent = [program for program in ALL if any(isinstance(step, Act) for step in steps_of(program))]
    without_errors = {
        program.name for program in with_agent if "Execution error in" not in reference(program)
    }
    assert without_errors == {"archive", "lean_agent"}  # those that truncate print no steps
    assert sum(program.is_folder for program in ALL) >= 8


def test_the_programs_together_meet_what_rlms_meet(reference: Callable[[Program], str]) -> None:
    with_rlm = [program for program in ALL if any(writes_code(step) for step in steps_of(program))]
    assert len(with_rlm) >= 5
    printed = "".join(map(reference, with_rlm))
    for seen in ("FINAL: {", "[Error]", "[Type Error]", "(no output - did you forget to print?)"):
        assert seen in printed
    assert any(not any(isinstance(step, Act) for step in steps_of(program)) for program in with_rlm)


@pytest.mark.parametrize("program", [program for program in ALL if program.runs_on(OLDEST)], ids=str)
def test_the_original_does_the_same_on_an_older_release(
    program: Program, releases: Callable[[str], Release], reference: Callable[[Program], str]
) -> None:
    assert succeeded(releases(OLDEST).run(program, PROGRAMS)) == reference(program)


@each_program
def test_the_original_does_not_survive_the_change(
    program: Program, releases: Callable[[str], Release], reference: Callable[[Program], str]
) -> None:
    """Every program needs the rewrite; one that does not would prove nothing."""
    outcome = releases("3.6.0").run(program, PROGRAMS)
    assert outcome.code != 0 or outcome.output != reference(program)


@each_program
def test_the_rewrite_changes_what_needs_it_and_says_what_is_left(
    program: Program, rewritten: Callable[[Program], Rewritten]
) -> None:
    done = rewritten(program)
    assert done.changed == program.changed
    assert done.left == program.left
    assert done.code == (1 if program.left else 0)


@each_program
def test_a_second_rewrite_changes_nothing(
    program: Program, rewritten: Callable[[Program], Rewritten]
) -> None:
    first = rewritten(program)
    assert rewrite(program, first.folder) == Rewritten(first.folder, set(), first.left, first.code)


@pytest.mark.parametrize(("program", "version", "adapter"), RUNS)
def test_the_rewritten_program_does_the_same(
    program: Program,
    version: str,
    adapter: str | None,
    rewritten: Callable[[Program], Rewritten],
    releases: Callable[[str], Release],
    reference: Callable[[Program], str],
) -> None:
    # The shim's names may say that they are no longer needed from 3.6 on, and not before.
    quiet = "default" if version == "3.6.0" else "error"
    outcome = releases(version).run(program, rewritten(program).folder, adapter=adapter, warnings=quiet)
    assert succeeded(outcome) == reference(program), outcome.errors
