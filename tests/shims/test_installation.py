"""Where there is no DSPy, or one that does not work, the shim says so and what to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import react_shims
from react_migrate.cli import main
from react_shims.deprecation import message_about
from react_shims.installation import NEXT_STEPS
from react_shims.transition import CHANGES

SHIMS = Path(react_shims.__file__).parent.parent


def python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Python where nothing but `folder`, react_shims and the test environment can be imported."""
    path = os.pathsep.join(map(str, (folder, SHIMS)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)


def test_without_dspy_the_status_says_what_works(tmp_path: Path) -> None:
    done = python("-m", "react_shims", folder=tmp_path)
    assert done.returncode == 0
    assert "DSPy is not installed" in done.stdout
    assert "pip install 'dspy>=3.3'" in done.stdout
    assert "react_shims.RLM             needs DSPy 3.3 or later" in done.stdout
    assert done.stderr == ""


def test_every_command_that_the_shim_advises_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the next steps and of the warnings: react-migrate knows all their words."""
    advice = [step for steps in NEXT_STEPS.values() for step in steps]
    advice += [message_about(change) for change in CHANGES.values()]
    commands = {command for text in advice for command in re.findall(r"`react-migrate ([^`]+)`", text)}
    assert "rewrite ." in commands
    monkeypatch.chdir(tmp_path)  # which is what they are about
    for command in sorted(commands):
        done = CliRunner().invoke(main, command.split())
        assert done.exit_code == 0, f"{command}: {done.output}"


@pytest.mark.parametrize("name", ["RLM", "ReAct", "ReActV2", "TruncationHook", "install_trajectory"])
def test_without_dspy_a_class_says_what_is_missing(name: str, tmp_path: Path) -> None:
    done = python("-c", f"from react_shims import {name}", folder=tmp_path)
    assert done.returncode == 1
    assert "need DSPy, which is not installed here: pip install 'dspy>=3.3'" in done.stderr


def test_a_dspy_that_does_not_import_is_told_from_none(tmp_path: Path) -> None:
    (tmp_path / "dspy.py").write_text("import something_it_needs")
    metadata = tmp_path / "dspy-3.4.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: dspy\nVersion: 3.4.1\n")
    done = python("-m", "react_shims", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == ("DSPy is installed and cannot be imported: No module named 'something_it_needs'\n")


def test_a_hostile_version_does_not_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "dspy.py").write_text(
        "__version__ = '3.2\\x1b[2J'\n"
        "class ReAct:\n"
        "    def __init__(self, signature, tools): self.tools = {'finish': None}\n"
    )
    metadata = tmp_path / "dspy-3.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: dspy\nVersion: 3.2\n")
    done = python("-m", "react_shims", folder=tmp_path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "DSPy 3.2?[2J" in done.stdout


def test_arguments_are_refused(tmp_path: Path) -> None:
    done = python("-m", "react_shims", "fix", folder=tmp_path)
    assert done.returncode == 2
    assert "unrecognized arguments: fix" in done.stderr
