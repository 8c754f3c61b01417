"""The events of stored runs of an RLM, with what the record tells of the run beside the trajectory."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from react_migrate.stored.errors import RejectedError
from react_migrate.stored.shapes.run import StoredReplRun
from react_shims.wire import to_repl_events
from react_shims.wire.repl import ITERATION, VARIABLES_INFO
from react_shims.wire.repl_runs import EXTRACTED, FINAL

_LONGEST_REPR = 100_000  # characters: compiling takes about a hundred times the memory of the text
_ITERATION = re.compile(r"[0-9]{1,9}/([1-9][0-9]{0,8})\Z")


def repl_events_of(
    run: StoredReplRun,
    inputs: Mapping[str, Any] | None,
    outputs: Mapping[str, Any] | None,
    beside: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """One run's events as plain data. Raises `RejectedError`.

    beside: the fields where the trajectory is. Predictions have `final_reasoning` there. Recorded calls of
    RLM's predictors have the other inputs of these, `variables_info` and for the one that writes code
    `iteration`; outputs beside the former alone were extracted.
    """
    iteration, variables_info = beside.get(ITERATION), beside.get(VARIABLES_INFO)
    is_extract_call = variables_info is not None and iteration is None
    limit = _ITERATION.match(iteration) if isinstance(iteration, str) else None
    try:
        return to_repl_events(
            run.entries,
            inputs,
            outputs,
            final_reasoning=beside.get("final_reasoning", EXTRACTED if is_extract_call else None),
            variables_info=variables_info if isinstance(variables_info, (list, str)) else None,
            max_iters=int(limit[1]) if limit else None,
        )
    except (ValueError, TypeError) as error:
        raise RejectedError(f"cannot be a history: {error}") from error


def submitted_names(entries: Sequence[Any]) -> tuple[str, ...]:
    """The names of the outputs that a run's code submitted, which DSPy prints; () if that cannot be read."""
    output = entries[-1].get("output") if entries and isinstance(entries[-1], Mapping) else None
    if not isinstance(output, str) or not output.startswith(FINAL) or len(output) > _LONGEST_REPR:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about odd escapes in the text
        try:
            outputs = ast.literal_eval("{" + output.removeprefix(FINAL))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return ()
    return tuple(name for name in outputs if isinstance(name, str)) if isinstance(outputs, dict) else ()
