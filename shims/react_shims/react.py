"""`ReAct`: V2 under its final name on every DSPy that has it. `ReActV2`: its name until DSPy 3.6.

`ReAct` is a subclass of the installed V2 class and behaves as that does. What it adds by default does not
show: its predictions remember which events of their history are this run's.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from react_shims.deprecation import warn_if_due
from react_shims.run import RunScope
from react_shims.transition import require_v2_class

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


DEFAULT_MAX_ITERS: int = inspect.signature(_InstalledV2.__init__).parameters["max_iters"].default


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

    The arguments are those of DSPy's class: a signature, the tools, and `max_iters`, the turns before the
    answer is forced. Predictors, saved state and behaviour are the installed class's.
    """

    _is_a_name_for_v2 = True

    def __init__(
        self, signature: Any, tools: list[Any], max_iters: int = DEFAULT_MAX_ITERS, **dspy_options: Any
    ) -> None:
        super().__init__(signature, tools, max_iters, **dspy_options)
        if type(self) is ReAct:
            warn_if_due("react_shims.ReAct")


@deprecated("`ReActV2` is gone in DSPy 3.6; use `ReAct`.")
class ReActV2(ReAct):
    """The name of `ReAct` in DSPy 3.3 to 3.5; kept so that code which uses it runs while it is changed."""

    _is_a_name_for_v2 = True

    def __init__(
        self, signature: Any, tools: list[Any], max_iters: int = DEFAULT_MAX_ITERS, **dspy_options: Any
    ) -> None:
        super().__init__(signature, tools, max_iters, **dspy_options)
        warn_if_due("ReActV2")
