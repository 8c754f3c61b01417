"""The old name of `repl_trajectory`, and the functions that read either."""

from __future__ import annotations

import warnings
from typing import Any

import dspy
import pytest
from rlm_runs import AGAIN, LOOK, QUESTION, SUBMIT, first, rlm, run

from react_shims import has_trajectory, repl_trajectory_of, trajectory_of
from react_shims.deprecation import TransitionWarning
from react_shims.transition import v2_class

if v2_class():
    pass

pytestmark = pytest.mark.dspy(">=3.3")


def warned(read: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        read()
    return [warning for warning in record if issubclass(warning.category, TransitionWarning)]


READS = {
    "attribute": lambda prediction: prediction.trajectory,
    "item": lambda prediction: prediction["trajectory"],
    "get": lambda prediction: prediction.get("trajectory"),
    "getattr": lambda prediction: getattr(prediction, "trajectory", None),
}
every_read = pytest.mark.parametrize("read", READS.values(), ids=READS.keys())


@every_read
def test_the_old_trajectory_is_still_answered(read: Any) -> None:
    prediction = first()
    assert read(prediction) is prediction.repl_trajectory
    assert "trajectory" in prediction
    assert hasattr(prediction, "trajectory")


@pytest.mark.dspy("<3.5")
@every_read
def test_it_is_quiet_while_dspy_has_it_itself(read: Any) -> None:
    prediction = first()
    assert warned(lambda: read(prediction)) == []


@pytest.mark.dspy(">=3.5")
@every_read
def test_it_warns_where_dspy_has_it_no_more(read: Any) -> None:
    prediction = first()
    [warning] = warned(lambda: read(prediction))
    assert "repl_trajectory_of(prediction)" in str(warning.message)
    assert "RM701" in str(warning.message)
    assert warning.filename == __file__


def test_the_readers_that_rewrite_emits_do_not_warn() -> None:
    prediction = first()
    for reader in (trajectory_of, repl_trajectory_of):
        assert warned(lambda reader=reader: reader(prediction)) == []  # type: ignore[misc]
        assert reader(prediction) == prediction.repl_trajectory
    assert has_trajectory(prediction)


def test_they_read_the_whole_run_of_a_compacted_history() -> None:
    def keep_none(history: Any) -> Any:
        return dspy.History(messages=[])

    prediction, _ = run(rlm(history_processor=keep_none), [LOOK, LOOK, SUBMIT], **QUESTION)
    assert len(prediction.history.messages) == 1
    assert trajectory_of(prediction) == repl_trajectory_of(prediction) == prediction.repl_trajectory
    assert len(prediction.repl_trajectory) == 3


def test_a_continued_run_is_read_without_what_came_before() -> None:
    prediction, _ = run(rlm(), [SUBMIT], **AGAIN, history=first().history)
    assert len(trajectory_of(prediction)) == 1
    assert len(repl_trajectory_of(prediction)) == 1
