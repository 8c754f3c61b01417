"""Plans can be written and read where DSPy is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from react_shims.testing import Act, Script


def test_importing_it_imports_no_dspy() -> None:
    code = "import sys, react_shims.testing; print('dspy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_running_it_says_what_is_missing() -> None:
    with pytest.raises(ImportError, match="a Script needs DSPy, whose agents it drives: pip install dspy"):
        Script([]).lm  # noqa: B018


def test_an_act_without_calls_is_refused() -> None:
    with pytest.raises(ValueError, match="Act needs at least one Call; the last step of a run is Finish"):
        Act("Thinking only.")
