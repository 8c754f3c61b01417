"""One run of one agent, as far as its prompts show it."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field

from react_shims.testing.plan import Call, Finish
from react_shims.testing.prompt import Ask, ScriptError


@dataclass
class Run:
    """What the model has seen in a run, and what of its plan is half done.

    After an overflow an agent may show a shortened view once, or from then on, so several views can be right.
    """

    views: list[tuple[str, ...]] = field(default_factory=list)
    called: tuple[Call, ...] = ()  # by the last reply
    queue: deque[Call] = field(default_factory=deque)  # V1: calls of an `Act` that are still to be made
    to_extract: Finish | None = None  # V1: `finish` is called, the extractor comes next
    overflowed: bool = False
    ended: bool = False

    def see(self, ask: Ask) -> None:
        """The prompt must show the observations of before, unchanged, and then those of the last calls."""
        shown = ask.observations
        new = min(len(self.called), 1) if ask.by_turn else len(self.called)
        if not self.views or self.overflowed:
            self.views.append(shown)
        else:
            self._expect(shown, new)
            added = shown[len(shown) - new :]
            _expect_returns(self.called, added)
            self.views = [(*view, *added) for view in self.views]
        self.called, self.overflowed = (), False

    def _expect(self, shown: tuple[str, ...], new: int) -> None:
        if any(shown[: len(view)] == view and len(shown) == len(view) + new for view in self.views):
            return
        if new and shown in self.views:
            raise ScriptError(
                f"the prompt does not show what {short(self.called[0])} returned: "
                "the program hides it, or its adapter could not read the reply and asks again"
            )
        missing = [text for text in self.views[-1] if text not in shown]
        reason = (
            f"the observation {short(missing[0])} is missing"
            if missing
            else f"it shows {len(shown)} observations, not {len(self.views[-1]) + new}"
        )
        raise ScriptError(f"the prompt hides what the model has already seen: {reason}")


def _expect_returns(called: tuple[Call, ...], added: tuple[str, ...]) -> None:
    """Compare with what the plan says tools return. A turn of V2 may show all results in one JSON text."""
    for index, call in enumerate(called):
        text = added[index] if len(added) == len(called) else added[0]
        in_json = json.dumps(call.returns or "", ensure_ascii=False)[1:-1]
        if call.returns is not None and call.returns not in text and in_json not in text:
            raise ScriptError(f"`{call.tool}` should return {call.returns!r}; the prompt shows {short(text)}")


def short(value: object) -> str:
    """A value's repr, cut to what fits a line of an error message."""
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."
