"""What the shim does to signatures: names it refuses, and the history as an input of the action predictor."""

from __future__ import annotations

import copy
from typing import Any

from react_shims.rlm.installed import HISTORY, REPL_HISTORY, dspy, history_field_in
from react_shims.wire.marker import EVENT_KEY
from react_shims.wire.repl import REPL_KEYS

FOR_THE_CALL = frozenset({"history", "history_processor", "interpreter_factory"})
"""Keyword arguments of a call, and `history` of the prediction too (stanfordnlp/dspy#10387)."""

OF_AN_EVENT = REPL_KEYS | {EVENT_KEY}
"""Keys of a history's events beside the inputs and outputs."""

OF_THE_PREDICTION = frozenset({"repl_trajectory"})


def refuse_reserved_names(signature: Any) -> None:
    """Raises ValueError for a signature with a name that an RLM with a history needs itself."""
    for kind, fields, others in (
        ("input", signature.input_fields, frozenset[str]()),
        ("output", signature.output_fields, OF_THE_PREDICTION),
    ):
        taken = sorted((FOR_THE_CALL | OF_AN_EVENT | others).intersection(fields))
        if taken:
            raise ValueError(
                f"The {kind} field name(s) {', '.join(f'`{name}`' for name in taken)} are reserved by RLM. "
                + (
                    f"Take them out of the signature: RLM has a history of its own, which a call is given as "
                    f"{HISTORY}= and the prediction carries."
                    if taken == [HISTORY]
                    else f"Rename these {kind} fields on your signature."
                )
            )


def with_history(signature: Any) -> Any:
    """The action predictor's signature with a `dspy.History` in the place of `repl_history`.

    The field keeps its description, and with it the predictor its saved state: that has descriptions in the
    order of the fields, without their names. A signature that has a history already is returned as it is.
    """
    if history_field_in(signature) is not None:
        return signature
    names = list(signature.input_fields)
    if REPL_HISTORY not in names:
        return signature.prepend(HISTORY, dspy.InputField(desc="What was done before"), type_=dspy.History)
    field = copy.deepcopy(signature.input_fields[REPL_HISTORY])
    place = names.index(REPL_HISTORY)
    return signature.delete(REPL_HISTORY).insert(place, HISTORY, field, type_=dspy.History)
