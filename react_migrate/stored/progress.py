"""A progress bar on standard error, for work that takes its time, if somebody is watching."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TypeAlias

Advance: TypeAlias = Callable[[int], None]

_PATIENCE = 1.0  # seconds before it appears
_INTERVAL = 0.1


@contextlib.contextmanager
def progress(total: int | None, *, wanted: bool = True) -> Iterator[Advance]:
    """Gives a function that is told how many more bytes of the input are done. `total`: all, if known."""
    if not wanted or not sys.stderr.isatty():
        yield lambda done: None
        return
    bar = _Bar(total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    """rich's bar; loaded, and shown, only when the work turns out to be long."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._done = 0
        self._next = time.monotonic() + _PATIENCE
        self._show: Callable[[], None] | None = None
        self._files = contextlib.ExitStack()

    def advance(self, done: int) -> None:
        self._done += done
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        if self._show is None:
            self._show = self._begin()
        self._show()

    def close(self) -> None:
        self._files.close()

    def _begin(self) -> Callable[[], None]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        bar = self._files.enter_context(
            Progress(*columns, console=console, auto_refresh=False, transient=True)
        )
        task = bar.add_task("", total=self._total)

        def show() -> None:
            bar.update(task, completed=self._done)
            bar.refresh()

        return show
