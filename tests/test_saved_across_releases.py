"""What the shim's agents save on one DSPy is loaded and runs on the others.

Programs saved whole (`save_program=True`) are DSPy's pickles: those of 3.3 and of later releases do not read
each other, whatever the agent, because DSPy's own `Predict` changed in between. From 3.4 to 3.6 the shim's
do, where those of `dspy.ReActV2` do not: its module is gone by then.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from releases import REPOSITORY, release_environment

FAMILIES = {"3.3": "3.3.0", "3.4": "3.4.1", "3.6": "3.6.0"}
ON_DSPY = REPOSITORY / "tests" / "on_dspy"


def run(version: str, action: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(ON_DSPY / "saved_agents.py"), action, str(folder)],
        env=release_environment(version, ON_DSPY),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{action} fails on DSPy {version}:\n{done.stderr}"
    return done.stdout


def test_every_release_reads_what_the_others_saved(tmp_path: Path) -> None:
    for version in FAMILIES.values():
        run(version, "write", tmp_path)
    for reader, version in FAMILIES.items():
        checked = json.loads(run(version, "read", tmp_path).splitlines()[-1])
        for writer in FAMILIES:
            assert f"state of {writer} bare in keywords" in checked
            assert f"state of {writer} shim in bare" in checked
            assert f"prediction of {writer} shim" in checked
            same_pickles = (reader == "3.3") == (writer == "3.3")
            assert (f"program of {writer} keywords" in checked) == same_pickles
