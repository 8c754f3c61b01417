"""`react_shims.status()`: where this environment stands in the transition, and what to do next.

(Not called `status.py`: a submodule of that name would take the place of the function in the package.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from react_shims import __version__
from react_shims.transition import CHANGES, InstalledDSPy, installed, require_dspy, v2_class

_BACK_TO_DSPY = (
    "Where only what dspy.ReAct has too is used of react_shims.ReAct, import it from dspy again, by hand."
)
NEXT_STEPS: dict[str, tuple[str, ...]] = {
    "there is no DSPy": (
        "Install it: pip install 'dspy>=3.3'.",
        "Stored trajectories can be converted without.",
    ),
    "before the window: only V1": (
        "`react-migrate rewrite .` makes the code ready; it runs on this DSPy as well.",
        "Then upgrade: pip install 'dspy>=3.3'.",
    ),
    "in the window: V1 is dspy.ReAct, V2 is there under another name": (
        "`react-migrate rewrite .` makes the code run on this DSPy and on 3.5 alike.",
        "Then upgrade: pip install 'dspy>=3.5'.",
    ),
    "switched: dspy.ReAct is V2, the old alias is still there": (
        "`react-migrate rewrite .` fixes what is left of V1.",
        _BACK_TO_DSPY,
    ),
    "after the window: dspy.ReAct is V2, the old alias is gone": (
        "`react-migrate rewrite .` fixes what is left of V1 and of the alias.",
        _BACK_TO_DSPY,
    ),
}
NO_DSPY, BEFORE, WINDOW, SWITCHED, AFTER = NEXT_STEPS

NAMES_OF_DSPY = ("ReAct", "ReActV2", "CodeAct", "ProgramOfThought")


@dataclass(frozen=True)
class Status:
    """What is installed, and what the names of the transition mean here. `str()` is for people."""

    shims: str
    """The version of react-shims."""
    dspy: InstalledDSPy | None
    phase: str
    """One of the keys of `NEXT_STEPS`."""
    names: dict[str, str]
    """What each name is in this environment."""
    next_steps: tuple[str, ...]

    def __str__(self) -> str:
        width = max((len(name) for name in self.names), default=0)
        lines = [
            f"react-shims {self.shims}",
            f"DSPy {_printable(self.dspy.version)}" if self.dspy else "DSPy is not installed",
            f"phase: {self.phase}",
            *(f"  {name:{width}}  {_printable(meaning)}" for name, meaning in self.names.items()),
            "next:",
            *(f"  {step}" for step in self.next_steps),
        ]
        return "\n".join(lines)


def status() -> Status:
    """Where this environment stands. Imports dspy, if there is one, and warns about nothing.

    Raises ImportError when a DSPy is installed and cannot be imported.
    """
    if installed() is None:
        return Status(__version__, None, NO_DSPY, _shims_names(), NEXT_STEPS[NO_DSPY])
    dspy = require_dspy()
    phase = _phase(dspy)
    names = {f"dspy.{name}": _meaning(getattr(dspy, name, None), name) for name in NAMES_OF_DSPY}
    return Status(__version__, installed(), phase, {**names, **_shims_names()}, NEXT_STEPS[phase])


def _phase(dspy: Any) -> str:
    """Told by what the classes are, not by the version: a fork's version can be anything."""
    v2 = v2_class()
    if v2 is None:
        return BEFORE
    if v2 is not dspy.ReAct:
        return WINDOW
    return SWITCHED if hasattr(dspy, "ReActV2") else AFTER


def _meaning(found: Any, name: str) -> str:
    v2 = v2_class()
    if found is None:
        is_to_come = name == "ReActV2" and v2 is None
        return f"not in this DSPy; use {CHANGES[name].instead}" if not is_to_come else "comes with DSPy 3.3"
    if v2 is not None and found is v2:
        return f"V2, keeps a history ({_place(found)})"
    if v2 is not None and issubclass(found, v2):
        return f"another name of V2 ({_place(found)})"
    return f"V1, keeps a trajectory ({_place(found)})" if name == "ReAct" else _place(found)


def _shims_names() -> dict[str, str]:
    v2 = v2_class() if installed() else None
    agent = f"V2, made from {_place(v2)}" if v2 else "needs DSPy 3.3 or later"
    hook = "for agents on V1 and V2" if installed() else "needs DSPy"
    names = {"ReAct": agent, "ReActV2": agent, "RLM": _shims_rlm(), "TruncationHook": hook}
    return {f"react_shims.{name}": meaning for name, meaning in names.items()}


def _shims_rlm() -> str:
    """The shim's RLM needs what V2 needs, histories of more than chats, and an RLM."""
    if not installed() or v2_class() is None or not hasattr(require_dspy(), "RLM"):
        return "needs DSPy 3.3 or later"
    return f"RLM with a history, made from {_place(require_dspy().RLM)}"


def _place(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _printable(text: str) -> str:
    """Versions and module names come from installed packages; nothing in them may steer a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)
