"""`RLM`: a drop-in for the installed `dspy.RLM` that keeps its runs as a `dspy.History`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from react_shims.rlm.installed import has_own_history, require_rlm

if TYPE_CHECKING:
    from dspy import RLM as _InstalledRLM  # type: ignore[import-not-found]  # noqa: N811

    from react_shims.rlm.backport import WithHistory as _Engine
else:
    _InstalledRLM = require_rlm()
    if has_own_history(_InstalledRLM):
        from react_shims.rlm.bridge import Bridged as _Engine
    else:
        from react_shims.rlm.backport import WithHistory as _Engine


def with_parameter(signature: inspect.Signature, name: str) -> inspect.Signature:
    """The signature with one more keyword, whose default is None; what tools show of a constructor."""
    ours = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
    others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
    return signature.replace(parameters=[*others, ours])


class RLM(_Engine, _InstalledRLM):  # type: ignore[misc]
    """DSPy's RLM, with the structured history that it has from DSPy 3.5 on.

    The constructor takes what DSPy's takes, and a call, too; how the interpreter is given depends on the
    release. Predictors, saved state, tools and `sub_lm` are DSPy's. Besides:

    history_processor: a function that is given the run's `dspy.History` before every request for code, in a
        copy of its own, and edits it (returning None) or returns another one. The run, and the prediction's
        `history`, go on from that. When it fails, that is logged, and they go on from what there was. Also
        per call: `rlm(..., history_processor=f)`; there None means the constructor's.
    history: per call, what came before: a `dspy.History`, or a dump of one as a dict, a list of events or
        JSON text. It is not modified. Variables of the REPL do not come back with it.

    The prediction has the outputs, `history`, `repl_trajectory`, `final_reasoning`, and `trajectory` as
    before, with a warning where DSPy does not have it any more. In a history, a run has one event per
    iteration:

        {inputs (in its first), "variables_info", "iteration": "1/20", "repl_entry", outputs (in its last)}

    or, when the iterations ran out, a last one of a marker in place of the entry, and the extracted outputs.

    Raises ValueError for signatures with a name that RLM needs itself, such as `history`.
    """

    if not TYPE_CHECKING:

        def __init__(self, *args, **options):
            super().__init__(*args, **options)

        __init__.__signature__ = with_parameter(
            inspect.signature(_InstalledRLM.__init__), "history_processor"
        )
