"""Subclasses of the shim's agents as users write them: where a run begins, and which engine run is which."""

from __future__ import annotations

import asyncio
import copy
import functools
from typing import Any

import cloudpickle
import dspy
import pytest
from scripted import ScriptedLM, overflow, submit, turn
from ways import Way, in_every_way, look, search

from react_shims.transition import v2_class
from react_shims.truncation import TruncationHook

V2: Any = v2_class() or object

if v2_class():
    from react_shims.react import ReAct
else:
    ReAct = object

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

SYNC = Way(asynchronous=False, native=False)
LONG = [turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")]


class PastIt:
    """A mixin with an engine call of its own, which reaches DSPy's class past the shim."""

    def forward(self, **inputs: Any) -> Any:
        return V2.forward(self, **inputs)


class Mixed(PastIt, TruncationHook, V2):
    """Inherits its `forward` from a class that knows nothing of the shim."""


class Base(TruncationHook, V2):
    def forward(self, **inputs: Any) -> Any:
        return V2.forward(self, **inputs)


class Twice(Base):
    """Subclassed twice, with an own `forward` in each."""

    def forward(self, **inputs: Any) -> Any:
        super().forward(**inputs)
        return super().forward(**inputs)


class Borrowed(TruncationHook, V2):
    forward = Base.forward


class Decorated(ReAct):  # type: ignore[misc, valid-type]
    @staticmethod
    def noting(method: Any) -> Any:
        @functools.wraps(method)
        def noted(self: Any, **inputs: Any) -> Any:
            self.noted = sorted(inputs)
            return method(self, **inputs)

        return noted

    if v2_class():
        forward = noting(ReAct.forward)


@pytest.mark.parametrize("agent_class", [Mixed, Base, Borrowed])
def test_an_engine_reached_past_the_mixin_truncates(agent_class: Any) -> None:
    lm = SYNC.lm(LONG)
    assert SYNC.ask(agent_class("question -> answer", tools=[search]), lm, question="why?").answer == "x"
    assert "found a" not in lm.shown(3)
    assert "found b" in lm.shown(3)


def test_each_engine_run_of_a_twice_overridden_forward_is_a_run() -> None:
    lm = SYNC.lm(LONG + LONG)
    agent = Twice("question -> answer", tools=[search])
    assert SYNC.ask(agent, lm, question="why?").answer == "x"
    for request in (3, 7):
        assert "found a" not in lm.shown(request)
        assert "found b" in lm.shown(request)
    assert type(agent.react) is dspy.Predict


def test_an_agent_that_calls_itself_past_the_mixin_has_two_runs() -> None:
    def again(query: str) -> str:
        return str(agent(question=query).answer)

    agent = Base("question -> answer", tools=[search, again])
    inner = [turn("in one", look("c")), turn("in two", look("d")), overflow(), submit(answer="inside")]
    lm = SYNC.lm([LONG[0], turn("again", ("again", {"query": "deeper"})), *inner, overflow(), LONG[-1]])
    assert SYNC.ask(agent, lm, question="why?").answer == "x"
    assert "found c" not in lm.shown(5)
    assert "found d" in lm.shown(5)
    assert "found a" not in lm.shown(7)
    assert "inside" in lm.shown(7)


@in_every_way
def test_a_shims_agent_subclassed_twice_over_the_mixin_keeps_every_promise(way: Way) -> None:
    class Lean(TruncationHook, ReAct):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return super().truncate_trajectory(trajectory)

    class Leaner(Lean):
        def forward(self, **inputs: Any) -> Any:
            return super().forward(**inputs)

        async def aforward(self, **inputs: Any) -> Any:
            return await super().aforward(**inputs)

        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            shorter = super().truncate_trajectory(trajectory)
            self.left = list(shorter)
            return shorter

    agent = Leaner("question -> answer", tools=[search], copy_history=True, on_failure="return")
    given = dspy.History(messages=[])
    lm = way.lm([*LONG[:3], turn("nothing"), turn("nothing")])
    prediction = way.ask(agent, lm, question="why?", history=given)
    assert prediction.termination_reason == "empty_tool_calls"
    assert prediction.trajectory["observation_0"] == "found a"
    assert agent.left[0] == "thought_1"
    assert "found a" not in lm.shown(3)
    assert given.messages == []


def test_the_wrapped_forward_is_the_users_to_look_at() -> None:
    assert Base.forward.__name__ == "forward"
    assert Base.forward.__qualname__ == "Base.forward"
    agent = Decorated("question -> answer", tools=[search])
    prediction = SYNC.ask(agent, SYNC.lm([submit(answer="x")]), question="why?")
    assert agent.noted == ["question"]
    assert prediction.trajectory["tool_name_0"] == "finish"


def test_a_class_pickled_by_value_runs() -> None:
    """As classes of a notebook or a script are."""
    names: dict[str, Any] = {"V2": V2, "TruncationHook": TruncationHook, "__name__": "__main__"}
    source = """
class Local(TruncationHook, V2):
    def forward(self, **inputs):
        return V2.forward(self, **inputs)
"""
    exec(source, names)
    agent = names["Local"]("question -> answer", tools=[search])
    other = cloudpickle.loads(cloudpickle.dumps(agent))
    lm = SYNC.lm(LONG)
    assert SYNC.ask(other, lm, question="why?").answer == "x"
    assert "found a" not in lm.shown(3)


def test_callbacks_find_the_plain_predictor_on_the_agent() -> None:
    seen: list[Any] = []

    class Watch(dspy.utils.BaseCallback):  # type: ignore[misc]
        def on_module_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            seen.append(type(getattr(instance, "react", None)))

    lm = ScriptedLM([submit(answer="x")])
    with dspy.context(lm=lm.lm, callbacks=[Watch()]):
        ReAct("question -> answer", tools=[search])(question="why?")
    assert seen[0] is dspy.Predict


def test_a_predictor_with_a_call_of_its_own_is_called_so() -> None:
    """On DSPy 3.3 the shim passes `Predict.__call__` by; not where that is someone else's."""

    class Counting(dspy.Predict):  # type: ignore[misc]
        calls = 0

        def __call__(self, *args: Any, **inputs: Any) -> Any:
            Counting.calls += 1
            return super().__call__(*args, **inputs)

    agent = ReAct("question -> answer", tools=[search])
    agent.react = Counting(agent.react.signature)
    SYNC.ask(agent, SYNC.lm([turn("one", look("a")), submit(answer="x")]), question="why?")
    assert Counting.calls == 2


# --- what a subclass sees of its predictor during a run -----------------------------------------------------


class Curious(ReAct):  # type: ignore[misc, valid-type]
    """Does with `self.react` what can be done with a predictor, and keeps it."""

    def look_at_it(self) -> None:
        plain = vars(self)["react"]
        assert self.react == plain
        assert plain == self.react
        assert self.react in self.predictors()
        assert len({self.react, plain}) == 1
        assert repr(self.react) == repr(plain)
        for copied in (copy.copy(self.react), copy.deepcopy(self.react), self.react.deepcopy()):
            assert type(copied) is dspy.Predict
        assert type(cloudpickle.loads(cloudpickle.dumps(self.react))) is dspy.Predict
        self.react.mark = 1
        assert plain.mark == 1
        del self.react.mark
        assert not hasattr(plain, "mark")
        self.kept = [self.react]

    def forward(self, **inputs: Any) -> Any:
        self.look_at_it()
        return super().forward(**inputs)

    async def aforward(self, **inputs: Any) -> Any:
        self.look_at_it()
        return await super().aforward(**inputs)


@in_every_way
def test_the_predictor_of_a_run_is_the_predictor_to_look_at(way: Way) -> None:
    agent = Curious("question -> answer", tools=[search])
    assert way.ask(agent, way.lm([submit(answer="x")]), question="why?").answer == "x"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_predictor_kept_beyond_the_run_is_just_a_predictor(asynchronous: bool) -> None:
    agent = Curious("question -> answer", tools=[search])
    prediction = SYNC.ask(agent, SYNC.lm([submit(answer="x")]), question="why?")
    [kept] = agent.kept
    inputs = {"question": "and?", "history": prediction.history, "tools": list(agent.tools.values())}
    with dspy.context(lm=SYNC.lm([turn("later", look("a"))]).lm, trace=[]):
        answer = asyncio.run(kept.acall(**inputs)) if asynchronous else kept(**inputs)
        [(_, recorded, _)] = dspy.settings.trace
    assert str(answer.next_thought) == "later"
    assert recorded["history"] is prediction.history


@pytest.mark.parametrize("asynchronous", [False, True])
def test_positional_arguments_are_refused_in_dspys_words(asynchronous: bool) -> None:
    class Careless(ReAct):
        def forward(self, **inputs: Any) -> Any:
            return self.react("why?")

        async def aforward(self, **inputs: Any) -> Any:
            return await self.react.acall("why?")

    way = Way(asynchronous, native=False)
    with pytest.raises(ValueError, match="Positional arguments are not allowed"):
        way.ask(Careless("question -> answer", tools=[search]), way.lm([]), question="why?")


@pytest.mark.parametrize("native", [False, True])
def test_runs_that_a_forward_starts_at_once_do_not_mix(native: bool) -> None:
    class Sampling(ReAct):
        async def aforward(self, **inputs: Any) -> Any:
            run = super().aforward
            self.samples = await asyncio.gather(*[run(**inputs) for _ in range(3)])
            return self.samples[0]

    class Echo(ScriptedLM):
        def reply(self, prompt: Any) -> Any:
            with self.lock:
                self.replies.append(_one_look_then_submit)
            return super().reply(prompt)

    agent = Sampling("question -> answer", tools=[search])
    Way(asynchronous=True, native=native).ask(agent, Echo([], native), question="why?")
    for sample in agent.samples:
        assert len(sample.history.messages) == 2
        assert [value for key, value in sample.trajectory.items() if key.startswith("tool_name")] == [
            "search",
            "finish",
        ]


def _one_look_then_submit(ask: Any, number: int) -> Any:
    return (turn("look", look("a")) if not ask.observations else submit(answer="x"))(ask, number)


# --- a class between the shim's and DSPy's -----------------------------------------------------------------


class Terse(V2):
    """A team's own agent on V2, whose answer is no prediction."""

    def forward(self, **inputs: Any) -> Any:
        return super().forward(**inputs).answer


class Stripped(V2):
    """One whose prediction says nothing about how the run ended."""

    def forward(self, **inputs: Any) -> Any:
        return dspy.Prediction(answer=super().forward(**inputs).answer)


@pytest.mark.parametrize("mixin", [TruncationHook, ReAct])
def test_whatever_it_returns_is_returned(mixin: Any) -> None:
    agent = type("Agent", (mixin, Terse), {})("question -> answer", tools=[search])
    assert SYNC.ask(agent, SYNC.lm([turn("one", look("a")), submit(answer="x")]), question="why?") == "x"


@pytest.mark.parametrize("on_failure", [None, "raise", "return", "extract"])
def test_a_forced_submit_that_succeeded_is_not_taken_for_a_failure(on_failure: Any) -> None:
    agent_class = type("Agent", (ReAct, Stripped), {})
    agent = agent_class("question -> answer", tools=[search], max_iters=1, on_failure=on_failure)
    lm = SYNC.lm([turn("one", look("a")), submit(answer="x")])
    assert SYNC.ask(agent, lm, question="why?").answer == "x"
