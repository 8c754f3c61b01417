"""Warnings are quiet until they are due, then have the right category and point at the user's line."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from react_shims import deprecation
from react_shims.deprecation import TransitionWarning, category_due, user_frame, warn_if_due
from react_shims.transition import CHANGES


def installed_dspy(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    dspy = ModuleType("dspy")
    dspy.__version__ = version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dspy", dspy)


def inside(module: str, source: str, **names: Any) -> Any:
    """The function `f` that `source` defines, as if it stood in `module`."""
    namespace: dict[str, Any] = {"__name__": module, **names}
    exec(compile(source, f"{module}.py", "exec"), namespace)
    return namespace["f"]


def caught(function: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        function()
    return record


@pytest.mark.parametrize(
    ("version", "alias", "trajectory", "shim"),
    [
        ("3.4.1", None, None, None),
        ("3.5.0rc1", DeprecationWarning, DeprecationWarning, None),
        ("3.5.2", DeprecationWarning, DeprecationWarning, None),
        ("3.6.0.dev1", FutureWarning, FutureWarning, FutureWarning),
        ("4.0", FutureWarning, FutureWarning, FutureWarning),
        ("nightly", None, None, None),
    ],
)
def test_the_installed_release_decides(
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    alias: type[Warning] | None,
    trajectory: type[Warning] | None,
    shim: type[Warning] | None,
) -> None:
    installed_dspy(monkeypatch, version)
    due = {"ReActV2": alias, "prediction.trajectory": trajectory, "react_shims.ReAct": shim}
    for name, expected in due.items():
        record = caught(lambda name=name: warn_if_due(name))  # type: ignore[misc]
        assert len(record) == (expected is not None)
        for warning in record:
            assert expected is not None
            assert issubclass(warning.category, expected)
            assert issubclass(warning.category, TransitionWarning)


def test_one_category_per_release_that_removes_the_thing() -> None:
    alias = category_due(CHANGES["ReActV2"], (3, 5))
    trajectory = category_due(CHANGES["prediction.trajectory"], (3, 5))
    assert alias is not None
    assert trajectory is not None
    assert issubclass(alias, deprecation.RemovedInDSPy36Warning)
    assert issubclass(trajectory, deprecation.RemovedInDSPy35Warning)
    assert not issubclass(trajectory, deprecation.RemovedInDSPy36Warning)


def test_the_message_names_the_release_the_rule_and_the_new_name(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_dspy(monkeypatch, "3.5.0")
    [warning] = caught(lambda: warn_if_due("ReActV2"))
    assert str(warning.message) == (
        "`ReActV2` is gone in DSPy 3.6; use `ReAct`. `react-migrate rewrite` changes it where it can (RM101)."
    )


def test_the_users_line_is_found_behind_dspys_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_dspy(monkeypatch, "3.5.0")
    shim = inside("react_shims.react", "def f():\n    warn('ReActV2')", warn=warn_if_due)
    metaclass = inside("dspy.primitives.module", "def f():\n    shim()", shim=shim)
    wrapper = inside("dspy.utils.callback", "def f():\n    metaclass()", metaclass=metaclass)
    user = inside("my_app.agents", "\n\n\ndef f():\n    wrapper()", wrapper=wrapper)
    [warning] = caught(user)
    assert (warning.filename, warning.lineno) == ("my_app.agents.py", 5)


def test_a_package_that_only_begins_like_dspy_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_dspy(monkeypatch, "3.5.0")
    [warning] = caught(inside("dspy_tools.agents", "def f():\n    warn('ReActV2')", warn=warn_if_due))
    assert warning.filename == "dspy_tools.agents.py"


def test_the_users_line_is_found_from_a_coroutine(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_dspy(monkeypatch, "3.5.0")
    shim = inside("dspy.predict", "async def f():\n    warn('ReActV2')", warn=warn_if_due)
    user = inside("my_app", "async def f():\n    await shim()", shim=shim)
    [awaited] = caught(lambda: asyncio.run(user()))
    assert (awaited.filename, awaited.lineno) == ("my_app.py", 2)

    runner = inside("my_app", "\ndef f():\n    run(shim())", shim=shim, run=asyncio.run)
    [as_a_task] = caught(runner)
    assert (as_a_task.filename, as_a_task.lineno) == ("my_app.py", 3), "the event loop is nobody's line"


def test_without_a_user_there_is_still_a_frame() -> None:
    outermost = inside("dspy.predict", "def f():\n    return frame()", frame=user_frame)
    assert outermost().f_code.co_filename  # here pytest's own


def test_pythons_own_filters_work_per_line_and_category(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_dspy(monkeypatch, "3.5.0")
    user = inside("my_app.filters", "def f():\n    warn('ReActV2')\n    warn('ReActV2')", warn=warn_if_due)
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("default")
        user()
        user()
    assert [warning.lineno for warning in record] == [2, 3], "shown once per line"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=deprecation.RemovedInDSPy36Warning)
        user()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module=r"my_app\.filters")
        with pytest.raises(TransitionWarning):
            user()
