"""A `truncate_trajectory` override written for V1 means the same on V2, and nothing else changes there."""

from __future__ import annotations

import asyncio
import copy
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cloudpickle
import dspy
import pytest
from scripted import NATIVE, TEXT, ScriptedLM, act, extract, overflow, submit, turn

from react_shims.transition import v2_class
from react_shims.truncation import TruncationHook

V2: Any = v2_class() or object

on_v2 = pytest.mark.dspy(">=3.3")
on_async_v2 = pytest.mark.dspy(">=3.4")
on_both = [pytest.mark.dspy(">=3.3"), pytest.mark.dspy("<3.5")]


def search(query: str) -> str:
    return f"found {query}"


def look(query: str) -> tuple[str, dict[str, Any]]:
    return "search", {"query": query}


class Recording:
    """Override that keeps what it was shown and does what `policy` says."""

    def policy(self, trajectory: dict[str, Any]) -> Any:
        raise NotImplementedError

    def truncate_trajectory(self, trajectory: dict[str, Any]) -> Any:
        self.__dict__.setdefault("seen", []).append(copy.deepcopy(trajectory))
        return self.policy(trajectory)


class LastStep(Recording, TruncationHook, V2):
    def policy(self, trajectory: dict[str, Any]) -> Any:
        return dict(list(trajectory.items())[-4:])


class WithoutOldest(Recording, TruncationHook, V2):
    def policy(self, trajectory: dict[str, Any]) -> Any:
        return super(Recording, self).truncate_trajectory(trajectory)


def run(agent: Any, lm: ScriptedLM, adapter: Any = TEXT, **inputs: Any) -> Any:
    with dspy.context(lm=lm.lm, adapter=adapter):
        return agent(**(inputs or {"question": "why?"}))


def arun(agent: Any, lm: ScriptedLM) -> Any:
    async def ask() -> Any:
        with dspy.context(lm=lm.lm, adapter=TEXT):
            return await agent.acall(question="why?")

    return asyncio.run(ask())


def make(agent_class: Any, **options: Any) -> Any:
    return agent_class("question -> answer", tools=[search], **options)


# --- what the override sees, and what the model sees after it -----------------------------------------------


@on_v2
def test_the_override_sees_the_steps_of_this_run_in_v1s_keys() -> None:
    agent = make(LastStep)
    lm = ScriptedLM(
        [turn("one", look("a")), turn("two", look("b"), look("c")), overflow(), submit(answer="x")]
    )
    assert run(agent, lm).answer == "x"
    assert agent.seen == [
        {
            "thought_0": "one",
            "tool_name_0": "search",
            "tool_args_0": {"query": "a"},
            "observation_0": "found a",
            "thought_1": "two",
            "tool_name_1": "search",
            "tool_args_1": {"query": "b"},
            "observation_1": "found b",
            "thought_2": "",
            "tool_name_2": "search",
            "tool_args_2": {"query": "c"},
            "observation_2": "found c",
        }
    ]


@pytest.mark.dspy(">=3.3")
@pytest.mark.dspy("<3.5")
@pytest.mark.parametrize("agent_class", [LastStep, WithoutOldest])
def test_v1_and_v2_show_an_override_the_same(agent_class: Any) -> None:
    class OnV1(Recording, TruncationHook, dspy.ReAct):
        policy = agent_class.policy

    thoughts = [("one", "a"), ("two", "b"), ("three", "c"), ("four", "d")]
    v1_replies: list[Any] = [act(thought, *look(query)) for thought, query in thoughts]
    v2_replies: list[Any] = [turn(thought, look(query)) for thought, query in thoughts]
    for replies in (v1_replies, v2_replies):
        replies.insert(2, overflow())
        replies += [overflow(), overflow()]
    on_v1, on_v2 = make(OnV1), make(agent_class)
    run(on_v1, ScriptedLM([*v1_replies, act("done", "finish", {}), extract(answer="x")]))
    run(on_v2, ScriptedLM([*v2_replies, submit(answer="x")]))
    assert len(on_v1.seen) == 3
    assert on_v2.seen == on_v1.seen


