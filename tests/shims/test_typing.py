"""What static checkers see of the classes (PEP 702 marks the old alias deprecated)."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

import react_shims

PROGRAM = """\
from react_shims import ReAct, ReActV2, TruncationHook, install_trajectory, status

agent = ReAct("question -> answer", tools=[], max_iters=3, truncate=True, on_failure="extract")
old = ReActV2("question -> answer", tools=[])
wrong = ReAct("question -> answer", tools=[], on_failure="extrude")
reveal_type(status().phase)
"""


def test_checkers_see_the_deprecation_and_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.setenv("MYPYPATH", str(Path(react_shims.__file__).parent.parent))
    monkeypatch.chdir(tmp_path)
    options = [
        "--enable-error-code",
        "deprecated",
        "--follow-imports=silent",
        "--no-incremental",
        "program.py",
    ]
    output, _, _ = api.run(options)
    assert "program.py:1: error: class react_shims.react.ReActV2 is deprecated: " in output
    assert 'program.py:5: error: Argument "on_failure" to "ReAct" has incompatible type' in output
    assert 'program.py:6: note: Revealed type is "str"' in output.replace("builtins.str", "str")
    assert "program.py:3" not in output
