"""Following one plan: each request takes a step, or the rest of one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from react_shims.testing.plan import Act, Answer, Call, Finish, Garbled, NewRun, OutOfTurns, Overflow, Step
from react_shims.testing.prompt import Ask, ScriptError
from react_shims.testing.reply import ContextOverflowError, Reply, fields_reply, v1_reply, v2_reply
from react_shims.testing.run import Run, short


class Cursor:
    """A plan and how far it is followed, in the runs of every agent that takes part."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._steps = deque(steps)
        self._taken = 0
        self._number = 0
        self._runs: dict[str, Run] = {}  # by agent, in the order of their last requests

    def reply(self, ask: Ask, number: int) -> Reply:
        """Answer the request of that number (among the requests of all plans) as the plan says.

        Raises `ContextOverflowError` where the plan says so, `ScriptError` when the request does not fit the
        plan.
        """
        self._number = number
        return self._outputs(ask) if ask.kind == "outputs" else self._turn_of_agent(ask)

    def check_finished(self) -> None:
        """Raises `ScriptError` when the program ended before its plan."""
        for run in self._runs.values():
            if run.queue:
                raise ScriptError(f"a run ended before it made {short(run.queue[0])}, which the plan wants")
            if run.to_extract:
                raise ScriptError(
                    f"a run ended between `finish` and the extractor of {short(run.to_extract)}"
                )
        left = [step for step in self._steps if not isinstance(step, NewRun)]
        if left:
            raise ScriptError(f"the program ended with {len(left)} steps left, next {short(left[0])}")

    def _turn_of_agent(self, ask: Ask) -> Reply:
        run = self._run(ask)
        run.see(ask)
        if run.queue:
            return self._call(ask, run, "", run.queue.popleft())
        step = self._take(ask)
        # In text a forced submit cannot be told from a turn: the adapters drop `tool_choice`.
        may_be_forced = ask.kind == "v2" and (ask.forced_submit or not ask.native)
        if isinstance(step, Act) and not ask.forced_submit:
            now = step.calls if ask.kind == "v2" else step.calls[:1]
            run.queue.extend(step.calls[len(now) :])
            return self._call(ask, run, step.thought, *now)
        if isinstance(step, Finish) and not ask.forced_submit:
            return self._finish(ask, run, step)
        if isinstance(step, OutOfTurns) and may_be_forced:
            return self._submit(ask, run, step)
        return self._failing(step, ask, run)

    def _finish(self, ask: Ask, run: Run, step: Finish) -> Reply:
        if ask.kind == "v2":
            return self._submit(ask, run, step)
        run.to_extract = step
        return self._call(ask, run, step.thought, Call("finish"))

    def _submit(self, ask: Ask, run: Run, step: Finish | OutOfTurns) -> Reply:
        run.ended = True
        return self._call(ask, run, step.thought, Call("submit", step.outputs))

    def _outputs(self, ask: Ask) -> Reply:
        """V1's extractor (the predictor that gets a trajectory) or any predictor that is no agent's."""
        extracts = "trajectory" in ask.inputs
        run = self._open_run() if extracts else None
        if run:
            run.see(ask)
        step = run.to_extract if run and run.to_extract else self._take(ask)
        if run and isinstance(step, (Finish, OutOfTurns)):
            run.to_extract, run.ended = None, True
        if isinstance(step, (Finish, OutOfTurns)) and extracts:
            return fields_reply(_exactly(ask, step.outputs, step.reasoning), ask)
        if isinstance(step, Answer):
            return fields_reply(_exactly(ask, step.outputs), ask)
        return self._failing(step, ask, run)

    def _call(self, ask: Ask, run: Run, thought: str, *calls: Call) -> Reply:
        run.called = calls
        if ask.kind == "v1":
            return v1_reply(thought, calls[0], ask)
        return v2_reply(thought, calls, ask, self._number)

    def _failing(self, step: Step, ask: Ask, run: Run | None) -> Reply:
        if isinstance(step, Garbled):
            return Reply(step.text)
        if isinstance(step, Overflow):
            if run:
                run.overflowed = True
            raise ContextOverflowError("the scripted context window is exceeded, as planned")
        raise ScriptError(f"step {self._taken} of the plan is {short(step)}, but the program asks for {ask}")

    def _run(self, ask: Ask) -> Run:
        """The agent's current run, or a new one when that has ended or the plan says so."""
        run = self._runs.pop(ask.agent, None) or Run()
        if run.ended or not run.queue:
            marker = self._take_marker()
            remembers = marker is not None and marker.remembers and ask.kind == "v2"
            if remembers and not run.views:
                raise ScriptError("the plan wants a run to remember the one before, but this agent had none")
            if (run.ended or marker is not None) and not remembers:
                run = Run()
        run.ended = False
        self._runs[ask.agent] = run
        return run

    def _open_run(self) -> Run | None:
        """The run that asked last and has not ended: V1's extractor is called by that one."""
        return next((run for run in reversed(self._runs.values()) if not run.ended), None)

    def _take_marker(self) -> NewRun | None:
        if self._steps and isinstance(self._steps[0], NewRun):
            self._taken += 1
            marker = self._steps.popleft()
            assert isinstance(marker, NewRun)
            return marker
        return None

    def _take(self, ask: Ask) -> Step:
        if not self._steps:
            raise ScriptError(f"the plan ended after {self._taken} steps, but the program asks for {ask}")
        self._taken += 1
        return self._steps.popleft()


def _exactly(ask: Ask, outputs: Mapping[str, Any], reasoning: str = "") -> dict[str, Any]:
    """Values for the output fields asked for, in their order; `reasoning` need not be planned."""
    planned = {"reasoning": reasoning, **outputs} if "reasoning" in ask.outputs else outputs
    if set(planned) != set(ask.outputs):
        raise ScriptError(f"the plan gives {', '.join(planned) or 'nothing'}, but the program asks for {ask}")
    return {name: planned[name] for name in ask.outputs}
