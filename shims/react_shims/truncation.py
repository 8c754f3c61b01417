"""What happens when an agent's history outgrows the model's context window.

V1 asked `truncate_trajectory` for a shorter trajectory and tried again, three times; V2 gives up.
`TruncationHook` lets an override written for V1 work on V2 with the same meaning:

- there is one working trajectory per run, which grows by every step and starts empty;
- what the override changes in it in place stays changed for the rest of the run;
- a new dict that it returns serves the call that overflowed (and its later attempts) and no other;
- what it raises ends the loop: V2 then forces a submit, where V1 went to its extractor.

The history that the prediction carries is never shortened; only what the model is sent is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from react_shims.run import Attempts, Inputs, Overflow, dspy
from react_shims.scope import RunScope
from react_shims.wire.edits import keep_steps
from react_shims.wire.view import flat_view

logger = logging.getLogger(__name__)

ATTEMPTS = 3  # V1's
KEYS_PER_STEP = 4  # thought, tool_name, tool_args, observation

EARLIER_STEPS = "What is left of earlier steps that were dropped to fit the context window."


class TruncationHook(RunScope):
    """Mixin that makes V2 call `truncate_trajectory(self, trajectory)` as V1 does.

    Place it directly before the DSPy class: `class Lean(TruncationHook, dspy.ReAct)`. Where that class is V1
    the mixin does nothing, because V1 calls the method itself. It is enough on the topmost class of a
    hierarchy that overrides the method.
    """

    def truncate_trajectory(self, trajectory: dict[str, Any]) -> dict[str, Any]:
        """A shorter trajectory: the next class's answer where it has one (V1 does), else V1's rule.

        That rule drops the oldest step in place, and raises `dspy.ContextWindowExceededError` when there is
        at most one.
        """
        following = getattr(super(), "truncate_trajectory", None)
        if following is not None:
            shorter: dict[str, Any] = following(trajectory)
            return shorter
        return drop_oldest_step(trajectory)

    def _overflow(self) -> Overflow:
        return FlatTruncation(self.truncate_trajectory)


def drop_oldest_step(trajectory: dict[str, Any]) -> dict[str, Any]:
    """V1's rule: the first four keys go, in place. Raises when four or fewer are left."""
    oldest = list(trajectory)[:KEYS_PER_STEP]
    if len(trajectory) <= KEYS_PER_STEP:
        raise dspy.ContextWindowExceededError(
            message="The prompt exceeded the context window, and the trajectory cannot be truncated: it has "
            "at most one tool call."
        )
    for key in oldest:
        del trajectory[key]
    return trajectory


class FlatTruncation:
    """An overflow handled by a function on V1's flat trajectory. One object per run.

    `whole_conversation`: the trajectory begins with the history, not with the run.
    """

    def __init__(self, truncate: Callable[[Any], Any], *, whole_conversation: bool = False) -> None:
        self._truncate = truncate
        self.whole_conversation = whole_conversation
        self._working: dict[str, Any] = {}
        self._taken_in: set[str] = set()  # keys that were in the working trajectory at some time
        self._was_asked = False

    def attempts(self, inputs: Inputs, predictor: Any, start: int) -> Attempts:
        """See `Overflow.attempts`. V1's own order: three calls, each followed by the function if it fails."""
        start = 0 if self.whole_conversation else start
        trajectory: Mapping[str, Any] = self._working
        error: Exception | None = None
        for _ in range(ATTEMPTS):
            events = inputs["history"].messages[start:]
            if self._was_asked:
                self._take_in(events)
                error = yield self._shown(trajectory, inputs, predictor, start)
            else:
                error = yield inputs
                self._take_in(events)
            logger.warning("The history exceeded the context window; truncate_trajectory is to shorten it.")
            self._was_asked = True
            trajectory = self.shortened(trajectory)
        raise dspy.ContextWindowExceededError(
            message=f"The context window was exceeded even after truncating the trajectory {ATTEMPTS} times."
        ) from error

    def trajectory_of(self, messages: Sequence[Mapping[str, Any]], start: int) -> Mapping[str, Any]:
        """The trajectory as the function left it, with the steps since; the run's events begin at `start`."""
        self._take_in(messages[0 if self.whole_conversation else start :])
        return self._working

    def shortened(self, trajectory: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the function makes of a trajectory. Raises TypeError when that is none."""
        shorter = self._truncate(trajectory)
        if isinstance(shorter, Mapping):
            return shorter
        name = getattr(self._truncate, "__qualname__", repr(self._truncate))
        raise TypeError(
            f"{name} returned {type(shorter).__name__}; it must return the trajectory to use, a dict with "
            "keys such as 'thought_0' (also when it edits the one it was given)"
        )

    def _take_in(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Add the steps that the run has made since the last time."""
        for key, value in flat_view(events).trajectory.items():
            if key not in self._taken_in:
                self._taken_in.add(key)
                self._working[key] = value

    def _shown(self, trajectory: Mapping[str, Any], inputs: Inputs, predictor: Any, start: int) -> Inputs:
        """What to send so that the model sees this trajectory instead of the run's events."""
        history = inputs["history"]
        kept = keep_steps(history.messages[start:], trajectory)
        messages = [*history.messages[:start], *kept.events]
        sent = {**kept.inputs, **inputs, "history": history.model_copy(update={"messages": messages})}
        if kept.remainder:
            # Text with no step to put it in front of. An assistant's turn without a tool call would teach the
            # model to make none, so it goes where V1's trajectory was: among the inputs.
            signature = inputs.get("signature", predictor.signature)
            name = free_name("earlier_steps", signature.fields)
            sent["signature"] = signature.append(name, dspy.InputField(desc=EARLIER_STEPS), type_=str)
            sent[name] = kept.remainder
        return sent


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, with as many underscores behind it as it takes to be none of `taken`."""
    while wanted in taken:
        wanted += "_"
    return wanted
