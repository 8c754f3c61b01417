"""Copies, pickles and subclasses of an RLM work as the original does."""

from __future__ import annotations

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any

import dspy
import pytest
from rlm_runs import LOOK, QUESTION, SUBMIT, InProcess, both_ways, first, rlm, run

from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM

pytestmark = pytest.mark.dspy(">=3.3")


SIGNATURE = "context, query -> answer: int"


def works(agent: Any) -> None:
    prediction, lm = run(agent, [LOOK, SUBMIT], **QUESTION)
    assert prediction.answer == 13
    assert "How long is it?" in lm.shown(1)
    assert len(prediction.history.messages) == 2


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, copy.copy, lambda agent: agent.deepcopy(), lambda agent: agent.reset_copy()],
    ids=["deepcopy", "copy", "dspy's", "reset"],
)
def test_copies_work(copied: Any) -> None:
    agent = rlm()
    works(copied(agent))
    works(agent)


def test_it_can_be_pickled() -> None:
    agent = RLM(SIGNATURE, interpreter_factory=InProcess, history_processor=len)
    import cloudpickle

    again = pickle.loads(cloudpickle.dumps(agent))
    assert type(again) is RLM
    assert again.history_processor is len
    again.history_processor = None
    works(again)


def test_a_whole_program_can_be_saved(tmp_path: Path) -> None:
    rlm().save(tmp_path / "program", save_program=True)
    allowed = {"allow_pickle": True} if "allow_pickle" in inspect.signature(dspy.load).parameters else {}
    works(dspy.load(str(tmp_path / "program"), **allowed))


def test_a_prediction_can_be_pickled() -> None:
    prediction = first()
    again = pickle.loads(pickle.dumps(prediction))
    assert again.repl_trajectory == prediction.repl_trajectory
    assert again.history == prediction.history
    assert again.trajectory == prediction.repl_trajectory


@both_ways
def test_a_subclass_with_a_forward_of_its_own(way: Any) -> None:
    class Polite(RLM):  # type: ignore[misc]
        def forward(self, **inputs: Any) -> Any:
            assert isinstance(self.generate_action, dspy.Predict)
            return super().forward(**inputs, query="Please.")

        def _execute_iteration(self, *args: Any, **options: Any) -> Any:
            return self.as_ever(super()._execute_iteration, *args, **options)

        def as_ever(self, iterate: Any, *args: Any, **options: Any) -> Any:
            """Puts another predictor in the place, and then back what was there."""
            before, self.generate_action = self.generate_action, dspy.Predict("question -> answer")
            self.generate_action = before
            assert isinstance(before, dspy.Predict)
            assert before.signature is self.generate_action.signature
            return iterate(*args, **options)

        async def aforward(self, **inputs: Any) -> Any:
            return await super().aforward(**inputs, query="Please.")

    agent = Polite(SIGNATURE, interpreter_factory=InProcess)
    prediction, _ = way.run(agent, [LOOK, SUBMIT], context="c")
    assert prediction.history.messages[0]["query"] == "Please."
    assert type(agent.generate_action) is dspy.Predict


def test_a_prediction_of_a_subclasss_own_gets_the_history() -> None:
    class Hasty(RLM):  # type: ignore[misc]
        def _extract_fallback(self, *args: Any, **options: Any) -> Any:
            return dspy.Prediction(answer=-1, why="out of iterations")

    agent = Hasty(SIGNATURE, max_iters=2, interpreter_factory=InProcess)
    prediction, _ = run(agent, [LOOK, LOOK], **QUESTION)
    assert (prediction.answer, prediction.why) == (-1, "out of iterations")
    assert len(prediction.history.messages) == 1  # the last one is not told
