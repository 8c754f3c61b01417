"""`react_shims.ReAct` inside everything else that DSPy offers to run a program with."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dspy
import pytest
from scripted import NATIVE, TEXT, ScriptedLM, fields, submit, turn
from ways import Way, in_every_way, look, search

from react_shims.transition import v2_class

if v2_class():
    from react_shims.prediction import install_trajectory, uninstall_trajectory
    from react_shims.react import ReAct
    from react_shims.react_run import IgnoredInputWarning

pytestmark = [
    pytest.mark.dspy(">=3.3"),
    pytest.mark.filterwarnings("ignore::react_shims.deprecation.TransitionWarning"),
]

ADAPTERS = pytest.mark.parametrize("native", [False, True])


class Model(ScriptedLM):
    """Looks up the question, then submits what was found; answers any other predictor with some text."""

    def __init__(self, native: bool = False) -> None:
        super().__init__([], native)

    def reply(self, prompt: Any) -> Any:
        with self.lock:
            self.replies.append(_next)
        return super().reply(prompt)


def _next(ask: Any, number: int) -> Any:
    if ask.kind != "v2":
        return fields(**{name: f"a {name}" for name in ask.outputs})(ask, number)
    return (turn("looking", look("it")) if not ask.observations else submit(answer="x"))(ask, number)


def setting(native: bool) -> Any:
    return dspy.context(lm=Model(native).lm, adapter=NATIVE if native else TEXT)


def agent() -> Any:
    return ReAct("question -> answer", tools=[search])


def is_whole(prediction: Any) -> bool:
    """Whether the trajectory has this run's two steps and nothing of another's."""
    names = [value for key, value in prediction.trajectory.items() if key.startswith("tool_name_")]
    return names == ["search", "finish"] and bool(prediction.answer == "x")


QUESTIONS = [dspy.Example(question=f"{number}?", answer="x").with_inputs("question") for number in range(8)]


@ADAPTERS
def test_evaluate_with_threads(native: bool) -> None:
    def metric(example: Any, prediction: Any, trace: Any = None) -> bool:
        return is_whole(prediction) and prediction.history.messages[0]["question"] == example.question

    with setting(native):
        evaluate = dspy.Evaluate(devset=QUESTIONS, metric=metric, num_threads=4, display_progress=False)
        assert evaluate(agent()).score == 100.0


@ADAPTERS
def test_parallel_and_batch(native: bool) -> None:
    program = agent()
    with setting(native):
        pairs = [(program, example.inputs()) for example in QUESTIONS]
        for predictions in (dspy.Parallel(num_threads=4)(pairs), program.batch(QUESTIONS, num_threads=3)):
            assert len(predictions) == len(QUESTIONS)
            assert all(map(is_whole, predictions))


@ADAPTERS
def test_asyncify(native: bool) -> None:
    async def ask_all() -> Any:
        program = dspy.asyncify(agent())
        return await asyncio.gather(*(program(question=str(number)) for number in range(4)))

    with setting(native):
        assert all(map(is_whole, asyncio.run(ask_all())))


@ADAPTERS
@pytest.mark.parametrize("around", ["BestOfN", "Refine"])
def test_best_of_n_and_refine(around: str, native: bool) -> None:
    scores = iter([0.1, 0.7, 0.3])

    def reward(arguments: Any, prediction: Any) -> float:
        assert is_whole(prediction)
        return next(scores)

    program = getattr(dspy, around)(module=agent(), N=3, reward_fn=reward, threshold=1.0, fail_count=9)
    with setting(native):
        assert is_whole(program(question="why?"))


@ADAPTERS
def test_streamify_with_status_messages(native: bool) -> None:
    class Provider(dspy.streaming.StatusMessageProvider):  # type: ignore[misc]
        def tool_start_status_message(self, instance: Any, inputs: Any) -> str:
            return f"tool {instance.name}"

        def module_start_status_message(self, instance: Any, inputs: Any) -> str:
            return f"module {type(instance).__name__}"

    async def stream(agent_class: Any) -> list[Any]:
        program = dspy.streamify(
            agent_class("question -> answer", tools=[search]), status_message_provider=Provider()
        )
        return [chunk async for chunk in program(question="why?")]

    streamed = []
    for agent_class in (v2_class(), ReAct):
        with setting(native):
            first, *messages, prediction = asyncio.run(stream(agent_class))
        assert first.message == f"module {agent_class.__name__}"
        # From 3.4 on the model's chunks come too; they name their predictor by its id.
        streamed.append([getattr(chunk, "message", "") or str(chunk["choices"]) for chunk in messages])
    assert streamed[1] == streamed[0]
    assert "tool search" in streamed[0]
    assert is_whole(prediction)


@in_every_way
def test_usage_counts_an_extraction_too(way: Way) -> None:
    counts = []
    for plan in (
        [submit(answer="x")],
        [turn("nothing"), turn("nothing"), fields(reasoning="", answer="x")],
    ):
        with dspy.context(track_usage=True):
            program = ReAct("question -> answer", tools=[search], on_failure="extract")
            usage = way.ask(program, way.lm(plan), question="why?").get_lm_usage()
        counts.append(sum(each["total_tokens"] for each in usage.values()))
    assert counts[1] == 3 * counts[0] > 0


def test_the_settings_of_a_call_are_its_own() -> None:
    program = agent()
    for native in (False, True, False):
        with setting(native):
            assert is_whole(program(question="why?"))
            assert is_whole(program(question="why?", max_iters=2))
    program.set_lm(Model().lm)
    with dspy.context(adapter=TEXT):
        assert is_whole(program(question="why?"))


# --- warnings that are errors -------------------------------------------------------------------------------


@in_every_way
def test_a_run_gives_no_warning_of_ours(way: Way) -> None:
    class Agent(ReAct):
        """On DSPy 3.6 the plain class is said to be needed no longer."""

    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        program = Agent("question -> answer", tools=[search], on_failure="extract", truncate=True)
        plan = [turn("one", look("a")), turn("nothing"), turn("nothing"), fields(reasoning="", answer="x")]
        prediction = way.ask(program, way.lm(plan), question="why?")
        for other in (copy.deepcopy(prediction), pickle.loads(pickle.dumps(prediction)), prediction.copy()):
            assert other.toDict().keys() == prediction.toDict().keys()
        way.ask(copy.deepcopy(program), way.lm([submit(answer="x")]), question="why?", history=other.history)
    ours = [each for each in record if "react_shims" in each.category.__module__]
    assert ours == []


@in_every_way
def test_a_warning_that_is_an_error_leaves_the_agent_as_it_was(way: Way) -> None:
    program = agent()
    with warnings.catch_warnings():
        warnings.simplefilter("error", IgnoredInputWarning)
        lm = way.lm([submit(answer="x")])
        with pytest.raises(IgnoredInputWarning, match="qestion"):
            way.ask(program, lm, question="why?", qestion="why?")
        assert lm.prompts == []
        assert type(program.react) is dspy.Predict
        assert way.ask(program, lm, question="why?").answer == "x"


@in_every_way
def test_the_line_is_found_through_wrappers(way: Way) -> None:
    """Functions of other modules that call the agent are users too; DSPy's and the event loop's are not."""

    class Pipeline(dspy.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.agent = agent()

        def forward(self, question: str) -> Any:
            return self.agent(question=question, extra=1)  # line A

        async def aforward(self, question: str) -> Any:
            return await self.agent.acall(question=question, extra=1)  # line B

    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        way.ask(Pipeline(), way.lm([submit(answer="x")]), question="why?")
    [warning] = [each for each in record if each.category is IgnoredInputWarning]
    assert warning.filename == __file__
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[warning.lineno - 1]
    assert line.endswith("# line B" if way.asynchronous else "# line A")


# --- for readers that cannot be changed, from many threads --------------------------------------------------


def test_installing_and_uninstalling_from_many_threads_ends_as_it_began() -> None:
    before = dict(vars(dspy.Prediction))
    with setting(False):
        prediction = v2_class()("question -> answer", tools=[search])(question="why?")
    start = threading.Barrier(4)

    def back_and_forth(_: int) -> None:
        start.wait()
        for _ in range(50):
            install_trajectory()
            install_trajectory()
            assert getattr(prediction, "trajectory", {"tool_name_0": "search"})["tool_name_0"] == "search"
            uninstall_trajectory()
            uninstall_trajectory()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(back_and_forth, range(4)))
    assert dict(vars(dspy.Prediction)) == before
    assert not hasattr(prediction, "trajectory")
