"""DSPy's optimisers complete on multi-turn runs with tools that are closures, and their demos are sound.

A run takes two turns and a submit. V2's traces hold the live history and the tools, closures included: demos
would contain their own answer, and what pickles them fails.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pydantic
import pytest
from scripted import NATIVE, TEXT, ScriptedLM, fields, submit, turn
from ways import look, search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.react import ReAct

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

ANSWER = "the secret of the sphinx"


class Model(ScriptedLM):
    """Looks twice, then submits; answers any other predictor with some text."""

    def __init__(self, native: bool = False) -> None:
        super().__init__([], native)

    def reply(self, prompt: Any) -> Any:
        with self.lock:
            self.replies.append(_next)
        return super().reply(prompt)


def _next(ask: Any, number: int) -> Any:
    if ask.kind != "v2":
        return fields(**{name: f"a {name}" for name in ask.outputs})(ask, number)
    step = len(ask.observations)
    return (turn(f"step {step}", look(f"clue {step}")) if step < 2 else submit(answer=ANSWER))(ask, number)


def program() -> Any:
    clues: list[str] = []

    def search(query: str) -> str:  # a closure: cannot be pickled
        clues.append(query)
        return f"found {query}"

    return ReAct("question -> answer", tools=[search])


def metric(example: Any, prediction: Any, trace: Any = None) -> bool:
    return bool(prediction.answer == example.answer)


def feedback(example: Any, prediction: Any, *_: Any) -> Any:
    return dspy.Prediction(score=0.5, feedback="Look twice.")


TRAINSET = [dspy.Example(question=f"why {n}?", answer=ANSWER).with_inputs("question") for n in range(4)]
ONE_DEMO = {"max_bootstrapped_demos": 1, "max_labeled_demos": 0}


def bootstrap(agent: Any) -> Any:
    return dspy.BootstrapFewShot(metric=metric, **ONE_DEMO).compile(agent, trainset=TRAINSET)


def random_search(agent: Any) -> Any:
    optimizer = dspy.BootstrapFewShotWithRandomSearch(
        metric=metric, **ONE_DEMO, num_candidate_programs=1, num_threads=1
    )
    return optimizer.compile(agent, trainset=TRAINSET)


def copro(agent: Any) -> Any:
    return dspy.COPRO(metric=metric, breadth=2, depth=1).compile(
        agent, trainset=TRAINSET, eval_kwargs={"num_threads": 1, "display_progress": False}
    )


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
OPTIMIZERS: list[Callable[[Any], Any]] = [
    bootstrap,
    random_search,
    copro,
    gepa,
    mipro,
    simba,
]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("optimize", OPTIMIZERS)
def test_it_completes(optimize: Callable[[Any], Any], native: bool) -> None:
    with dspy.context(lm=Model(native).lm, adapter=NATIVE if native else TEXT):
        compiled = optimize(program())
        assert type(compiled) is ReAct
        assert [name for name, _ in compiled.named_predictors()] == ["react"]
        assert compiled(question="why?").answer == ANSWER


@pytest.mark.parametrize("native", [False, True])
def test_demos_render_and_do_not_contain_their_own_answer(native: bool, tmp_path: Path) -> None:
    model = Model(native)
    with dspy.context(lm=model.lm, adapter=NATIVE if native else TEXT):
        compiled = bootstrap(program())
        [demo] = compiled.react.demos
        shown_to_the_model = {name: demo[name] for name in ("question", "history") if name in demo}
        own = [call.name for call in demo.tool_calls.tool_calls]
        assert ANSWER not in str(shown_to_the_model)
        assert len(demo.history.messages) < 3

        model.prompts.clear()
        compiled(question="what else?")
        prompt = model.prompts[0].text
        demo_text = prompt[: prompt.index("what else?")]
        assert str(demo.next_thought) in demo_text
        if not native:
            assert own[0] in demo_text

        compiled.save(tmp_path / "compiled.json")
        loaded = program()
        loaded.load(tmp_path / "compiled.json")
        assert loaded(question="why?").answer == ANSWER


def test_a_trace_records_what_was_sent() -> None:
    with dspy.context(lm=Model().lm, adapter=TEXT, trace=[]):
        agent = program()
        prediction = agent(question="why?")
        trace = dspy.settings.trace
    assert [len(inputs["history"].messages) for _, inputs, _ in trace] == [0, 1, 2]
    assert all(predictor is agent.react for predictor, _, _ in trace)
    assert len(prediction.history.messages) == 3
    recorded = trace[0][1]["tools"]
    assert [tool.name for tool in recorded] == ["search", "submit"]
    assert recorded[0].args == agent.tools["search"].args
    assert all(each["tools"][0] is recorded[0] for _, each, _ in trace), "one copy serves the run"
    with pytest.raises(RuntimeError, match=r"call the tool in agent\.tools"):
        recorded[0](query="x")


class Versioned(dspy.Tool):  # type: ignore[misc]
    """A tool whose description is made from what it keeps privately."""

    _version: int = pydantic.PrivateAttr(default=0)

    def format_as_litellm_function_call(self) -> Any:
        call = super().format_as_litellm_function_call()
        call["function"]["description"] = f"{self.desc} Version {self._version}."
        return call

    def __str__(self) -> str:
        return f"{super().__str__()} Version {self._version}."


@pytest.mark.parametrize("native", [False, True])
def test_a_tool_of_a_users_class_describes_itself_as_ever(native: bool) -> None:
    shown = []
    for agent_class in (v2_class(), ReAct):
        tool = Versioned(lambda query: query, name="search", desc="Search.")
        tool._version = 7
        model = Model(native)
        with dspy.context(lm=model.lm, adapter=NATIVE if native else TEXT):
            assert agent_class("question -> answer", tools=[tool])(question="why?").answer == ANSWER
        sent = json.dumps(model.lm.history[-1]["kwargs"], default=str) if native else model.shown(0)
        assert "Version 7" in sent
        shown.append(model.prompts)
    assert shown[0] == shown[1]


def test_a_trace_with_described_outputs_of_local_types_can_be_pickled() -> None:
    class Verdict(pydantic.BaseModel):
        text: str

    fields = {
        "question": (str, dspy.InputField()),
        "answer": (Verdict, dspy.OutputField(default=Verdict(text=""))),
    }
    agent = ReAct(dspy.Signature(fields, "Judge."), tools=[search], describe_outputs=True)
    lm = ScriptedLM([turn("one", look("a")), submit(answer={"text": "guilty"})])
    with dspy.context(lm=lm.lm, adapter=TEXT, trace=[]):
        assert agent(question="why?").answer == Verdict(text="guilty")
        for _, inputs, _ in dspy.settings.trace:
            assert [tool.name for tool in pickle.loads(pickle.dumps(inputs["tools"]))] == ["search", "submit"]
