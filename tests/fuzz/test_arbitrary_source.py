"""Whatever the code is: what comes out is valid, and nothing has changed but what had to."""

from __future__ import annotations

from random import Random

from generated import modules
from hypothesis import given
from hypothesis import strategies as st
from invariants import check_rewrite, parses
from mutate_format import as_bytes
from profiles import fuzzed


@fuzzed(150)
@given(modules(), st.randoms(use_true_random=False), st.booleans())
def test_reads_in_every_place_of_the_grammar(text: str, random: Random, unsafe: bool) -> None:
    done = check_rewrite({"app.py": as_bytes(text, random)}, unsafe=unsafe)
    assert not done.failed or not parses(text), done.failed
