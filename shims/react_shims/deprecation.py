"""Warnings about the transition: quiet until the installed DSPy makes them due, at the user's own line.

Filter all of them by `TransitionWarning`, those about one removal by `RemovedInDSPy36Warning` and so on. What
is emitted is also a `DeprecationWarning` while the old way still works on some release people run (3.5), and
a `FutureWarning`, which Python shows to everybody, from 3.6 on.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any

from react_shims.transition import CHANGES, Change, Release, installed

SHOWN_TO_ALL_FROM: Release = (3, 6)

PLUMBING = frozenset({"dspy", "react_shims", "asyncio", "concurrent", "contextlib", "functools", "threading"})
"""Top-level modules whose frames stand between the user's line and ours: DSPy's metaclass, its callback
wrappers and its threads; the event loop's own, when a coroutine was handed to it."""


class TransitionWarning(Warning):
    """Something that DSPy's move from trajectory to history takes away is still in use."""


class RemovedInDSPy35Warning(TransitionWarning):
    """DSPy 3.5 has it no longer; react_shims still answers."""


class RemovedInDSPy36Warning(TransitionWarning):
    """DSPy 3.6 has it no longer; react_shims still answers."""


class ShimNotNeededWarning(TransitionWarning):
    """The installed DSPy does by itself what react_shims is used for here."""


class RemovedInDSPy35DeprecationWarning(RemovedInDSPy35Warning, DeprecationWarning):
    """What `RemovedInDSPy35Warning` says, on DSPy 3.5."""


class RemovedInDSPy35FutureWarning(RemovedInDSPy35Warning, FutureWarning):
    """What `RemovedInDSPy35Warning` says, from DSPy 3.6 on."""


class RemovedInDSPy36DeprecationWarning(RemovedInDSPy36Warning, DeprecationWarning):
    """What `RemovedInDSPy36Warning` says, on DSPy 3.5."""


class RemovedInDSPy36FutureWarning(RemovedInDSPy36Warning, FutureWarning):
    """What `RemovedInDSPy36Warning` says, from DSPy 3.6 on."""


class ShimNotNeededFutureWarning(ShimNotNeededWarning, FutureWarning):
    """What `ShimNotNeededWarning` says; it is due from DSPy 3.6 on only."""


def category_due(change: Change, release: Release | None) -> type[TransitionWarning] | None:
    """The category to warn with about `change` on a DSPy release. None while it is not due.

    An unknown release gives no warnings: a fork's users cannot be told what their next release takes away.
    """
    if release is None or change.warns_from is None or release < change.warns_from:
        return None
    shown_to_all = release >= SHOWN_TO_ALL_FROM
    if change.removed_in is None:
        return ShimNotNeededFutureWarning
    if change.removed_in >= (3, 6):
        return RemovedInDSPy36FutureWarning if shown_to_all else RemovedInDSPy36DeprecationWarning
    return RemovedInDSPy35FutureWarning if shown_to_all else RemovedInDSPy35DeprecationWarning


def warn_if_due(name: str) -> None:
    """Warn about one of `transition.CHANGES`, at the user's line, when the installed DSPy makes it due."""
    change = CHANGES[name]
    found = installed()
    category = category_due(change, found.release if found else None)
    if category is not None:
        warn_user(message_about(change), category)


def message_about(change: Change) -> str:
    """What the user reads: what goes, when, what to write instead, and which rule does it."""
    if change.removed_in is None:
        return (
            f"`{change.instead}` does on this DSPy what `{change.name}` is used for here. "
            "Where nothing is used that only the shim has, import it from dspy again."
        )
    return (
        f"`{change.name}` is gone in DSPy {'.'.join(map(str, change.removed_in))}; use `{change.instead}`. "
        f"`react-migrate rewrite` changes it where it can ({change.rule})."
    )


def warn_user(message: str, category: type[Warning]) -> None:
    """`warnings.warn` that points at the innermost frame outside dspy, react_shims and event loops."""
    frame = user_frame()
    warnings.warn_explicit(
        message,
        category,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=frame.f_globals.get("__name__", "<unknown>"),
        registry=_registry_of(frame),
    )


def user_frame() -> FrameType:
    """The innermost calling frame that is the user's; the outermost of all when none is.

    Counting frames (`stacklevel`) does not do: a metaclass, callback wrappers and coroutines stand between,
    and how many depends on the DSPy release and on what the user configured.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _top_level_module(frame) in PLUMBING:
        frame = frame.f_back
    return frame


def _top_level_module(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


def _registry_of(frame: FrameType) -> dict[Any, Any]:
    """Where Python remembers, per module, which warnings it has shown already."""
    registry: dict[Any, Any] = frame.f_globals.setdefault("__warningregistry__", {})
    return registry
