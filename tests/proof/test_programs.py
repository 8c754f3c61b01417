"""The promise of the whole: legacy programs, rewritten, do the same on DSPy 3.2 to 3.6.

`fixtures/programs` holds programs as users wrote them; what a program prints on DSPy 3.4.1 before it is
rewritten is what it must print afterwards, on every release and with every default adapter.
"""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from client import PLANS, PROGRAMS, Outcome, Release
from releases import PREVIEWS, RELEASES

from react_shims.testing import Act, Answer, Finish, NewRun, OutOfTurns, Overflow

REFERENCE = "3.4.1"
WITHOUT_V2 = ("3.2.1",)
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
READ_PLANS: dict[str, dict[str, Any]] = {name: runpy.run_path(str(PLANS / f"{name}.py")) for name in NAMES}


def all_steps(plan: Any) -> list[Any]:
    """A plan's steps, also of a plan by input."""
    return [step for steps in plan.values() for step in steps] if isinstance(plan, dict) else plan


def runs_on(name: str, version: str) -> bool:
    return version not in WITHOUT_V2 or not READ_PLANS[name].get("NEEDS_V2", False)


# Before 3.5 the default adapter is ChatAdapter.
RUNS = [
    pytest.param(name, version, adapter, id=f"{name}-{version}-{adapter or 'default'}")
    for name in NAMES
    for version in RELEASES
    for adapter in ((None, "ChatAdapter") if version in PREVIEWS else (None,))
    if runs_on(name, version)
]


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
def reference(releases: Callable[[str], Release]) -> Callable[[str], str]:
    """What a program prints on the reference release before it is rewritten."""
    known: dict[str, str] = {}

    def output(name: str) -> str:
        if name not in known:
            known[name] = succeeded(releases(REFERENCE).run(PROGRAMS / f"{name}.py", warnings="error"))
        return known[name]

    return output


@pytest.fixture(scope="session")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the programs after `react-migrate rewrite`, which must leave nothing for a human."""
    folder = tmp_path_factory.mktemp("rewritten") / "programs"
    shutil.copytree(PROGRAMS, folder)
    done = rewrite(folder)
    assert done.returncode == 0, (
        f"`react-migrate rewrite` leaves something to do:\n{done.stdout}{done.stderr}"
    )
    return folder


def rewrite(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "react_migrate", "rewrite", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def succeeded(outcome: Outcome) -> str:
    if outcome.code != 0:
        pytest.fail(str(outcome), pytrace=False)
    return outcome.output


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_shows_what_is_expected(name: str, reference: Callable[[str], str]) -> None:
    for text in READ_PLANS[name]["EXPECTED"]:
        assert text in reference(name)


def test_the_programs_together_meet_what_agents_meet(reference: Callable[[str], str]) -> None:
    """Tool errors, the end of the turns, an overflow: without them the comparisons would prove little."""
    kinds = {type(step) for name in NAMES for step in all_steps(READ_PLANS[name]["PLAN"])}
    assert kinds == {Act, Answer, Finish, NewRun, OutOfTurns, Overflow}
    with_errors = [name for name in NAMES if "Execution error in" in reference(name)]
    assert len(with_errors) >= len(NAMES) - 1  # the truncating program prints no steps


@pytest.mark.parametrize("name", [name for name in NAMES if runs_on(name, "3.2.1")])
def test_the_original_does_the_same_on_an_older_release(
    name: str, releases: Callable[[str], Release], reference: Callable[[str], str]
) -> None:
    assert succeeded(releases("3.2.1").run(PROGRAMS / f"{name}.py")) == reference(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_original_does_not_survive_the_change(
    name: str, releases: Callable[[str], Release], reference: Callable[[str], str]
) -> None:
    """Every program needs the rewrite; one that does not would prove nothing."""
    outcome = releases("3.6.0").run(PROGRAMS / f"{name}.py")
    assert outcome.code != 0 or outcome.output != reference(name)


@pytest.mark.parametrize(("name", "version", "adapter"), RUNS)
def test_the_rewritten_program_does_the_same(
    name: str,
    version: str,
    adapter: str | None,
    rewritten: Path,
    releases: Callable[[str], Release],
    reference: Callable[[str], str],
) -> None:
    # The shim's names may say that they are no longer needed from 3.6 on, and not before.
    quiet = "default" if version == "3.6.0" else "error"
    outcome = releases(version).run(rewritten / f"{name}.py", adapter=adapter, warnings=quiet)
    assert succeeded(outcome) == reference(name), outcome.errors


def test_a_second_rewrite_changes_nothing(rewritten: Path) -> None:
    before = {path: path.read_bytes() for path in rewritten.iterdir()}
    assert rewrite(rewritten).returncode == 0
    assert {path: path.read_bytes() for path in rewritten.iterdir()} == before
