"""The public face: a plan that becomes a language model for the installed DSPy."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from react_shims.testing.cursor import Cursor
from react_shims.testing.models import scripted_lm
from react_shims.testing.plan import Step
from react_shims.testing.prompt import Prompt, ScriptError, read_prompt
from react_shims.testing.reply import Reply


class Script:
    """A scripted language model: answers the requests of a program step by step, as its plan says.

    plan: the steps in the order in which the program asks. Where that order is not fixed (threads,
    `asyncio.gather`),
        a mapping from a text to a plan: a request follows the plan whose text stands last in its prompt, so
        the text should be part of the run's inputs, such as its question.
    function_calling: whether the model says that it can call tools natively. Adapters decide whether they use
    it.

    `with script:` makes it DSPy's language model for a block, and fails the block when the program does not
    follow the plan to its end. Used otherwise, pass `script.lm` to DSPy and call `script.check_finished()` at
    the end.

    Requests are kept in `requests`. Limits: one agent must not call itself (two agents may call each other);
    a forced submit is told from an ordinary turn only under native function calling.
    """

    def __init__(
        self, plan: Sequence[Step] | Mapping[str, Sequence[Step]], *, function_calling: bool = True
    ) -> None:
        self.function_calling = function_calling
        self.requests: list[Prompt] = []
        plans = plan if isinstance(plan, Mapping) else {"": plan}
        self._cursors = {text: Cursor(steps) for text, steps in plans.items()}
        self._failure: ScriptError | None = None
        self._lock = threading.Lock()
        self._lm: Any = None
        self._blocks = contextlib.ExitStack()

    @property
    def lm(self) -> Any:
        """The language model: a `dspy.LM` with an engine from DSPy 3.4 on, before that a `dspy.BaseLM`."""
        if self._lm is None:
            self._lm = scripted_lm(self)
        return self._lm

    def reply(self, prompt: Prompt) -> Reply:
        """Answer one request.

        Raises `ScriptError` when the program does not do what is planned, and from then on every time:
        programs and DSPy itself catch exceptions and try again. Raises `ContextOverflowError` where the plan
        says so.
        """
        with self._lock:
            self.requests.append(prompt)
            if self._failure is not None:
                raise self._failure
            try:
                return self._cursor(prompt).reply(read_prompt(prompt), len(self.requests))
            except ScriptError as error:
                self._failure = ScriptError(f"{error} (request {len(self.requests)})")
                raise self._failure from None

    def check_finished(self) -> None:
        """Raises `ScriptError` when the program left its plan (even if it hid that) or ended before it."""
        if self._failure is not None:
            raise self._failure
        for cursor in self._cursors.values():
            cursor.check_finished()

    def _cursor(self, prompt: Prompt) -> Cursor:
        last = {text: prompt.text.rfind(text) for text in self._cursors}
        text = max(last, key=lambda each: last[each])
        if last[text] < 0:
            raise ScriptError(f"no plan for this request: it contains none of {', '.join(map(repr, last))}")
        return self._cursors[text]

    def __enter__(self) -> Script:
        lm = self.lm
        self._blocks.enter_context(importlib.import_module("dspy").context(lm=lm))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._blocks.close()
        if self._failure is not None or kind is None:
            self.check_finished()

    def __deepcopy__(self, memo: dict[int, Any]) -> Script:
        """Copies of a language model (`lm.copy()`, `program.deepcopy()`) go on with the same plan."""
        return self
