"""Predictions of `react_shims.RLM`: `repl_trajectory` is a field of them, `trajectory` its old name."""

from __future__ import annotations

from typing import Any

from react_shims.deprecation import warn_if_due
from react_shims.prediction import ReActPrediction

REPL_TRAJECTORY = "repl_trajectory"


class RLMPrediction(ReActPrediction):
    """The outputs, `history`, `repl_trajectory` and `final_reasoning`.

    `repl_trajectory` is the list of `{"reasoning", "code", "output"}` of this run. `trajectory` gives it too,
    with a warning where DSPy has that no more.
    """

    def _derived_trajectory(self) -> Any:
        if REPL_TRAJECTORY not in self.keys():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'trajectory'")
        warn_if_due("rlm_prediction.trajectory")
        return self[REPL_TRAJECTORY]
