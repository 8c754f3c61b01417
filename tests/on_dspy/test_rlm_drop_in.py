"""`react_shims.RLM` in the place of the installed `dspy.RLM`: constructor, saved state, predictors."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import dspy
import pytest
from rlm_runs import LOOK, QUESTION, SUBMIT, InProcess, first, rlm, run

from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM

pytestmark = pytest.mark.dspy(">=3.3")


SIGNATURE = "context, query -> answer: int"


def search(query: str) -> str:
    """Look something up."""
    return f"found {query}"


def both(**options: Any) -> tuple[Any, Any]:
    """DSPy's RLM and the shim's, made with the same options."""
    options = {"interpreter_factory": InProcess, **options}
    return dspy.RLM(SIGNATURE, **options), RLM(SIGNATURE, **options)


def test_the_constructor_is_dspys_and_one_keyword_more() -> None:
    dspys = inspect.signature(dspy.RLM.__init__).parameters
    ours = inspect.signature(RLM.__init__).parameters
    assert {name: ours[name] for name in dspys} == dict(dspys)
    assert [name for name in ours if name not in dspys] == ["history_processor"]


def test_it_is_one_of_dspys() -> None:
    agent = rlm()
    assert isinstance(agent, dspy.RLM)
    assert isinstance(agent.generate_action, dspy.Predict)
    assert type(agent).__name__ == "RLM"


@pytest.mark.parametrize("options", [{}, {"tools": [search]}, {"max_iters": 3, "max_llm_calls": 2}])
def test_the_state_is_dspys(options: dict[str, Any]) -> None:
    dspys, ours = both(**options)
    assert ours.dump_state() == dspys.dump_state()
    assert [name for name, _ in ours.named_predictors()] == [name for name, _ in dspys.named_predictors()]


def test_a_saved_program_of_dspys_loads_and_the_other_way_round(tmp_path: Path) -> None:
    dspys, ours = both()
    for predictor in (dspys.generate_action, dspys.extract):
        predictor.signature = predictor.signature.with_instructions(f"Optimised: {predictor.stage}")
    dspys.generate_action.demos = [
        dspy.Example(
            variables_info="v", repl_history="=== Step 1 ===", iteration="2/20", reasoning="r", code="c"
        )
    ]
    dspys.save(tmp_path / "dspys.json")
    ours.load(tmp_path / "dspys.json")
    assert ours.generate_action.signature.instructions == dspys.generate_action.signature.instructions
    prediction, lm = run(ours, [LOOK, SUBMIT], **QUESTION)
    assert prediction.answer == 13
    assert all(dspys.generate_action.signature.instructions in prompt.system for prompt in lm.prompts)
    assert "How long is it?" in lm.shown(1)
    assert "repl_history" not in lm.prompts[1].system + lm.shown(1)

    ours.save(tmp_path / "ours.json")
    back, _ = both()
    back.load(tmp_path / "ours.json")
    assert back.dump_state() == dspys.dump_state()


def test_a_predictor_of_dspys_in_the_place_of_the_shims() -> None:
    """As after copying predictors from one program to another."""
    dspys, ours = both()
    ours.generate_action = dspys.generate_action
    assert "repl_history" in ours.generate_action.signature.fields
    _, lm = run(ours, [LOOK, SUBMIT], **QUESTION)
    assert "How long is it?" in lm.conversation(1)[1][1]
    assert "repl_history" not in lm.prompts[1].system + lm.shown(1)
    assert "repl_history" in dspys.generate_action.signature.fields


class Scribbler(dspy.Module):  # type: ignore[misc]
    """A user's own module in the place of the predictor."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[dict[str, Any]] = []

    def forward(self, **inputs: Any) -> Any:
        self.calls.append(inputs)
        return dspy.Prediction(reasoning="I know.", code="SUBMIT(1)")


def test_a_module_in_the_place_of_the_predictor() -> None:
    agent = rlm()
    agent.generate_action = scribbler = Scribbler()
    prediction, _ = run(agent, [], **QUESTION, history=first().history)
    assert prediction.answer == 1
    [call] = scribbler.calls
    assert isinstance(call["history"], dspy.History)
    assert len(call["history"].messages) == 2
    assert "repl_history" not in call
