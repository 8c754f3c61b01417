"""One run of a V2 agent, and the calls it makes to its predictor."""

from __future__ import annotations

import functools
from collections.abc import Generator
from typing import Any, Protocol, TypeAlias

from react_shims.recorded import RUN_BOUNDS
from react_shims.transition import require_dspy

dspy = require_dspy()

Inputs: TypeAlias = dict[str, Any]
Attempts: TypeAlias = Generator[Inputs, Exception, None]


class Overflow(Protocol):
    """What to do when the history is too long for the model, in one run of one agent."""

    def attempts(self, inputs: Inputs, predictor: Any, start: int) -> Attempts:
        """What to send to `predictor`: `inputs`, then, for each overflow sent in, something shorter.

        The run's own events are `inputs["history"].messages[start:]`.

        Raises `dspy.ContextWindowExceededError` when it has nothing shorter to offer.
        """


class Run:
    """One call of one agent: which events of its history are its own, and its way to handle an overflow."""

    settles: tuple[type[Exception], ...] = ()
    """Errors of the loop that `settled` is asked about."""

    def __init__(self, agent: Any, overflow: Overflow | None) -> None:
        self.agent = agent
        self.overflow = overflow
        self.depth = 0  # how far along the agent's classes, most derived first, its `forward`s were entered
        self.is_over = False
        self.history: Any = None
        self.start = 0  # this run's first event in history.messages

    def given(self, inputs: Inputs) -> Inputs:
        """What DSPy's loop is to be called with instead of what the agent is called with."""
        return inputs

    def sent(self, inputs: Inputs) -> Inputs:
        """What the predictor is to get instead of what the loop passes to it."""
        if self.history is None and "history" in inputs:
            self.history, self.start = inputs["history"], len(inputs["history"].messages)
        return inputs

    def received(self, prediction: Any) -> Any:
        """What the loop is to get instead of what the predictor returned."""
        return prediction

    def failed(self, error: Exception) -> None:
        """The predictor raised."""

    def settled(self, result: Any) -> Any:
        """What the run returns when the loop returned `result` or raised it, one of `self.settles`.

        None: the answer of `self.last_resort()` is to be asked for, and is settled by `settled_by`.
        """
        return result

    def last_resort(self) -> Calls:
        """What to call without arguments."""
        raise NotImplementedError

    def settled_by(self, answer: Any) -> Any:
        """What the run returns when the last resort gave `answer`."""
        raise NotImplementedError

    def remembered_by(self, result: Any) -> Any:
        """The prediction, with a note of which events of its history are this run's.

        Other results are returned as they are: a class between ours and DSPy's may return anything.
        """
        if self.history is not None and isinstance(result, dspy.Prediction):
            vars(result)[RUN_BOUNDS] = (self.start, len(self.history.messages))
        return result

    def attempts(self, inputs: Inputs, predictor: Any) -> Attempts:
        """As `Overflow.attempts`; without a way to handle an overflow, one attempt."""
        inputs = self.sent(inputs)
        if self.overflow is not None and "history" in inputs:
            return self.overflow.attempts(inputs, predictor, self.start)
        return once(inputs)


def once(inputs: Inputs) -> Attempts:
    """Attempts without an answer to an overflow."""
    raise (yield inputs)


_STACK_IS_WALKED = dspy.__version__.startswith("3.3.")


def _call_of(predictor: Any) -> Any:
    """What calling the predictor calls.

    On DSPy 3.3 that is one frame less, for the one of ours: all that `Predict` does there before it calls
    `Module` is to refuse positional arguments, and there are none.
    """
    if _STACK_IS_WALKED and type(predictor).__call__ is dspy.Predict.__call__:
        return functools.partial(dspy.Module.__call__, predictor)
    return predictor


class Asking(Protocol):
    """What decides about calls of a predictor."""

    is_over: bool
    """Whether it does no longer."""

    def attempts(self, inputs: Inputs, predictor: Any) -> Attempts:
        """What to send instead of `inputs`, and after each overflow."""

    def received(self, prediction: Any) -> Any:
        """What to return instead of what the predictor returned."""

    def failed(self, error: Exception) -> None:
        """The predictor raised."""


class Calls:
    """What `agent.react` is during a run: the predictor, called as the run says.

    Everything else that is read from it or set on it is the predictor's, and a copy of it is the predictor's.
    Kept beyond the run, it only passes calls on.
    """

    __slots__ = ("_predictor", "_run")

    def __init__(self, predictor: Any, run: Asking) -> None:
        object.__setattr__(self, "_predictor", predictor)
        object.__setattr__(self, "_run", run)

    # DSPy 3.3 walks the whole stack at every call of a module: few frames of ours, so no helper for the two.

    def __call__(self, *args: Any, **inputs: Any) -> Any:
        predictor, run = self._predictor, self._run
        if args or run.is_over:  # DSPy's predictors refuse positional arguments themselves
            return predictor(*args, **inputs)
        attempts = run.attempts(inputs, predictor)
        call = _call_of(predictor)
        try:
            attempt = next(attempts)
            while True:
                try:
                    return run.received(call(**attempt))
                except dspy.ContextWindowExceededError as error:  # noqa: PERF203 (a retry)
                    attempt = attempts.send(error)
        except Exception as error:
            run.failed(error)
            raise

    async def acall(self, *args: Any, **inputs: Any) -> Any:
        predictor, run = self._predictor, self._run
        if args or run.is_over:
            return await predictor.acall(*args, **inputs)
        attempts = run.attempts(inputs, predictor)
        try:
            attempt = next(attempts)
            while True:
                try:
                    return run.received(await predictor.acall(**attempt))
                except dspy.ContextWindowExceededError as error:  # noqa: PERF203 (a retry)
                    attempt = attempts.send(error)
        except Exception as error:
            run.failed(error)
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictor, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._predictor, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._predictor, name)

    def __eq__(self, other: object) -> Any:
        return self._predictor == (other._predictor if type(other) is Calls else other)

    def __hash__(self) -> int:
        return hash(self._predictor)

    def __repr__(self) -> str:
        return repr(self._predictor)

    def __reduce_ex__(self, protocol: Any) -> Any:  # copies and pickles
        return self._predictor.__reduce_ex__(protocol)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # for isinstance(agent.react, dspy.Predict) in a user's own forward
        return type(self._predictor)
