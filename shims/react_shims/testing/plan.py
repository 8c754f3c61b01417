"""The steps of a scripted agent run. One plan serves both generations of `dspy.ReAct`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One tool call. `returns`, if given, is text that must be in the observation that the model sees."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    returns: str | None = None


class Step:
    """What the scripted model does next; a plan is a sequence of steps."""


@dataclass(frozen=True, init=False)
class Act(Step):
    """Think, then call one or more tools.

    V2 gets all calls in one turn. V1 knows one call per turn, so it gets them in consecutive turns, the
    thought with the first: exactly what the flat view of V2's history shows.
    """

    thought: str
    calls: tuple[Call, ...]

    def __init__(self, thought: str, *calls: Call) -> None:
        if not calls:
            raise ValueError("Act needs at least one Call; the last step of a run is Finish")
        object.__setattr__(self, "thought", thought)
        object.__setattr__(self, "calls", calls)


@dataclass(frozen=True)
class Finish(Step):
    """End the run: V1 calls `finish` and then its extractor gives `outputs`; V2 calls `submit` with them.

    `reasoning` is what V1's extractor reasons (V1's `prediction.reasoning`); V2 has no such thing.
    """

    thought: str
    outputs: Mapping[str, Any]
    reasoning: str = ""


@dataclass(frozen=True)
class OutOfTurns(Step):
    """End a run whose loop ended without finishing (`max_iters`, a parse failure, an overflow, no tool call).

    V1 asks its extractor for the outputs; V2 forces a `submit`.
    """

    outputs: Mapping[str, Any]
    reasoning: str = ""
    thought: str = "There are no turns left."


@dataclass(frozen=True)
class Answer(Step):
    """A predictor that is no agent's (`dspy.Predict`, `dspy.ChainOfThought`, ...) gives its output fields."""

    outputs: Mapping[str, Any]


@dataclass(frozen=True)
class Overflow(Step):
    """The request does not fit the model's context window.

    Afterwards the agent may show fewer observations, so the next request is taken as it is.
    """


@dataclass(frozen=True)
class Garbled(Step):
    """A reply that no adapter can parse.

    ChatAdapter and XMLAdapter then ask again, as JSONAdapter; the next step of the plan answers that.
    """

    text: str = "I would rather talk about the weather."


@dataclass(frozen=True)
class NewRun(Step):
    """The next step begins another run, although the run before it did not end, or although it did.

    Needed only after a run that was broken off (an exception left the agent), and to demand, with
    `remembers=True`, that the new run continues the conversation: V2 must then show every observation of the
    run before. (V1 has no conversations.)
    """

    remembers: bool = False