@on_v2
@pytest.mark.parametrize("native", [False, True])
def test_the_model_is_shown_what_the_override_kept(native: bool) -> None:
    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")], native)
    run(make(LastStep), lm, NATIVE if native else TEXT)
    shown = lm.shown(3)
    assert "found b" in shown
    assert "two" in shown
    assert "found a" not in shown
    assert "one" not in shown
    assert "why?" in shown, "the question was in the dropped event and must survive"


@on_v2
def test_kept_native_calls_keep_the_providers_ids() -> None:
    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")], True)
    run(make(LastStep), lm, NATIVE)
    assert lm.conversation(3)[-3:] == lm.conversation(2)[-3:], "untouched turns must replay to the letter"


@on_v2
def test_a_new_dict_serves_one_call_and_in_place_edits_the_whole_run() -> None:
    replies = [turn("one", look("a")), turn("two", look("b")), overflow(), turn("three", look("c"))]
    lm = ScriptedLM([*replies, submit(answer="x")])
    run(make(LastStep), lm)
    assert "found a" not in lm.shown(3)
    assert "found a" in lm.shown(4)

    lm = ScriptedLM([*replies, submit(answer="x")])
    run(make(WithoutOldest), lm)
    assert "found a" not in lm.shown(3)
    assert "found a" not in lm.shown(4)
    assert "found c" in lm.shown(4)


@on_v2
def test_each_attempt_of_a_call_starts_from_what_the_last_one_returned() -> None:
    agent = make(LastStep)
    lm = ScriptedLM([turn("1", look("a")), turn("2", look("b")), overflow(), overflow(), submit(answer="x")])
    run(agent, lm)
    assert [next(iter(seen)) for seen in agent.seen] == ["thought_0", "thought_1"]


