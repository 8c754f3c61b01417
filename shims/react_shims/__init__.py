"""One spelling for DSPy agents on both sides of the ReAct change.

Importing this package costs next to nothing and works without DSPy: a name is loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = (
    False  # type checkers know the name; importing `typing` for it would cost more than all of this file
)
if TYPE_CHECKING:
    from typing import Any

    from react_shims.history import dump_history, history_of, load_history, to_history
    from react_shims.installation import status
    from react_shims.prediction import install_trajectory, uninstall_trajectory
    from react_shims.react import ReAct, ReActV2
    from react_shims.repl_trajectory import repl_trajectory_of
    from react_shims.rlm.module import RLM
    from react_shims.trajectory import Step, has_trajectory, steps_of, trajectory_of
    from react_shims.truncation import TruncationHook

__version__ = "0.1.0"

__all__ = [
    "RLM",
    "ReAct",
    "ReActV2",
    "Step",
    "TruncationHook",
    "dump_history",
    "has_trajectory",
    "history_of",
    "install_trajectory",
    "load_history",
    "repl_trajectory_of",
    "status",
    "steps_of",
    "to_history",
    "trajectory_of",
    "uninstall_trajectory",
]

# Where each public name lives (PEP 562). The classes need an installed DSPy of 3.3 or later, and say so.
_HOMES = {
    "RLM": "rlm.module",
    "ReAct": "react",
    "ReActV2": "react",
    "Step": "trajectory",
    "TruncationHook": "truncation",
    "dump_history": "history",
    "has_trajectory": "trajectory",
    "history_of": "history",
    "install_trajectory": "prediction",
    "load_history": "history",
    "repl_trajectory_of": "repl_trajectory",
    "status": "installation",
    "steps_of": "trajectory",
    "to_history": "history",
    "trajectory_of": "trajectory",
    "uninstall_trajectory": "prediction",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value  # the next use does not come here again
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
