"""`react_shims.status()` says what the installed DSPy is, in words that follow from its classes."""

from __future__ import annotations

import runpy
import sys
import warnings

import dspy
import pytest

import react_shims
from react_shims.deprecation import TransitionWarning
from react_shims.installation import AFTER, BEFORE, SWITCHED, WINDOW

RELEASE = tuple(int(part) for part in dspy.__version__.split(".")[:2])


def test_the_phase_is_the_releases() -> None:
    expected = (
        BEFORE
        if RELEASE < (3, 3)
        else WINDOW
        if RELEASE < (3, 5)
        else SWITCHED
        if RELEASE < (3, 6)
        else AFTER
    )
    assert react_shims.status().phase == expected
    assert react_shims.status().next_steps


def test_the_names_are_what_they_are() -> None:
    names = react_shims.status().names
    assert names["dspy.ReAct"].startswith("V1" if RELEASE < (3, 5) else "V2")
    assert names["dspy.ReAct"].endswith(f"({dspy.ReAct.__module__}.ReAct)")
    if RELEASE >= (3, 3):
        v2 = dspy.ReAct if RELEASE >= (3, 5) else dspy.ReActV2
        assert names["react_shims.ReAct"] == f"V2, made from {v2.__module__}.{v2.__name__}"
        assert issubclass(react_shims.ReAct, v2)
    else:
        assert names["react_shims.ReAct"] == "needs DSPy 3.3 or later"
        assert names["dspy.ReActV2"] == "comes with DSPy 3.3"
    made = f"RLM with a history, made from {dspy.RLM.__module__}.RLM"
    assert names["react_shims.RLM"] == (made if RELEASE >= (3, 3) else "needs DSPy 3.3 or later")
    assert names["dspy.CodeAct"].startswith("not in this DSPy; use RLM" if RELEASE >= (3, 5) else "dspy.")


def test_the_function_is_not_hidden_by_a_module() -> None:
    assert callable(react_shims.status)
    assert str(react_shims.status()).startswith(
        f"react-shims {react_shims.__version__}\nDSPy {dspy.__version__}"
    )


def test_the_command_prints_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["react_shims"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", TransitionWarning)
        with pytest.raises(SystemExit) as ended:
            runpy.run_module("react_shims", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{react_shims.status()}\n"
