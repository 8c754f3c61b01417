"""`react_shims.RLM` in the place of the installed `dspy.RLM`: constructor, calls, state, copies."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
import warnings
from pathlib import Path
from typing import Any

import dspy
import pytest
from rlm_runs import AGAIN, LOOK, QUESTION, SUBMIT, InProcess, act, answer, both_ways, first, rlm, run
from scripted import TEXT, ScriptedLM

from react_shims import has_trajectory, repl_trajectory_of, trajectory_of
from react_shims.deprecation import TransitionWarning
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


# --- interpreters, tools, sub-models ------------------------------------------------------------------------


@pytest.mark.dspy("<3.4")
@both_ways
def test_an_interpreter_is_given_by_position_on_3_3(way: Any) -> None:
    mine = InProcess()
    replies = [act("x = 5; print(x)"), act("SUBMIT(x)")]
    lm = ScriptedLM([*replies, act("SUBMIT(x + 1)")])
    agent = rlm()
    with dspy.context(lm=lm.lm, adapter=TEXT):
        prediction = agent(mine, **QUESTION)
        again = agent(mine, **AGAIN, history=prediction.history)
    assert (prediction.answer, again.answer) == (5, 6)
    assert not mine.is_shut_down


@pytest.mark.dspy(">=3.4")
@both_ways
def test_a_factory_is_given_by_keyword_from_3_4_on(way: Any) -> None:
    class Mine(InProcess):
        pass

    InProcess.made.clear()
    way.run(rlm(), [SUBMIT], **QUESTION, interpreter_factory=Mine)
    assert {type(interpreter) for interpreter in InProcess.made} == {Mine}
    assert InProcess.made[0].is_shut_down


@both_ways
def test_tools_and_sub_models(way: Any) -> None:
    sub = ScriptedLM([])
    sub.reply = lambda prompt: dspy_reply(prompt.text)  # type: ignore[method-assign]
    agent = rlm(tools=[search], sub_lm=sub.lm, max_llm_calls=1)
    code = "print(search(query='it')); print(llm_query(prompt='What is it?'))"
    prediction, lm = way.run(agent, [act(code), act("llm_query(prompt='And?')"), SUBMIT], **QUESTION)
    outputs = [step["output"] for step in prediction.repl_trajectory]
    assert outputs[0] == "found it\nYou ask: What is it?"
    assert "LLM call limit exceeded" in outputs[1]
    assert "search" in agent.tools
    assert "You ask: What is it?" in lm.shown(1)


def dspy_reply(text: str) -> Any:
    from react_shims.testing.reply import Reply

    return Reply(f"You ask: {text}")


@both_ways
def test_an_rlm_in_a_tool_of_another_one(way: Any) -> None:
    inner_lm = ScriptedLM([act("print('inside')", "Inner."), act("SUBMIT(3)", "Inner too.")])
    inner = rlm("text -> length: int")

    def measure(text: str) -> int:
        """Ask another RLM."""
        with dspy.context(lm=inner_lm.lm):
            measured.append(inner(text=text))
        return int(measured[-1].length)

    measured: list[Any] = []
    outer = rlm(tools=[measure])
    replies = [act("n = measure(text='abc'); print(n)", "Outer."), act("SUBMIT(n)", "Outer too.")]
    prediction, lm = way.run(outer, replies, **QUESTION)
    assert prediction.answer == 3
    assert "inside" not in lm.shown(1)
    assert "Outer." not in inner_lm.shown(1)
    assert [step["reasoning"] for step in prediction.repl_trajectory] == ["Outer.", "Outer too."]
    assert [step["reasoning"] for step in measured[0].repl_trajectory] == ["Inner.", "Inner too."]


def test_the_predictors_of_another_rlm_are_its_own_during_a_run() -> None:
    def other_ones() -> str:
        """Look at another RLM."""
        return f"{type(other.generate_action).__name__} {type(agent.generate_action).__name__}"

    other = rlm()
    agent = rlm(tools=[other_ones])
    prediction, _ = run(agent, [act("print(other_ones())"), SUBMIT], **QUESTION)
    others, own = prediction.repl_trajectory[0]["output"].split()
    assert others == type(other.generate_action).__name__ == "Predict"
    assert own != "Predict"


def test_an_rlm_that_calls_itself() -> None:
    def deeper(query: str) -> int:
        """Ask yourself."""
        return int(agent(context="deep", query=query).answer)

    agent = rlm(tools=[deeper])
    replies = [
        act("n = deeper(query='down'); print(n)", "Above."),
        act("SUBMIT(41)", "Below."),
        act("SUBMIT(n + 1)", "Above again."),
    ]
    prediction, lm = run(agent, replies, **QUESTION)
    assert prediction.answer == 42
    assert [step["reasoning"] for step in prediction.repl_trajectory] == ["Above.", "Above again."]
    assert "Above." not in lm.shown(1)
    assert "Above." in lm.shown(2)


@pytest.mark.dspy(">=3.4")
def test_sub_agents_in_the_repl_are_dspys() -> None:
    """DSPy 3.4.1 lets generated code build them; on 3.4.0 the import finds the host's DSPy, as before."""
    code = "import dspy\nprint(dspy.Predict('question -> reply: int')(question='?').reply)"
    prediction, lm = run(rlm(), [act(code), answer(reply=7), SUBMIT], **QUESTION)
    assert prediction.repl_trajectory[0]["output"] == "7"
    assert "\n7" in lm.shown(2)