@on_v2
@pytest.mark.parametrize("native", [False, True])
def test_edited_steps_reach_the_model_as_edited(native: bool) -> None:
    class Shortening(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            trajectory["observation_0"] = "(cut)"
            trajectory["tool_args_0"]["query"] = "other"
            trajectory["thought_1"] = "second thoughts"
            return trajectory

    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")], native)
    prediction = run(make(Shortening), lm, NATIVE if native else TEXT)
    shown = str(lm.lm.history[-1]["messages"])
    for kept in ("one", "(cut)", "other", "second thoughts", "found b"):
        assert kept in shown
    assert "found a" not in shown
    assert "two" not in shown
    first = prediction.history.messages[0]
    assert first["tool_calls"].tool_call_results.tool_call_results[0].value == "found a"
    assert first["tool_calls"].tool_calls[0].args == {"query": "a"}, "the returned history stays whole"


@on_v2
@pytest.mark.parametrize("native", [False, True])
def test_one_of_several_calls_of_a_turn_can_go(native: bool) -> None:
    class WithoutFirst(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in trajectory.items() if not key.endswith("_0")}

    lm = ScriptedLM([turn("one", look("a"), look("b")), overflow(), submit(answer="x")], native)
    run(make(WithoutFirst), lm, NATIVE if native else TEXT)
    assert "found b" in lm.shown(2)
    assert "found a" not in lm.shown(2)
    assert "why?" in lm.shown(2)


@on_v2
@pytest.mark.parametrize("native", [False, True])
def test_keys_of_no_step_become_text_before_the_next_kept_thought(native: bool) -> None:
    class Summary(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return {"summary": "a was found", **dict(list(trajectory.items())[-4:])}

    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")], native)
    run(make(Summary), lm, NATIVE if native else TEXT)
    shown = lm.shown(3)
    assert shown.index("a was found") < shown.index("two") < shown.index("found b")


@on_v2
@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("adapter", [dspy.ChatAdapter, dspy.JSONAdapter, dspy.XMLAdapter])
def test_when_no_step_is_kept_the_question_and_the_text_are_still_shown(adapter: Any, native: bool) -> None:
    class OnlySummary(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return {"summary": "a was found"}

    lm = ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")], native)
    answer = run(make(OnlySummary), lm, adapter(use_native_function_calling=native)).answer
    assert answer == "x"
    assert "summary: a was found" in lm.shown(2)
    assert "why?" in lm.shown(2)
    assert "found a" not in lm.shown(2)
    assert "earlier_steps" in lm.prompts[2].system
    assert "earlier_steps" not in make(OnlySummary).react.signature.fields


@on_v2
def test_an_emptied_trajectory_starts_over_with_the_question() -> None:
    class Nothing(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            trajectory.clear()
            return trajectory

    lm = ScriptedLM([turn("one", look("a")), overflow(), turn("two", look("b")), submit(answer="x")])
    run(make(Nothing), lm)
    assert lm.conversation(2) == lm.conversation(0)
    assert "why?" in lm.shown(3)
    assert "found b" in lm.shown(3)
    assert "found a" not in lm.shown(3)


@on_v2
def test_the_first_turn_can_overflow_too() -> None:
    agent = make(LastStep)
    lm = ScriptedLM([overflow(), submit(answer="x")])
    assert run(agent, lm).answer == "x"
    assert agent.seen == [{}]
    assert "why?" in lm.shown(1)


@on_v2
def test_the_returned_history_is_whole() -> None:
    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")])
    prediction = run(make(WithoutOldest), lm)
    assert [str(event["next_thought"]) for event in prediction.history.messages] == ["one", "two", "done"]
    assert prediction.history.messages[0]["question"] == "why?"


@on_v2
def test_earlier_turns_of_a_conversation_are_left_alone() -> None:
    agent = make(WithoutOldest)
    first = run(agent, ScriptedLM([turn("one", look("a")), submit(answer="x")]))
    lm = ScriptedLM([turn("two", look("b")), turn("three", look("c")), overflow(), submit(answer="y")])
    second = run(agent, lm, question="and now?", history=first.history)
    assert second.answer == "y"
    assert [next(iter(seen)) for seen in agent.seen] == ["thought_0"]
    assert agent.seen[0]["observation_0"] == "found b"
    shown = lm.shown(3)
    for kept in ("why?", "found a", "and now?", "found c"):
        assert kept in shown
    assert "found b" not in shown


# --- how a run ends when nothing helps ----------------------------------------------------------------------


@on_v2
def test_three_attempts_then_a_forced_submit_with_three_of_its_own() -> None:
    agent = make(LastStep)
    lm = ScriptedLM([turn("one", look("a")), *[overflow()] * 3, *[overflow()] * 2, submit(answer="x")])
    prediction = run(agent, lm)
    assert prediction.termination_reason == "forced_submit"
    assert prediction.answer == "x"
    assert len(agent.seen) == 5


@on_v2
def test_when_the_forced_submit_overflows_too_the_release_decides() -> None:
    agent = make(LastStep)
    lm = ScriptedLM([turn("one", look("a")), *[overflow()] * 6])
    if hasattr(V2, "aforward"):
        with pytest.raises(dspy.ContextWindowExceededError, match="3 times") as raised:
            run(agent, lm)
        assert "the scripted window is full" in str(raised.value.__cause__)
    else:
        assert run(agent, lm).termination_reason == "context_window_exceeded"
    assert lm.replies == []


@on_v2
@pytest.mark.parametrize(
    "error", [ValueError("I give up"), dspy.ContextWindowExceededError(message="I give up")]
)
def test_an_override_that_raises_ends_the_loop(error: Exception) -> None:
    class Refusing(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            raise error

    lm = ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")])
    prediction = run(make(Refusing), lm)
    assert prediction.termination_reason == "forced_submit"
    assert prediction.answer == "x"


@on_v2
def test_other_errors_of_an_override_come_out_of_the_agent() -> None:
    class Broken(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(make(Broken), ScriptedLM([overflow()]))


@on_v2
def test_an_override_that_returns_no_trajectory_is_named() -> None:
    class Forgetful(TruncationHook, V2):
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> Any:
            trajectory.clear()

    with pytest.raises(TypeError, match=r"Forgetful\.truncate_trajectory returned NoneType; it must return"):
        run(make(Forgetful), ScriptedLM([overflow()]))


def test_v1s_rule_needs_two_steps() -> None:
    class Plain(TruncationHook):
        pass

    step = {"thought_3": "t", "tool_name_3": "n", "tool_args_3": {}, "observation_3": "o"}
    following = {key.replace("3", "4"): value for key, value in step.items()}
    trajectory = {**step, **following}
    assert Plain().truncate_trajectory(trajectory) is trajectory
    assert trajectory == following
    with pytest.raises(dspy.ContextWindowExceededError, match="at most one tool call"):
        Plain().truncate_trajectory(trajectory)
    assert trajectory == following


# --- V1 is left alone ---------------------------------------------------------------------------------------


@pytest.mark.dspy("<3.5")
def test_on_v1_the_mixin_does_nothing() -> None:
    class Bare(Recording, dspy.ReAct):
        def policy(self, trajectory: dict[str, Any]) -> Any:
            return dspy.ReAct.truncate_trajectory(self, trajectory)

    class Mixed(Recording, TruncationHook, dspy.ReAct):
        def policy(self, trajectory: dict[str, Any]) -> Any:
            return super(Recording, self).truncate_trajectory(trajectory)

        def forward(self, **inputs: Any) -> Any:
            assert type(self.react) is dspy.Predict
            return super().forward(**inputs)

    results = []
    for agent_class in (Bare, Mixed):
        agent = make(agent_class)
        lm = ScriptedLM(
            [
                *[act(thought, *look(thought)) for thought in ("one", "two")],
                overflow(),
                act("done", "finish", {}),
                extract(answer="x"),
            ]
        )
        prediction = run(agent, lm)
        results.append((agent.seen, lm.prompts, prediction.trajectory, prediction.answer))
        assert type(agent.react) is dspy.Predict
    assert results[0] == results[1]
    assert next(iter(results[1][2])) == "thought_1"


# --- nothing else changes on V2 -----------------------------------------------------------------------------


@on_v2
def test_predictors_and_saved_state_are_the_installed_classes() -> None:
    agent, bare = make(LastStep), make(V2)
    for _ in range(2):
        assert type(agent.react) is dspy.Predict
        assert [name for name, _ in agent.named_predictors()] == ["react"]
        assert agent.named_predictors()[0][1] is agent.react
        assert json.dumps(agent.dump_state()) == json.dumps(bare.dump_state())
        run(agent, ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")]))


@on_v2
def test_a_run_without_overflow_sends_what_the_bare_class_sends() -> None:
    prompts = []
    for agent_class in (V2, LastStep):
        lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), submit(answer="x")])
        run(make(agent_class), lm)
        prompts.append(lm.prompts)
    assert prompts[0] == prompts[1]


@on_v2
@pytest.mark.parametrize("used", [False, True])
def test_copies_and_saved_programs_truncate_too(used: bool, tmp_path: Path) -> None:
    agent = make(LastStep)
    if used:
        run(agent, ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")]))
        del agent.seen
    agent.react.demos = [dspy.Example(question="q", next_thought="t", tool_calls=[])]
    copies = [copy.deepcopy(agent), agent.deepcopy(), cloudpickle.loads(cloudpickle.dumps(agent))]
    agent.save(tmp_path / "state.json")
    loaded = make(LastStep)
    loaded.load(tmp_path / "state.json")
    agent.save(tmp_path / "program", save_program=True)
    for other in [*copies, loaded, dspy.load(tmp_path / "program", allow_pickle=True)]:
        assert len(other.react.demos) == 1
        lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")])
        run(other, lm)
        assert "found a" not in lm.shown(3)
        assert len(other.seen) == 1
    assert not hasattr(agent, "seen")


@on_v2
def test_bootstrapping_finds_the_demos_of_a_truncating_agent() -> None:
    agent = make(LastStep)
    agent.tools[
        "submit"
    ].func = _submit_answer  # DSPy's own is a closure, which ends bootstrapping (3.3 and 3.4)
    lm = ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")])
    optimizer = dspy.BootstrapFewShot(metric=lambda *_: True, max_bootstrapped_demos=1, max_labeled_demos=0)
    with dspy.context(lm=lm.lm, adapter=TEXT):
        compiled = optimizer.compile(
            agent, trainset=[dspy.Example(question="why?", answer="x").with_inputs("question")]
        )
    assert type(compiled) is LastStep
    assert len(compiled.react.demos) == 1


def _submit_answer(**outputs: Any) -> dict[str, Any]:
    return {"answer": outputs["answer"]}


@on_v2
def test_a_predictor_that_replaces_the_agents_own_is_used() -> None:
    agent = make(LastStep)
    agent.react = dspy.Predict(agent.react.signature.with_instructions("Be brief."))
    lm = ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")])
    run(agent, lm)
    assert "Be brief." in lm.prompts[2].system


# --- subclasses as users write them -------------------------------------------------------------------------


class Direct(TruncationHook, V2):
    """Calls the DSPy class by name, past the mixin."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        V2.__init__(self, *args, **kwargs)
        self.asked = 0

    def forward(self, **inputs: Any) -> Any:
        return V2.forward(self, **inputs)

    async def aforward(self, **inputs: Any) -> Any:
        return await V2.aforward(self, **inputs)

    def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        return super().truncate_trajectory(trajectory)


class Traced(LastStep):
    """A subclass of a truncating class, which uses its predictor as one and calls super()."""

    def forward(self, **inputs: Any) -> Any:
        assert isinstance(self.react, dspy.Predict)
        self.react = self.react
        self.react.traces = [inputs]
        assert self.react.traces == [inputs]
        return super().forward(**inputs)


class Insistent(WithoutOldest):
    """Runs the engine twice in one call."""

    def forward(self, **inputs: Any) -> Any:
        super().forward(**inputs)
        return super().forward(**inputs)


@on_v2
def test_a_subclass_may_reach_the_engine_past_the_mixin() -> None:
    agent = make(Direct)
    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")])
    assert run(agent, lm).answer == "x"
    assert agent.asked == 1
    assert "found a" not in lm.shown(3)


@on_async_v2
def test_an_async_subclass_may_too() -> None:
    agent = make(Direct)
    lm = ScriptedLM([turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")])
    assert arun(agent, lm).answer == "x"
    assert agent.asked == 1
    assert "found a" not in lm.shown(3)


@on_v2
def test_a_subclass_that_only_calls_super_truncates() -> None:
    agent = make(Traced)
    run(agent, ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")]))
    assert len(agent.seen) == 1
    assert type(vars(agent)["react"]) is dspy.Predict
    assert agent.react.traces == [{"question": "why?"}]


@on_v2
def test_each_run_of_the_engine_has_its_own_trajectory() -> None:
    agent = make(Insistent)
    replies = [turn("one", look("a")), turn("two", look("b")), overflow(), submit(answer="x")]
    run(agent, ScriptedLM(replies * 2))
    assert len(agent.seen) == 2
    assert agent.seen[0] == agent.seen[1]


@on_v2
def test_the_mixin_asks_the_next_class() -> None:
    class House:
        def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
            return {"house rule": "keep nothing"}

    class Agent(TruncationHook, House, V2):
        pass

    lm = ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")])
    run(make(Agent), lm)
    assert "house rule: keep nothing" in lm.shown(2)


@on_v2
def test_forward_called_directly_truncates() -> None:
    agent = make(LastStep)
    with dspy.context(
        lm=ScriptedLM([turn("one", look("a")), overflow(), submit(answer="x")]).lm, adapter=TEXT
    ):
        agent.forward(question="why?")
    assert len(agent.seen) == 1


@on_v2
def test_an_override_patched_onto_the_instance_is_asked() -> None:
    agent = make(WithoutOldest)
    asked = []
    agent.truncate_trajectory = lambda trajectory: asked.append(1) or trajectory
    run(agent, ScriptedLM([overflow(), submit(answer="x")]))
    assert asked == [1]


@on_v2
def test_an_agent_without_its_predictor_is_told_from_one_that_fails() -> None:
    class Forgetful(TruncationHook, V2):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            dspy.Module.__init__(self)

    with pytest.raises(RuntimeError, match=r"Forgetful has no predictor 'react'\. Either its __init__"):
        run(make(Forgetful), ScriptedLM([]))


# --- many runs at once --------------------------------------------------------------------------------------


def _replies_of_a_long_run(name: str) -> list[Any]:
    return [turn(f"{name}{n}", look(f"{name}{n}")) for n in range(3)] + [overflow(), submit(answer=name)]


@on_v2
def test_threads_sharing_one_agent_do_not_mix() -> None:
    agent = make(WithoutOldest)
    run(agent, ScriptedLM(_replies_of_a_long_run("z")))
    lms = {name: ScriptedLM(_replies_of_a_long_run(name)) for name in "abcdef"}
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda name: run(agent, lms[name]).answer, lms))
    assert answers == list(lms)
    for name, lm in lms.items():
        assert f"found {name}0" not in lm.shown(4)
        assert f"found {name}1" in lm.shown(4)


@on_async_v2
def test_tasks_sharing_one_agent_do_not_mix() -> None:
    agent = make(WithoutOldest)
    lms = {name: ScriptedLM(_replies_of_a_long_run(name)) for name in "abc"}

    async def ask(name: str) -> str:
        with dspy.context(lm=lms[name].lm, adapter=TEXT):
            await asyncio.sleep(0)
            return str((await agent.acall(question=name)).answer)

    async def ask_all() -> list[str]:
        return await asyncio.gather(*map(ask, lms))

    assert asyncio.run(ask_all()) == list(lms)
    for name, lm in lms.items():
        assert f"found {name}0" not in lm.shown(4)
        assert f"found {name}1" in lm.shown(4)
        assert name in lm.shown(4)


@on_async_v2
def test_async_runs_force_a_submit_as_well() -> None:
    agent = make(LastStep)
    lm = ScriptedLM([turn("one", look("a")), *[overflow()] * 3, overflow(), submit(answer="x")])

    assert arun(agent, lm).termination_reason == "forced_submit"
    assert len(agent.seen) == 4


@on_v2
def test_an_agent_inside_an_agents_tool_has_its_own_trajectory() -> None:
    inner = make(LastStep)
    inner_lm = ScriptedLM([turn("deep", look("deep")), overflow(), submit(answer="from inside")])

    def ask_inner(query: str) -> str:
        assert type(inner.react) is dspy.Predict, "it is the outer agent that is running"
        return str(run(inner, inner_lm, question=query).answer)

    outer = LastStep("question -> answer", tools=[ask_inner])
    lm = ScriptedLM([turn("out", ("ask_inner", {"query": "x"})), overflow(), submit(answer="y")])
    run(outer, lm)
    assert [seen["thought_0"] for seen in inner.seen] == ["deep"]
    assert [seen["thought_0"] for seen in outer.seen] == ["out"]
    assert outer.seen[0]["observation_0"] == "from inside"


@on_v2
def test_an_agent_that_calls_itself_has_a_trajectory_per_run() -> None:
    lm = ScriptedLM(
        [
            turn("outer", ("again", {"query": "x"})),
            turn("inner", ("again", {"query": "stop"})),
            overflow(),
            submit(answer="inside"),
            overflow(),
            submit(answer="outside"),
        ]
    )

    def again(query: str) -> str:
        return "stopped" if query == "stop" else str(agent(question=query).answer)

    agent = LastStep("question -> answer", tools=[again])
    assert run(agent, lm).answer == "outside"
    assert [(seen["thought_0"], seen["observation_0"]) for seen in agent.seen] == [
        ("inner", "stopped"),
        ("outer", "inside"),
    ]
