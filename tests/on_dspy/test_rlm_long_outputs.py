"""How much of what code printed the model is shown."""

from __future__ import annotations

import pytest
from rlm_runs import (
    LOOK,
    QUESTION,
    SUBMIT,
    act,
    rlm,
    run,
)

pytestmark = pytest.mark.dspy(">=3.3")


def output_shown(limit: int, length: int) -> str:
    code = f"print('h' * {length // 2} + 't' * {length - length // 2})"
    _, lm = run(rlm(max_output_chars=limit), [act(code), SUBMIT], **QUESTION)
    role, text = lm.conversation(1)[2]
    assert role == "user"
    return text.removeprefix("[[ ## repl_output ## ]]\n")


def test_a_long_output_keeps_its_head_and_its_tail() -> None:
    assert output_shown(limit=10, length=110) == "hhhhh\n... (100 characters omitted) ...\nttttt"


def test_a_limit_that_is_odd_gives_the_tail_one_more() -> None:
    assert output_shown(limit=5, length=2000) == "hh\n... (1,995 characters omitted) ...\nttt"


def test_an_output_of_the_limits_length_is_shown_whole() -> None:
    assert output_shown(limit=100, length=100) == "h" * 50 + "t" * 50


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_below_nothing(limit: int) -> None:
    assert output_shown(limit=limit, length=4).strip() == "... (4 characters omitted) ..."


def test_the_default_limit_is_dspys() -> None:
    shown = output_shown(limit=10_000, length=10_001)
    assert "\n... (1 characters omitted) ...\n" in shown
    assert len(shown) < 10_050


def test_the_event_keeps_the_whole_output() -> None:
    prediction, _ = run(rlm(max_output_chars=10), [act("print('x' * 500)"), SUBMIT], **QUESTION)
    assert prediction.history.messages[0]["repl_entry"].output == "x" * 500
    assert prediction.repl_trajectory[0]["output"] == "x" * 500


def test_the_length_of_an_output_is_not_told() -> None:
    _, lm = run(rlm(), [LOOK, SUBMIT], **QUESTION)
    assert "chars" not in lm.conversation(1)[2][1]
