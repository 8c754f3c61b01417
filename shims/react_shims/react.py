"""`ReAct`: V2 under its final name on every DSPy that has it. `ReActV2`: its name until DSPy 3.6.

`ReAct` is a subclass of the installed V2 class and behaves as that does; what repairs more is asked for by
keyword. Without one it differs in nothing a program is meant to rely on: what a trace records (see `turns`),
ids of tool calls that do not repeat in a conversation, answers that a chat's history keeps, and predictions
that answer `.trajectory` and know which events of their history are this run's.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from react_shims.deprecation import warn_if_due
from react_shims.loop import aforward as loop_of_3_3
from react_shims.outcome import CHOICES, OnFailure
from react_shims.processing import HistoryProcessing, HistoryProcessor
from react_shims.react_run import ReActRun
from react_shims.run import Overflow, Run
from react_shims.scope import RunScope
from react_shims.submit import described_submit
from react_shims.transition import require_v2_class
from react_shims.truncation import FlatTruncation, drop_oldest_step

if TYPE_CHECKING:
    # In every release this has the constructor and the methods that type checkers are to see.
    from dspy import ReAct as _InstalledV2  # type: ignore[import-not-found]
    from typing_extensions import deprecated

    _Meta = type
else:
    _InstalledV2 = require_v2_class()
    _Meta = type(_InstalledV2)

    def deprecated(message):
        """PEP 702's decorator is for type checkers only here: at runtime `warn_if_due` decides."""
        return lambda decorated: decorated


_parameters = inspect.signature(_InstalledV2.__init__).parameters
DEFAULT_MAX_ITERS: int = _parameters["max_iters"].default
HAS_PROCESSOR = "history_processor" in _parameters
"""Whether the installed V2 has one of its own, which then is used. No release up to 3.4 has."""

RESERVED_OUTPUTS = frozenset({"history", "termination_reason", "next_thought", "tool_calls"})
RESERVED_INPUTS = frozenset({"history", "tools", "max_iters", "next_thought", "tool_calls"})
"""Names V2 needs itself. DSPy 3.4.1 refuses the first two of each; with the others it breaks on running."""


class _StandsForV2(_Meta):
    """Metaclass of names for V2: agents of the installed class are instances of them.

    Not so for a user's subclasses of `ReAct`: those are classes of their own.
    """

    def __instancecheck__(cls, instance: Any) -> bool:  # noqa: N805
        return super().__instancecheck__(instance) or (_is_a_name(cls) and isinstance(instance, _InstalledV2))

    def __subclasscheck__(cls, subclass: type[Any]) -> bool:  # noqa: N805
        return super().__subclasscheck__(subclass) or (_is_a_name(cls) and issubclass(subclass, _InstalledV2))


def _is_a_name(cls: type[Any]) -> bool:
    return "_is_a_name_for_v2" in vars(cls)


class ReAct(RunScope, _InstalledV2, metaclass=_StandsForV2):  # type: ignore[misc]
    """DSPy's agent that keeps a history: `dspy.ReActV2` before DSPy 3.5, `dspy.ReAct` from then on.

    The first arguments are those of DSPy's class: a signature, the tools, and `max_iters`, the turns before
    the answer is forced. Predictors and saved state are the installed class's.

    truncate: when the history outgrows the context window, drop the oldest step and ask again, up to three
        times per call, as V1 did. A subclass that overrides `truncate_trajectory` decides itself what to drop
        from V1's flat trajectory of the run, with or without this.
    history_processor: a function (or `dspy.Module`) that is given the history before every call and returns
        the one to send; see `react_shims.processing`. Also per call: `agent(..., history_processor=f)`.
    copy_history: extend a copy of the `History` that a call is given, not that object.
    on_failure: what to do when the forced submit fails. "raise": raise, with the history in the error's
        `history`. "return": return a prediction without outputs. "extract": ask once more, for the outputs of
        what was found; `termination_reason` is then "extracted". None: what the installed DSPy does.
    describe_outputs: tell the model the outputs' descriptions and constraints; see `react_shims.submit`.

    Raises ValueError for signatures with a name that V2 needs itself.
    """

    _is_a_name_for_v2 = True

    # On the class too, for agents that were made or loaded without this constructor.
    truncate: bool = False
    history_processor: HistoryProcessor | None = None
    copy_history: bool = False
    on_failure: OnFailure | None = None

    def __init__(
        self,
        signature: Any,
        tools: list[Any],
        max_iters: int = DEFAULT_MAX_ITERS,
        *,
        truncate: bool = False,
        history_processor: HistoryProcessor | None = None,
        copy_history: bool = False,
        on_failure: OnFailure | None = None,
        describe_outputs: bool = False,
        **dspy_options: Any,
    ) -> None:
        if on_failure not in (None, *CHOICES):
            choices = ", ".join(map(repr, CHOICES))
            raise ValueError(f"on_failure must be {choices} or None, not {on_failure!r}")
        if HAS_PROCESSOR:
            dspy_options["history_processor"] = history_processor
        super().__init__(signature, tools, max_iters, **dspy_options)
        _refuse_reserved_names(self.signature)
        self.truncate = truncate
        self.history_processor = history_processor
        self.copy_history = copy_history
        self.on_failure = on_failure
        if describe_outputs:
            self.tools["submit"] = described_submit(self.tools["submit"], self.signature.output_fields)
        options = (truncate, history_processor, copy_history, on_failure, describe_outputs)
        if type(self) is ReAct and not any(options):
            warn_if_due("react_shims.ReAct")

    def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
        """V1's method, for subclasses to override: drops the oldest step, in place."""
        return drop_oldest_step(trajectory)

    def _overflow(self) -> Overflow | None:
        own = type(self).truncate_trajectory is not ReAct.truncate_trajectory
        if own or "truncate_trajectory" in vars(self):
            return FlatTruncation(self.truncate_trajectory)
        if self.history_processor is not None and not HAS_PROCESSOR:
            return HistoryProcessing(self.history_processor)
        return FlatTruncation(drop_oldest_step, whole_conversation=True) if self.truncate else None

    def _make_run(self) -> Run:
        return ReActRun(self, self._overflow(), takes_processor=not HAS_PROCESSOR)

    if not hasattr(_InstalledV2, "aforward"):

        async def _engine_aforward(self, *args: Any, **kwargs: Any) -> Any:
            return await loop_of_3_3(self, *args, **kwargs)


def _refuse_reserved_names(signature: Any) -> None:
    for kind, fields, reserved in (
        ("Output", signature.output_fields, RESERVED_OUTPUTS),
        ("Input", signature.input_fields, RESERVED_INPUTS),
    ):
        names = sorted(reserved.intersection(fields))
        if names:
            listed = ", ".join(f"`{name}`" for name in names)
            raise ValueError(
                f"{kind} field name(s) {listed} are reserved by ReAct, which needs them itself. "
                f"Rename these {kind.lower()} fields on your signature."
            )


@deprecated("`ReActV2` is gone in DSPy 3.6; use `ReAct`.")
class ReActV2(ReAct):
    """The name of `ReAct` in DSPy 3.3 to 3.5; kept so that code which uses it runs while it is changed."""

    _is_a_name_for_v2 = True

    def __init__(
        self, signature: Any, tools: list[Any], max_iters: int = DEFAULT_MAX_ITERS, **options: Any
    ) -> None:
        super().__init__(signature, tools, max_iters, **options)
        warn_if_due("ReActV2")
