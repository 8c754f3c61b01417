"""The transition as data: what moved, what went, in which DSPy release, and which rule fixes it.

Also the DSPy that is installed here. Questions about a version are answered from `dspy.__version__` once
dspy is imported and from package metadata before that; questions about behaviour ask the classes themselves,
because a fork or a pre-release can carry any number.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import re
import sys
from dataclasses import dataclass
from typing import Any, TypeAlias

from packaging.version import InvalidVersion, Version

Release: TypeAlias = tuple[int, int]
"""Major and minor number. A pre-release behaves as the release it announces: 3.5.0rc1 is (3, 5)."""

FIRST_WITH_V2: Release = (3, 3)
DISTRIBUTIONS = (
    "dspy",
    "dspy-ai",
)  # forks come under other names, and ship an importable `dspy` all the same


@dataclass(frozen=True)
class Change:
    """One thing that DSPy's move from trajectory to history changes for a program."""

    name: str
    """What the program says today."""
    instead: str
    """What it says after the move."""
    removed_in: Release | None
    """The first release where the old way fails. None: it never does, it is only needed no longer."""
    warns_from: Release | None
    """The first release on which react_shims warns about it, None when it has no part in it."""
    rule: str
    """The rule of react-migrate that finds it and, where that is possible, fixes it."""


CHANGES: dict[str, Change] = {
    change.name: change
    for change in (
        Change("ReActV2", "ReAct", (3, 6), (3, 5), "RM101"),
        Change("prediction.trajectory", "trajectory_of(prediction)", (3, 5), (3, 5), "RM201"),
        Change('hasattr(prediction, "trajectory")', "has_trajectory(prediction)", (3, 5), None, "RM202"),
        Change("truncate_trajectory", "TruncationHook", (3, 5), None, "RM301"),
        Change("rlm_prediction.trajectory", "repl_trajectory_of(prediction)", (3, 5), (3, 5), "RM701"),
        Change("RLM(max_iterations=...)", "RLM(max_iters=...)", (3, 3), None, "RM702"),
        Change("RLM(interpreter=...)", "RLM(interpreter_factory=...)", (3, 3), None, "RM703"),
        Change("CodeAct", "RLM", (3, 5), None, "RM704"),
        Change("ProgramOfThought", "RLM", (3, 5), None, "RM704"),
        Change("react_shims.ReAct", "dspy.ReAct", None, (3, 6), "RM101"),
    )
}
"""By name. Release notes of 3.3 (RLM) and 3.5 (the rest; the removal of the alias is announced for 3.6)."""


@dataclass(frozen=True)
class InstalledDSPy:
    """The DSPy of this environment."""

    version: str
    """As DSPy states it; from package metadata while dspy is not imported."""
    release: Release | None
    """None when the version is no version number; then only features can tell."""
    imported: bool
    """Whether `version` is DSPy's own word (`dspy.__version__`) or the metadata's hint."""


def installed() -> InstalledDSPy | None:
    """The installed DSPy, without importing it. None when there is none."""
    dspy = sys.modules.get("dspy")
    stated = getattr(dspy, "__version__", None)
    if isinstance(stated, str):
        return InstalledDSPy(stated, release_of(stated), imported=True)
    hint = _version_in_metadata()
    return None if hint is None else InstalledDSPy(hint, release_of(hint), imported=False)


def release_of(version: str) -> Release | None:
    """Major and minor of a version. A pre-release counts as its release; a fork's odd suffix is ignored."""
    try:
        numbers = Version(version).release
    except InvalidVersion:
        leading = re.match(r"v?(\d+)\.(\d+)", version)
        return (int(leading[1]), int(leading[2])) if leading else None
    return (numbers[0], numbers[1] if len(numbers) > 1 else 0)


def _version_in_metadata() -> str | None:
    for name in DISTRIBUTIONS:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    # Slow (reads every distribution's file list), and reached only by forks and where there is no DSPy.
    providers = importlib.metadata.packages_distributions().get("dspy", [])
    return importlib.metadata.version(providers[0]) if providers else None


def require_dspy() -> Any:
    """The dspy module. Raises ImportError, saying what to install, when there is none."""
    try:
        return importlib.import_module("dspy")
    except ModuleNotFoundError as error:
        if error.name != "dspy":
            raise  # DSPy is there and misses something itself
        raise ImportError(
            "react_shims.ReAct, ReActV2, RLM and TruncationHook need DSPy, which is not installed here: "
            "pip install 'dspy>=3.3'",
            name="dspy",
        ) from error


@functools.cache
def v2_class() -> type[Any] | None:
    """The class of V2 agents in the installed DSPy: `ReAct` where that is V2 already, else `ReActV2`.

    None before DSPy 3.3, which has no V2. Imports dspy; ImportError without it.
    """
    dspy = require_dspy()
    for name in ("ReAct", "ReActV2"):
        found = getattr(dspy, name, None)
        if isinstance(found, type) and _submits(found):
            return found
    return None


def require_v2_class() -> type[Any]:
    """`v2_class()`. Raises ImportError, saying which DSPy has one, when this one has none."""
    found = v2_class()
    if found is None:
        raise ImportError(
            "react_shims.ReAct and ReActV2 need an agent that keeps a history, and DSPy "
            f"{require_dspy().__version__} has none: pip install 'dspy>=3.3'. "
            "(trajectory_of, has_trajectory and TruncationHook work on this DSPy too.)",
            name="dspy",
        )
    return found


def _submits(agent_class: Any) -> bool:
    """Whether agents of this class answer through a `submit` tool, as V2's do; V1's have `finish`."""
    return "submit" in getattr(agent_class("question -> answer", tools=[]), "tools", {})
