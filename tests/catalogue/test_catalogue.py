"""Every pattern of real code with its verdict, in one file and spread over several. See `case.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from case import Pattern, Spread, load
from rewriting import check_noop, check_transformed

PATTERNS = [load(path) for path in sorted(Path(__file__).with_name("cases").glob("*.txt"))]
NUMBERS = (*range(1, 25), *range(30, 34), *range(70, 75))
WANTED = {f"P{number:02}" for number in NUMBERS} | {"P19a", "P19b", "P30b"}
CASES = [
    pytest.param(pattern, spread, id=f"{pattern.code}-{spread.title}")
    for pattern in PATTERNS
    for spread in pattern.spreads
]


def test_every_pattern_is_there_in_one_file_and_in_several() -> None:
    assert {pattern.code for pattern in PATTERNS} == WANTED
    for pattern in PATTERNS:
        counts = [len(spread.before) for spread in pattern.spreads]
        assert counts[0] == 1, f"{pattern.code} is not shown in one file first"
        assert max(counts) > 1, f"{pattern.code} is not spread over several files"


@pytest.mark.parametrize(("pattern", "spread"), CASES)
def test_verdict(pattern: Pattern, spread: Spread) -> None:
    if pattern.verdict == "leave":
        check_noop(spread.before)
        check_noop(spread.before, unsafe=True)
    elif pattern.verdict == "flag":
        assert spread.left_before
        check_noop(spread.before, *spread.left_before)
        check_noop(spread.before, *spread.left_before, unsafe=True)
    elif pattern.verdict == "unsafe":
        assert spread.doubtful
        check_noop(spread.before, *spread.doubtful, *spread.left_before)
        check_transformed(spread.before, spread.after, *spread.left_after, unsafe=True)
    else:
        check_transformed(spread.before, spread.after, *spread.doubtful, *spread.left_after)
