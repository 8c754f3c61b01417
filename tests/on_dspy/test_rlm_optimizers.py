"""DSPy's optimisers complete on RLMs that keep a history, and what they make of a run is sound."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest
from rlm_runs import InProcess, act, rlm
from scripted import TEXT, ScriptedLM, fields

from react_shims.testing.prompt import read_prompt
from react_shims.transition import v2_class

if v2_class():
    from react_shims import RLM

pytestmark = pytest.mark.dspy(">=3.3")

LONG = "word " * 4_000


class Model(ScriptedLM):
    """Looks, then submits; answers any other predictor with some text."""

    def __init__(self) -> None:
        super().__init__([])

    def reply(self, prompt: Any) -> Any:
        is_second = "\n2/" in prompt.messages[-1].text  # not in a demo, which may be of any iteration
        with self.lock:
            self.prompts.append(prompt)
            number = len(self.prompts)
        return (submits if is_second else looks)(read_prompt(prompt), number)


def looks(ask: Any, number: int) -> Any:
    return code(act("print(len(context))", "How long is it?"), ask, number)


def submits(ask: Any, number: int) -> Any:
    return code(act("SUBMIT(len(context))", "That is it."), ask, number)


def code(action: Any, ask: Any, number: int) -> Any:
    if set(ask.outputs) == {"reasoning", "code"}:
        return action(ask, number)
    return fields(**{name: f"a {name}" for name in ask.outputs})(ask, number)


def metric(example: Any, prediction: Any, trace: Any = None) -> bool:
    return bool(prediction.answer == example.answer)


def feedback(example: Any, prediction: Any, *_: Any) -> Any:
    return dspy.Prediction(score=0.5, feedback="Look twice.")


def example(number: int) -> Any:
    given = {"context": LONG + "x" * number, "query": f"why {number}?"}
    return dspy.Example(**given, answer=len(given["context"])).with_inputs("context", "query")


TRAINSET = [example(number) for number in range(4)]
ONE_DEMO = {"max_bootstrapped_demos": 1, "max_labeled_demos": 0}


def bootstrap(agent: Any) -> Any:
    return dspy.BootstrapFewShot(metric=metric, **ONE_DEMO).compile(agent, trainset=TRAINSET)


def gepa(agent: Any) -> Any:
    optimizer = dspy.GEPA(metric=feedback, max_metric_calls=6, num_threads=1, reflection_lm=Model().lm)
    return optimizer.compile(agent, trainset=TRAINSET[:2], valset=TRAINSET[2:])


def mipro(agent: Any) -> Any:
    optimizer = dspy.MIPROv2(metric=metric, auto=None, num_candidates=2, num_threads=1, **ONE_DEMO)
    return optimizer.compile(agent, trainset=TRAINSET, num_trials=2, minibatch=False, valset=TRAINSET[:2])


def simba(agent: Any) -> Any:
    optimizer = dspy.SIMBA(metric=metric, bsize=2, num_candidates=2, max_steps=1, max_demos=1, num_threads=1)
    return optimizer.compile(agent, trainset=TRAINSET)


# The last two need packages that DSPy itself does not require; `tests/releases.py` installs them.
OPTIMIZERS: list[Callable[[Any], Any]] = [bootstrap, gepa, mipro, simba]


@pytest.mark.parametrize("optimize", OPTIMIZERS)
def test_it_completes_and_the_program_works(optimize: Callable[[Any], Any]) -> None:
    lm = Model()
    with dspy.context(lm=lm.lm, adapter=TEXT):
        compiled = optimize(rlm())
        assert type(compiled) is RLM
        prediction = compiled(**TRAINSET[0].inputs())
    assert prediction.answer == TRAINSET[0].answer
    assert len(prediction.history.messages) == 2


def bootstrapped() -> tuple[Any, Any]:
    """A program with a demo of each of its predictors, and the demo of an action."""
    with dspy.context(lm=Model().lm, adapter=TEXT):
        compiled = bootstrap(rlm())
    [demo] = compiled.generate_action.demos
    return compiled, demo


def test_a_demo_is_an_action_and_does_not_contain_itself() -> None:
    _, demo = bootstrapped()
    assert set(demo.keys()) - {"augmented"} == {"variables_info", "history", "iteration", "reasoning", "code"}
    before = demo.history.messages
    assert len(before) == int(demo.iteration.partition("/")[0]) - 1
    assert all("answer" not in event for event in before)


def test_a_demo_does_not_carry_inputs_of_any_size() -> None:
    compiled, demo = bootstrapped()
    assert len(str(demo)) < 6_000 < len(LONG)
    lm = Model()
    with dspy.context(lm=lm.lm, adapter=TEXT):
        compiled(**TRAINSET[1].inputs())
    assert all(LONG not in prompt.text for prompt in lm.prompts)


def test_a_trace_does_not_carry_outputs_of_any_size() -> None:
    lm = ScriptedLM([act("print(context)"), act("SUBMIT(1)")])
    with dspy.context(lm=lm.lm, adapter=TEXT, trace=[]):
        prediction = rlm(max_output_chars=100)(context=LONG, query="?")
        trace = list(dspy.settings.trace)
    [event] = trace[1][1]["history"].messages
    assert "characters omitted" in event["repl_entry"].output
    assert len(event["repl_entry"].output) < 200
    assert prediction.history.messages[0]["repl_entry"].output == LONG


def test_a_program_with_demos_can_be_saved_and_loaded(tmp_path: Path) -> None:
    compiled, _ = bootstrapped()
    compiled.save(tmp_path / "program.json")
    again = RLM("context, query -> answer: int", interpreter_factory=InProcess)
    again.load(tmp_path / "program.json")
    models = Model(), Model()
    for agent, lm in zip((compiled, again), models, strict=True):
        with dspy.context(lm=lm.lm, adapter=TEXT):
            assert agent(**TRAINSET[1].inputs()).answer == TRAINSET[1].answer
    assert [len(prompt.messages) for prompt in models[0].prompts] == [
        len(prompt.messages) for prompt in models[1].prompts
    ]


def test_a_trace_is_a_record_of_what_each_call_was_given() -> None:
    with dspy.context(lm=Model().lm, adapter=TEXT, trace=[]):
        prediction = rlm()(**TRAINSET[0].inputs())
        trace = list(dspy.settings.trace)
    assert [len(inputs["history"].messages) for _, inputs, _ in trace] == [0, 1]
    assert len(prediction.history.messages) == 2
    again = pickle.loads(pickle.dumps([inputs for _, inputs, _ in trace]))
    assert again[1]["history"] == trace[1][1]["history"]
