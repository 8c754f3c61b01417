"""Reading the flat trajectory of V1: `thought_0`, `tool_name_0`, `tool_args_0`, `observation_0`, ..."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

STEP_FIELDS = ("thought", "tool_name", "tool_args", "observation")  # a step's keys, in V1's order

# V1 numbers from 0 without leading zeros. (17 digits keep a hostile key from becoming an expensive number.)
STEP_KEY = re.compile(rf"({'|'.join(STEP_FIELDS)})_(0|[1-9][0-9]{{0,17}})\Z")

FINISH = "finish"  # V1's final tool ...
COMPLETED = "Completed."  # ... and what it returns

_OLD_ERROR = "Failed to execute: "  # DSPy 2.5 and 2.6
ERROR_TEXTS = ("Execution error in ", _OLD_ERROR)


def has_step_keys(x: Mapping[Any, Any]) -> bool:
    """Whether a dict looks like a trajectory: one key of a step is enough."""
    return any(isinstance(key, str) and STEP_KEY.match(key) for key in x)


def group_steps(trajectory: Mapping[str, Any]) -> tuple[dict[int, dict[str, Any]], dict[str, Any]]:
    """The steps (number -> its fields, ascending, each in V1's order) and the keys that belong to no step.

    Steps may be partial, and their numbers have gaps: truncation dropped some, or the run was interrupted.
    """
    steps: dict[int, dict[str, Any]] = {}
    foreign: dict[str, Any] = {}
    for key, value in trajectory.items():
        match = STEP_KEY.match(key) if isinstance(key, str) else None
        if match:
            steps.setdefault(int(match[2]), {})[match[1]] = value
        else:
            foreign[key] = value
    return {number: steps[number] for number in sorted(steps)}, foreign


def is_failure(tool_name: Any, observation: Any) -> bool:
    """Whether an observation is V1's report of a tool that failed, by the wording of DSPy 2.5 to 3.4.

    `finish` never fails: called with arguments, which V1 reports as an error, it ended the run all the same.
    """
    if not isinstance(observation, str) or not observation.startswith(ERROR_TEXTS) or tool_name == FINISH:
        return False
    return observation.startswith((f"Execution error in {tool_name}: ", _OLD_ERROR))
