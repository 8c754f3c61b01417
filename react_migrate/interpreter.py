"""How Python itself is set while code is analysed and edited."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

RECURSION = 12_000  # frames; an expression nested 500 deep takes a few thousand


@contextmanager
def deep_stack() -> Iterator[None]:
    """Room for deeply nested expressions; put back afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What questions need, a deep stack and no search for garbage. Entered once around many of them, for it
    takes longer than answering most."""
    with deep_stack(), without_gc():
        yield


@contextmanager
def without_gc() -> Iterator[None]:
    """No search for cyclic garbage meanwhile: trees hold none, and the search triples the time of parsing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
