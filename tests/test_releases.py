"""Every test in `tests/on_dspy` holds on every DSPy release of the transition.

One process per release: DSPy is a global thing (settings, caches, import hooks) and slow to import.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from releases import RELEASES, REPOSITORY, release_environment


def test_the_test_environment_has_no_dspy_of_its_own() -> None:
    """It would be imported where a release under test lacks something, and by tests that must do without."""
    assert find_spec("dspy") is None


# The outer run's plugins stay out, and warnings of DSPy and its dependencies are not ours to fail on.
OPTIONS = ["-p", "no:xdist", "-p", "no:cacheprovider", "-o", "addopts=-q", "-o", "filterwarnings=default"]
OPTIONS += ["--disable-warnings", "--strict-markers"]


@pytest.mark.parametrize("version", RELEASES)
def test_release(version: str, tmp_path: Path) -> None:
    results = tmp_path / "results.xml"
    command = [sys.executable, "-m", "pytest", "tests/on_dspy", *OPTIONS]
    inner = subprocess.run(
        [*command, f"--basetemp={tmp_path / 'inner'}", f"--junitxml={results}"],
        cwd=REPOSITORY,
        env=release_environment(version, REPOSITORY),
        capture_output=True,
        text=True,
        check=False,
    )
    if inner.returncode != 0:
        pytest.fail(f"tests/on_dspy fails on DSPy {version}:\n{inner.stdout}\n{inner.stderr}", pytrace=False)
    suite = ElementTree.parse(results).getroot().find("testsuite")
    assert suite is not None
    assert int(suite.attrib["tests"]) > 0, inner.stdout
    assert suite.attrib["skipped"] == "0", (
        f"a test for other releases is marked, not skipped:\n{inner.stdout}"
    )
