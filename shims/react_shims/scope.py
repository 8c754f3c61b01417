"""Knowing when an agent runs, and being in the way between it and its predictor.

V2 has one predictor, `agent.react`, which it calls once per turn and once more for the forced submit. That
is where what the model is sent can be changed. `RunScope`, placed before the DSPy class, puts a `Calls`
object in that place *while the agent runs*, and only for the code of that run: outside of it `agent.react` is
the plain predictor. Named predictors, saved state, optimisers, copies and pickles see nothing of this, and
there is nothing to install, share between threads or undo.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
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
            predictor = object.__getattribute__(agent, "__dict__")[PREDICTOR]
        except (KeyError, AttributeError):
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

    A run begins in the outermost `forward` or `aforward`, which may be a subclass's own. (That may reach the
    engine past this class, as in `dspy.ReAct.forward(self, ...)`.) Not in `__call__`: DSPy 3.3 looks up the
    source of every frame on the stack at each call of a module, so every frame of ours makes a turn slower.
    """

    react = _PredictorSlot()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, beginning_a_run in (("forward", _beginning_a_run), ("aforward", _beginning_a_run_async)):
            method = inspect.getattr_static(cls, name)
            if inspect.isfunction(method) and not hasattr(method, BEGINS_A_RUN):
                setattr(cls, name, beginning_a_run(method, cls))

    def _overflow(self) -> Overflow | None:
        """How this agent's next run handles an overflow; None for DSPy's own way, which is to give up."""
        return None

    def _make_run(self) -> Run:
        return Run(self, self._overflow())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with self._run_in(RunScope) as run:
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
        with self._run_in(RunScope) as run:
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
    def _run_in(self, cls: type[Any]) -> Iterator[Run | None]:
        """The run in which this class's `forward` is: a new one, unless a subclass's has called it.

        None for V1 agents.
        """
        v2 = v2_class()
        if v2 is None or not isinstance(self, v2):
            yield None
            return
        classes = type(self).__mro__
        depth = classes.index(cls) if cls in classes else 0  # a method may be borrowed from another class
        outer = _current.get()
        if outer is not None and outer.agent is self and outer.depth < depth:
            outer.depth = depth
            yield outer
            return
        if PREDICTOR not in vars(self):
            raise RuntimeError(
                f"{type(self).__name__} has no predictor {PREDICTOR!r}. Either its __init__ does not call "
                f"{v2.__name__}'s, or DSPy {dspy.__version__} keeps it elsewhere: update react-shims."
            )
        run = self._make_run()
        run.depth = depth
        _current.set(run)
        try:
            yield run
        finally:
            run.is_over = True
            _current.set(outer)


BEGINS_A_RUN = "_react_shims_begins_a_run"
"""Attribute of functions that do."""

for own in (RunScope.forward, RunScope.aforward):
    setattr(own, BEGINS_A_RUN, True)


def _beginning_a_run(forward: Callable[..., Any], cls: type[RunScope]) -> Callable[..., Any]:
    """A subclass's own `forward`, in a run. `cls`: the subclass."""

    @functools.wraps(forward)
    def forward_in_a_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._run_in(cls):
            return forward(self, *args, **kwargs)

    setattr(forward_in_a_run, BEGINS_A_RUN, True)
    return forward_in_a_run


def _beginning_a_run_async(aforward: Callable[..., Any], cls: type[RunScope]) -> Callable[..., Any]:
    """A subclass's own `aforward`, in a run."""

    @functools.wraps(aforward)
    async def aforward_in_a_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._run_in(cls):
            return await aforward(self, *args, **kwargs)

    setattr(aforward_in_a_run, BEGINS_A_RUN, True)
    return aforward_in_a_run
