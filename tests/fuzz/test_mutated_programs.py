"""Programs as people write them, written in other ways: the rewrite is as good for all of them."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from invariants import check_rewrite
from mutants import mutant_of, originals
from profiles import fuzzed

ORIGINALS = originals()


@fuzzed(120)
@given(st.sampled_from(sorted(ORIGINALS)), st.integers(0, 1 << 32), st.booleans())
def test_what_holds_of_every_rewrite_holds_of_mutants(name: str, seed: int, unsafe: bool) -> None:
    done = check_rewrite(mutant_of(ORIGINALS[name], Random(seed)), unsafe=unsafe)
    assert all("form feed" in message for message in done.failed), done.failed
