"""RM703: `interpreter=` of `dspy.RLM`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.rules.rlm import makes_rlm, runs_rlm
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


class RlmInterpreter(Rule):
    """RM703 rlm-interpreter.

    `dspy.RLM(interpreter=x)` is the spelling up to DSPy 3.2. From 3.3 on the constructor takes
    `interpreter_factory=`, a function that makes a fresh interpreter, and so does a call on 3.4, where it is
    keyword-only; up to 3.3 a call takes an interpreter by position.

    There is no fix, because an interpreter that was shared is not the same as one made each time. Where
    sharing does not matter, `interpreter_factory=lambda: x` keeps yours.
    """

    code = "RM703"
    summary = "dspy.RLM(interpreter=...) is interpreter_factory from DSPy 3.3 on"
    fix = Fix.MANUAL
    triggers = (b"interpreter", b"RLM")
    examples = (
        Example('import dspy\n\nrlm = dspy.RLM("doc -> a", interpreter=mine)\n'),
        Example('import dspy\n\nrlm = dspy.RLM("doc -> a")\nrlm(mine, doc="...")\n'),
        Example("run(interpreter=mine)\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        message = "`interpreter` is `interpreter_factory` (a function that makes one) from DSPy 3.3 on"
        for call, scope in file.index.keywords.get("interpreter", ()):
            if makes_rlm(file, call, scope) or runs_rlm(file, call, scope):
                keyword = next(k for k in call.keywords if k.arg == "interpreter")
                yield Finding(self.code, file.span(keyword), message, self.fix)
        for call, scope in file.index.all_calls:
            if call.args and runs_rlm(file, call, scope):
                message = "an interpreter is passed as `interpreter_factory=` from DSPy 3.4 on"
                yield Finding(self.code, file.span(call.args[0]), message, self.fix)