def test_many_at_once_in_one_event_loop() -> None:
    agent = rlm()

    async def ask(number: int) -> Any:
        replies = [act(f"print('task {number}')"), act(f"SUBMIT({number})")]
        lm = ScriptedLM(replies)
        with dspy.context(lm=lm.lm, adapter=TEXT):
            return await agent.acall(context=f"c{number}", query="?"), lm

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(ask(number) for number in range(6)))

    for number, (prediction, lm) in enumerate(asyncio.run(all_of_them())):
        assert prediction.answer == number
        assert prediction.history.messages[0]["context"] == f"c{number}"
        assert f"task {number}" in lm.shown(1)
        assert "print('task" in lm.shown(1)


# --- copies -------------------------------------------------------------------------------------------------


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


# --- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["history", "history_processor", "interpreter_factory"])
@pytest.mark.parametrize("kind", ["input", "output"])
def test_names_of_the_runtime_are_refused(name: str, kind: str) -> None:
    signature = f"{name}, query -> answer" if kind == "input" else f"query -> answer, {name}"
    with pytest.raises(ValueError, match=rf"{name}.*(reserved|Rename)") as refused:
        RLM(signature, interpreter_factory=InProcess)
    assert name in str(refused.value)


@pytest.mark.parametrize("name", ["repl_entry", "variables_info", "iteration", "react_migrate"])
def test_names_of_an_events_keys_are_refused(name: str) -> None:
    for kind, signature in (("input", f"{name}, query -> answer"), ("output", f"query -> answer, {name}")):
        with pytest.raises(ValueError, match=rf"{kind} field name\(s\) `{name}` are reserved by RLM"):
            RLM(signature, interpreter_factory=InProcess)


@pytest.mark.parametrize("name", ["repl_trajectory", "trajectory", "final_reasoning"])
def test_names_of_the_predictions_fields_are_refused_as_outputs(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        RLM(f"query -> answer, {name}", interpreter_factory=InProcess)
    RLM(f"{name}, query -> answer", interpreter_factory=InProcess)


def test_a_history_in_the_signature_is_told_where_it_belongs() -> None:
    with pytest.raises(ValueError, match="Take them out of the signature"):
        RLM("history: dspy.History, query -> answer", interpreter_factory=InProcess)


def test_what_dspy_refuses_is_refused_as_ever() -> None:
    agent = rlm()
    with pytest.raises(ValueError, match="Missing required inputs"):
        run(agent, [SUBMIT], context="c")
    with pytest.raises(ValueError, match="Unexpected inputs"):
        run(agent, [SUBMIT], **QUESTION, other=1)


# --- the old name of the trajectory -------------------------------------------------------------------------


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
