"""`ReAct` and `ReActV2` are the installed V2, whatever its name, with nothing of its behaviour changed."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import inspect
import json
import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import dspy
import pytest
from scripted import TEXT, ScriptedLM, submit, turn
from ways import Way, in_every_way

from react_shims import trajectory_of
from react_shims.deprecation import TransitionWarning
from react_shims.transition import installed, v2_class

V2: Any = v2_class() or object
RELEASE = tuple(int(part) for part in dspy.__version__.split(".")[:2])

if RELEASE >= (3, 3):
    from react_shims.react import ReAct, ReActV2
else:
    ReAct = ReActV2 = object

on_v2 = pytest.mark.dspy(">=3.3")

pytestmark = pytest.mark.filterwarnings("ignore::react_shims.deprecation.ShimNotNeededWarning")


def search(query: str) -> str:
    return f"found {query}"


def look(query: str) -> tuple[str, dict[str, Any]]:
    return "search", {"query": query}


class Desk(ReAct):  # type: ignore[misc, valid-type]
    pass


class OldDesk(ReActV2):  # type: ignore[misc, valid-type]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # the user's line in OldDesk


class Plain(V2):
    pass


def make(agent_class: Any, **options: Any) -> Any:
    return agent_class("question -> answer", tools=[search], **options)


def run(agent: Any, lm: ScriptedLM, adapter: Any = TEXT, **inputs: Any) -> Any:
    with dspy.context(lm=lm.lm, adapter=adapter):
        return agent(**(inputs or {"question": "why?"}))


# --- which class it is --------------------------------------------------------------------------------------


def test_the_installed_release_is_dspys_own_word() -> None:
    found = installed()
    assert found is not None
    assert (found.version, found.release, found.imported) == (dspy.__version__, RELEASE, True)


def test_v2_is_found_by_what_it_does() -> None:
    expected = None if RELEASE < (3, 3) else dspy.ReActV2 if RELEASE < (3, 5) else dspy.ReAct
    assert v2_class() is expected


@pytest.mark.dspy("<3.3")
@pytest.mark.parametrize("name", ["ReAct", "ReActV2"])
def test_before_3_3_the_names_say_what_is_missing(name: str) -> None:
    import react_shims

    with pytest.raises(ImportError, match=rf"DSPy {dspy.__version__} has none: pip install 'dspy>=3\.3'"):
        getattr(react_shims, name)
    assert react_shims.TruncationHook


@on_v2
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_agents_of_the_installed_class_are_instances() -> None:
    for agent_class in (ReAct, ReActV2, Desk, OldDesk, V2, Plain):
        agent = make(agent_class)
        assert isinstance(agent, ReAct)
        assert isinstance(agent, ReActV2)
        assert isinstance(agent, V2)
        assert issubclass(agent_class, ReAct)
        assert issubclass(agent_class, ReActV2)
    if RELEASE in ((3, 3), (3, 4), (3, 5)):
        assert isinstance(dspy.ReActV2("question -> answer", tools=[]), ReAct)


@on_v2
def test_a_users_subclass_has_its_own_instances_only() -> None:
    assert isinstance(make(Desk), Desk)
    for other in (make(V2), make(Plain), make(ReAct)):
        assert not isinstance(other, Desk)
        assert not issubclass(type(other), Desk)
    assert not isinstance(make(Desk), Plain)


@on_v2
def test_nothing_else_is_an_instance() -> None:
    others = [dspy.Predict("a -> b"), dspy.ChainOfThought("a -> b"), object(), None, dspy.Prediction(a=1)]
    if RELEASE < (3, 5):
        others.append(dspy.ReAct("a -> b", tools=[]))  # V1
    for other in others:
        assert not isinstance(other, ReAct)
        assert not isinstance(other, ReActV2)


# --- nothing of its behaviour is changed --------------------------------------------------------------------


@on_v2
def test_the_constructor_is_dspys() -> None:
    agent = make(ReAct, max_iters=3)
    assert agent.max_iters == 3
    ours, theirs = (inspect.signature(cls.__init__).parameters for cls in (ReAct, V2))
    assert list(ours)[: len(theirs)] == list(theirs)
    assert make(ReAct).max_iters == theirs["max_iters"].default
    with pytest.raises(TypeError, match="no_such_option"):
        make(ReAct, no_such_option=1)
    with pytest.raises(ValueError, match="submit"):
        ReAct("question -> answer", tools=[dspy.Tool(search, name="submit")])


@on_v2
def test_predictors_and_saved_state_are_the_installed_classes(tmp_path: Path) -> None:
    agent, bare = make(ReAct), make(V2)
    assert [(name, type(each)) for name, each in agent.named_predictors()] == [("react", dspy.Predict)]
    assert json.dumps(agent.dump_state()) == json.dumps(bare.dump_state())
    bare.react.demos = [dspy.Example(question="q", next_thought="t", tool_calls=[])]
    bare.save(tmp_path / "bare.json")
    agent.load(tmp_path / "bare.json")
    assert agent.dump_state() == bare.dump_state()
    agent.save(tmp_path / "shim.json")
    make(V2).load(tmp_path / "shim.json")


@on_v2
@in_every_way
def test_the_model_and_the_caller_see_what_they_see_of_the_bare_class(way: Way) -> None:
    results = []
    for agent_class in (V2, ReAct):
        lm = way.lm([turn("one", look("a"), look("b")), turn("two", look("c")), submit(answer="x")])
        given = dspy.History(messages=[])
        can = way if agent_class is ReAct or hasattr(V2, "aforward") else way._replace(asynchronous=False)
        prediction = can.ask(make(agent_class), lm, question="why?", history=given)
        assert prediction.history is given, "DSPy extends the caller's history in place"
        assert isinstance(prediction, dspy.Prediction)
        results.append((lm.prompts, prediction.toDict(), prediction.keys(), repr(prediction)))
    assert results[0] == results[1]


def reply_in_chunks(engine: Any, size: int = 5) -> None:
    whole = engine.stream

    def stream(request: Any) -> Iterator[Any]:
        for event in whole(request):
            text = getattr(getattr(event, "delta", None), "text", "")
            parts = [text[start : start + size] for start in range(0, len(text), size)]
            yield from (
                dataclasses.replace(event, delta=dataclasses.replace(event.delta, text=part))
                for part in parts
            )
            if not parts:
                yield event

    engine.stream = stream


@pytest.mark.dspy(">=3.4")
def test_thoughts_stream_as_they_do_from_the_bare_class() -> None:
    async def stream(agent: Any) -> list[Any]:
        listener = dspy.streaming.StreamListener(signature_field_name="next_thought", allow_reuse=True)
        program = dspy.streamify(agent, stream_listeners=[listener])
        return [chunk async for chunk in program(question="why?")]

    streamed = []
    for agent_class in (V2, ReAct):
        lm = ScriptedLM([turn("thinking about it", look("a")), submit(answer="x")])
        reply_in_chunks(lm.lm.engine)
        with dspy.context(lm=lm.lm, adapter=TEXT):
            *chunks, prediction = asyncio.run(stream(make(agent_class)))
        streamed.append([chunk.chunk if hasattr(chunk, "chunk") else chunk.message for chunk in chunks])
        assert prediction.answer == "x"
    assert "thinking about it" in "".join(streamed[0])
    assert streamed[1] == streamed[0]
    assert prediction.trajectory["thought_0"] == "thinking about it"


@on_v2
def test_callbacks_and_usage_see_the_bare_class() -> None:
    class Recorder(dspy.utils.BaseCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            self.seen: list[str] = []

        def on_module_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            self.seen.append(type(instance).__name__)

        def on_tool_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            self.seen.append(instance.name)

    seen = []
    for agent_class in (V2, ReAct):
        recorder = Recorder()
        lm = ScriptedLM([turn("one", look("a")), submit(answer="x")])
        with dspy.context(lm=lm.lm, adapter=TEXT, callbacks=[recorder], track_usage=True):
            prediction = make(agent_class)(question="why?")
        assert prediction.get_lm_usage() is not None
        seen.append(recorder.seen[1:])
    assert seen[0] == ["Predict", "search", "Predict", "submit"]
    assert seen[1] == seen[0]


@on_v2
def test_copies_and_saved_programs_run(tmp_path: Path) -> None:
    agent = make(Desk)
    agent.save(tmp_path / "program", save_program=True)
    others = [
        copy.deepcopy(agent),
        agent.deepcopy(),
        agent.reset_copy(),
        cloudpickle.loads(cloudpickle.dumps(agent)),
        dspy.load(tmp_path / "program", allow_pickle=True),
    ]
    for other in others:
        assert type(other) is Desk
        assert run(other, ScriptedLM([turn("one", look("a")), submit(answer="x")])).answer == "x"


@on_v2
def test_the_classes_pickle_by_name() -> None:
    for agent_class in (ReAct, ReActV2):
        assert pickle.loads(pickle.dumps(agent_class)) is agent_class
        assert agent_class.__module__ == "react_shims.react"


# --- predictions know their run -----------------------------------------------------------------------------


def thoughts(prediction: Any) -> list[str]:
    return [value for key, value in trajectory_of(prediction).items() if key.startswith("thought_")]


@on_v2
def test_a_prediction_knows_its_run_also_after_the_history_went_on() -> None:
    agent = make(ReAct)
    first = run(agent, ScriptedLM([turn("one", look("a")), submit(answer="same")]))
    second = run(
        agent,
        ScriptedLM([turn("two", look("b")), submit(answer="same")]),
        question="and then?",
        history=first.history,
    )
    assert thoughts(first) == ["one", "done"]
    assert thoughts(second) == ["two", "done"]


@on_v2
def test_a_run_resumed_without_inputs_begins_where_it_resumed() -> None:
    agent = make(ReAct)
    unfinished = dspy.History(messages=[])
    with pytest.raises(KeyboardInterrupt):
        run(
            agent,
            ScriptedLM([turn("one", look("a")), KeyboardInterrupt()]),
            question="why?",
            history=unfinished,
        )
    lm = ScriptedLM([turn("two", look("b")), submit(answer="x")])
    with dspy.context(lm=lm.lm, adapter=TEXT):
        resumed = agent(history=unfinished)
    assert "found a" in lm.shown(0)
    assert thoughts(resumed) == ["two", "done"]


@on_v2
def test_a_forced_submit_is_not_a_step() -> None:
    prediction = run(make(ReAct, max_iters=1), ScriptedLM([turn("one", look("a")), submit(answer="x")]))
    assert prediction.termination_reason == "forced_submit"
    assert thoughts(prediction) == ["one"]


@pytest.mark.dspy(">=3.4")
def test_async_predictions_know_their_run_too() -> None:
    agent = make(ReAct)

    async def twice() -> list[Any]:
        with dspy.context(lm=ScriptedLM([submit(answer="same"), submit(answer="same")]).lm, adapter=TEXT):
            first = await agent.acall(question="why?")
            return [first, await agent.acall(question="and then?", history=first.history)]

    first, second = asyncio.run(twice())
    assert first.history is second.history
    assert [len(thoughts(each)) for each in (first, second)] == [1, 1]


# --- warnings -----------------------------------------------------------------------------------------------


def warned(function: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        function()
    return [each for each in record if issubclass(each.category, TransitionWarning)]


def this_line() -> int:
    return sys._getframe(1).f_lineno


@on_v2
def test_importing_does_not_warn() -> None:
    names: dict[str, Any] = {}
    assert warned(lambda: exec("from react_shims import ReAct, ReActV2, TruncationHook", names)) == []
    assert warned(lambda: exec("class Mine(ReActV2): pass", names)) == []


@pytest.mark.dspy(">=3.3,<3.5")
def test_below_3_5_everything_is_quiet() -> None:
    for agent_class in (ReAct, ReActV2, Desk, OldDesk):
        assert warned(lambda agent_class=agent_class: make(agent_class)) == []


@pytest.mark.dspy(">=3.5")
def test_the_old_alias_warns_where_it_is_constructed() -> None:
    lines = []

    def construct() -> None:
        lines.append(this_line() + 1)
        ReActV2("question -> answer", tools=[search])

    [warning] = warned(construct)
    assert issubclass(warning.category, DeprecationWarning if RELEASE == (3, 5) else FutureWarning)
    assert (warning.filename, warning.lineno) == (__file__, lines[0])
    assert "RM101" in str(warning.message)
    assert "DSPy 3.6" in str(warning.message)


@pytest.mark.dspy(">=3.5")
def test_a_subclass_of_the_old_alias_warns_at_a_line_of_the_users() -> None:
    [warning] = warned(lambda: make(OldDesk))
    assert warning.filename == __file__
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert "the user's line in OldDesk" in source[warning.lineno - 1]


@pytest.mark.dspy(">=3.5")
def test_the_old_alias_warns_from_async_code_as_well() -> None:
    async def build() -> None:
        make(ReActV2)

    [warning] = warned(lambda: asyncio.run(build()))
    assert warning.filename == __file__


@pytest.mark.dspy(">=3.5,<3.6")
def test_the_new_name_is_quiet_on_3_5() -> None:
    assert warned(lambda: (make(ReAct), make(Desk))) == []


@pytest.mark.dspy(">=3.6")
@pytest.mark.filterwarnings("default")
def test_from_3_6_on_the_plain_shim_says_it_is_not_needed() -> None:
    [warning] = warned(lambda: make(ReAct))
    assert issubclass(warning.category, FutureWarning)
    assert "dspy.ReAct" in str(warning.message)
    assert warned(lambda: make(Desk)) == []
