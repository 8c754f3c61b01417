"""`react_shims.RLM` on a DSPy whose histories hold chats only."""

from __future__ import annotations

import pytest


@pytest.mark.dspy("<3.3")
def test_the_error_says_which_dspy_has_it() -> None:
    with pytest.raises(ImportError, match=r"react_shims\.RLM needs .* pip install 'dspy>=3\.3'"):
        from react_shims import RLM  # noqa: F401
