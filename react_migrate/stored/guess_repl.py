"""Which fields of a record are the inputs and outputs of an RLM, when nobody says so.

As for a ReAct (see `guess.py`), but an RLM's run tells more: what it submitted, or that the outputs had to be
extracted. And its inputs may be whole documents, under any name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_migrate.stored.fields import FieldPath, value_at
from react_migrate.stored.guess import (
    EXAMPLE,
    INPUT_GROUPS,
    INPUTS,
    OTHERS,
    OUTPUT_GROUPS,
    OUTPUTS,
    PREDICTED,
    Guess,
    group_fields,
    has_pairs,
    usual_fields,
    without_score,
    words,
)
from react_migrate.stored.repl_events import submitted_names
from react_shims.wire import EVENT_KEY
from react_shims.wire.repl import REPL_KEYS
from react_shims.wire.repl_runs import EXTRACTED

_DOCUMENTS = words(
    """
    context contexts document documents doc docs text texts passage passages corpus data transcript article
    book
    """
)
_OWN = REPL_KEYS | words("trajectory repl_trajectory repl_history final_reasoning") | {EVENT_KEY}


def guess_repl(record: Mapping[str, Any], trajectory: FieldPath, entries: Sequence[Any]) -> Guess:
    """The inputs and outputs of the run whose trajectory, with these entries, is at a path in the record.

    - A group of fields, `{"inputs": {...}, "outputs": {...}}`, is taken whole.
    - Outputs are the fields that the run submitted; after the extract fallback those behind
      `final_reasoning`, where DSPy's predictions have them; otherwise those with a usual name.
    - Inputs are those with a usual name, and, where the outputs are known, all fields before the trajectory
      that are neither outputs nor what people store beside a run. One too many does no harm: adapters show
      the model those that the signature names.
    """
    *way, name = trajectory
    beside = tuple(way)
    holder = value_at(record, beside)
    after = _extracted(holder, name, beside)
    outputs = _without_own(
        group_fields(record, OUTPUT_GROUPS, beside)
        or _submitted(holder, entries, beside)
        or after
        or usual_fields(holder, OUTPUTS, beside)
        or usual_fields(record, OUTPUTS)
    )
    is_evaluated = has_pairs(holder)
    if is_evaluated and outputs == after:
        outputs = without_score(outputs, holder)
    inputs = group_fields(record, INPUT_GROUPS, beside, INPUTS | _DOCUMENTS) or (
        *(_before(record, trajectory[0]) if outputs else ()),
        *usual_fields(holder, INPUTS | _DOCUMENTS, beside),
        *usual_fields(record, INPUTS | _DOCUMENTS),
    )
    taken = {path[-1] for path in outputs}
    return Guess(
        {path[-1]: path for path in _without_own(inputs) if path[-1] not in taken},
        {path[-1].removeprefix(PREDICTED) if is_evaluated else path[-1]: path for path in outputs},
    )


def _submitted(holder: Mapping[str, Any], entries: Sequence[Any], prefix: FieldPath) -> tuple[FieldPath, ...]:
    if holder.get("final_reasoning") == EXTRACTED:
        return ()
    spellings = [(PREDICTED + name, name) for name in submitted_names(entries)]
    found = (next((key for key in keys if key in holder), None) for keys in spellings)
    return tuple((*prefix, key) for key in found if key is not None)


def _extracted(holder: Mapping[str, Any], trajectory: str, prefix: FieldPath) -> tuple[FieldPath, ...]:
    keys = list(holder)
    after = keys[keys.index(trajectory) + 1 :]
    if after[:1] != ["final_reasoning"] or holder["final_reasoning"] != EXTRACTED:
        return ()
    return tuple((*prefix, key) for key in after[1:] if key not in OTHERS | INPUTS)


def _before(record: Mapping[str, Any], trajectory: str) -> tuple[FieldPath, ...]:
    keys = list(record)
    names = [key for key in keys[: keys.index(trajectory)] if key not in OTHERS | OUTPUTS]
    groups = {*INPUT_GROUPS, *OUTPUT_GROUPS}
    return tuple((key,) for key in names if key not in groups and not key.startswith((EXAMPLE, PREDICTED)))


def _without_own(paths: Sequence[FieldPath]) -> tuple[FieldPath, ...]:
    return tuple(path for path in paths if path[-1] not in _OWN)
