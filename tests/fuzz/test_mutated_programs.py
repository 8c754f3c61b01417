"""Programs as people write them, written in other ways: the rewrite is as good for all of them."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from invariants import check_rewrite
from mutants import mutant_of, originals
from profiles import fuzzed

ORIGINALS = originals()


COMPLETE = sorted(set(ORIGINALS) - {"concierge", "grading", "tally"})  # of which the rewrite leaves nothing
SEEDS = st.integers(0, 1 << 32)


@fuzzed(60)
@given(st.sampled_from(sorted(ORIGINALS)), SEEDS)
def test_what_holds_of_every_rewrite_holds_of_mutants(name: str, seed: int) -> None:
    done = check_rewrite(mutant_of(ORIGINALS[name], Random(seed)), unsafe=True)
    assert all("form feed" in message for message in done.failed), done.failed


@fuzzed(60)
@given(st.sampled_from(COMPLETE), SEEDS)
def test_what_can_be_proven_does_not_depend_on_how_it_is_written(name: str, seed: int) -> None:
    done = check_rewrite(mutant_of(ORIGINALS[name], Random(seed)))
    assert done.failed or not done.left
