"""`dspy.RLM` as announced for DSPy 3.5, on the previews, which are made of 3.4.1 and have its RLM.

What a program sees of the change is the prediction: it has a `history` and a `repl_trajectory`, and no
`trajectory`. The loop stays 3.4.1's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dspy
from dspy.primitives.repl_types import REPLEntry

_EXTRACTED = "Extract forced final output"


class RLM(dspy.RLM):  # type: ignore[misc]
    def forward(self, **inputs: Any) -> Any:
        return _as_announced(self, inputs, super().forward(**inputs))

    async def aforward(self, **inputs: Any) -> Any:
        return _as_announced(self, inputs, await super().aforward(**inputs))


def install() -> None:
    """Make it the RLM of the imported DSPy, by all the names that this has there."""
    for module in (dspy, dspy.predict, dspy.predict.rlm):
        module.RLM = RLM


def _as_announced(rlm: Any, inputs: Mapping[str, Any], prediction: Any) -> Any:
    fields = prediction.toDict()
    steps = fields.pop("trajectory")
    outputs = {name: getattr(prediction, name) for name in rlm.signature.output_fields}
    events: list[dict[str, Any]] = [
        {"iteration": f"{number}/{rlm.max_iters}", "repl_entry": REPLEntry(**step)}
        for number, step in enumerate(steps, 1)
    ]
    if fields.pop("final_reasoning") == _EXTRACTED or not events:
        events.append({"repl_entry": _EXTRACTED})
    events[0] = {**{name: inputs[name] for name in rlm.signature.input_fields}, **events[0]}
    events[-1] |= outputs
    return dspy.Prediction(**outputs, history=dspy.History(messages=events), repl_trajectory=steps)
