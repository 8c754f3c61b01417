"""Knowing when an agent runs, and being in the way between it and its predictor.

V2 has one predictor, `agent.react`, which it calls once per turn and once more for the forced submit. That
is where what the model is sent can be changed. `RunScope`, placed before the DSPy class, puts a `Calls`
object in that place *while the agent runs*, and only for the code of that run: outside of it `agent.react` is
the plain predictor. Named predictors, saved state, optimisers, copies and pickles see nothing of this, and
there is nothing to install, share between threads or undo.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from react_shims.run import Calls, Overflow, Run, dspy
from react_shims.transition import v2_class

PREDICTOR = "react"
"""Where V2 keeps its predictor: a public attribute, and its name in saved state."""

_current: ContextVar[Run | None] = ContextVar("react_shims_current_run", default=None)


class _PredictorSlot:
    """The attribute `react`: stored as ever in the agent's `__dict__`, read as `Calls` during a run."""

    def __get__(self, agent: Any, owner: type[Any]) -> Any:
        try:
            predictor = vars(agent)[PREDICTOR]
        except (KeyError, TypeError):
            where = owner.__name__
            raise AttributeError(f"{where!r} object has no attribute {PREDICTOR!r}") from None
        run = _current.get()
        return predictor if run is None or run.agent is not agent else Calls(predictor, run)

    def __set__(self, agent: Any, predictor: Any) -> None:
        vars(agent)[PREDICTOR] = predictor._predictor if type(predictor) is Calls else predictor

    def __delete__(self, agent: Any) -> None:
        del vars(agent)[PREDICTOR]


class RunScope:
    """Mixin before a DSPy agent class: knows when the agent runs. Does nothing on V1 agents.

    A run begins in `__call__` or `acall`, or in `forward` or `aforward` when those are called directly. (A
    subclass may also reach the engine past this class, as in `dspy.ReAct.forward(self, ...)`.)
    """

    react = _PredictorSlot()

    def _overflow(self) -> Overflow | None:
        """How this agent's next run handles an overflow; None for DSPy's own way, which is to give up."""
        return None

    def _make_run(self) -> Run:
        return Run(self, self._overflow())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._new_run():
            return super().__call__(*args, **kwargs)  # type: ignore[misc]

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        with self._new_run():
            return await super().acall(*args, **kwargs)  # type: ignore[misc]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with self._entered_run() as run:
            if run is None:
                return super().forward(*args, **kwargs)  # type: ignore[misc]
            try:
                result = super().forward(*args, **run.given(kwargs))  # type: ignore[misc]
            except run.settles as error:
                result = error
            prediction = run.settled(result)
            if prediction is None:
                prediction = run.settled_by(run.last_resort()())
            return run.remembered_by(prediction)

    async def aforward(self, *args: Any, **kwargs: Any) -> Any:
        with self._entered_run() as run:
            if run is None:
                return await super().aforward(*args, **kwargs)  # type: ignore[misc]
            try:
                result = await self._engine_aforward(*args, **run.given(kwargs))
            except run.settles as error:
                result = error
            prediction = run.settled(result)
            if prediction is None:
                prediction = run.settled_by(await run.last_resort().acall())
            return run.remembered_by(prediction)

    async def _engine_aforward(self, *args: Any, **kwargs: Any) -> Any:
        """DSPy's own loop."""
        return await super().aforward(*args, **kwargs)  # type: ignore[misc]

    @contextmanager
    def _new_run(self) -> Iterator[Run | None]:
        v2 = v2_class()
        if v2 is None or not isinstance(self, v2):
            yield None
            return
        if PREDICTOR not in vars(self):
            raise RuntimeError(
                f"{type(self).__name__} has no predictor {PREDICTOR!r}. Either its __init__ does not call "
                f"{v2.__name__}'s, or DSPy {dspy.__version__} keeps it elsewhere: update react-shims."
            )
        outer = _current.get()
        run = self._make_run()
        _current.set(run)
        try:
            yield run
        finally:
            _current.set(outer)

    @contextmanager
    def _entered_run(self) -> Iterator[Run | None]:
        """The run that `__call__` began, or a new one when `forward` was called directly."""
        run = _current.get()
        if run is None or run.agent is not self or run.forward_entered:
            with self._new_run() as run:
                if run is not None:
                    run.forward_entered = True
                yield run
            return
        run.forward_entered = True
        yield run
