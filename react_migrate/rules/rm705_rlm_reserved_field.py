"""RM705: signatures of an RLM with fields that the runtime claims for itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import terminal
from react_migrate.rules.rlm import called_like_a_class, makes_rlm
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.signatures import SignatureField, fields

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile
    from react_migrate.flow.scopes import Scope

_RENAME = "rename it, in the signature and in the calls"
_READ = "rename it, in the signature and where it is read"
_CONTINUE = (
    "if it is the conversation so far, drop it and pass `history=` to the call, which RLM takes itself there "
    "(`react_shims.RLM` from 3.3 on); else rename it"
)
# By name: since when RLM's own, and what to do. `dspy/predict/rlm.py` of 3.3.0 to 3.4.1; 3.5 as announced.
_OF_EVENTS = ("variables_info", "iteration", "repl_entry")  # keys of the history beside inputs and outputs
_INPUTS = {
    "history": ("3.5", _CONTINUE),
    **dict.fromkeys(("history_processor", *_OF_EVENTS), ("3.5", _RENAME)),
    "interpreter_factory": ("3.4", _RENAME),
    **dict.fromkeys(("llm_query", "llm_query_batched", "SUBMIT", "print"), ("3.3", _RENAME)),
    "dspy": ("3.4.1", _RENAME),
}
_OUTPUTS = {
    **dict.fromkeys(("trajectory", "final_reasoning"), ("3.3", _READ)),
    **dict.fromkeys(("history", "repl_trajectory", *_OF_EVENTS), ("3.5", _READ)),
    **dict.fromkeys(("history_processor", "interpreter_factory"), ("3.5", _READ)),
}


class RlmReservedField(Rule):
    """RM705 rlm-reserved-field.

    An RLM claims names for itself, and its constructor raises ValueError where a field of its signature has
    one. New in DSPy 3.5 are `history`, `history_processor` and `interpreter_factory` (arguments of the call),
    the output `repl_trajectory` (of the prediction), and `variables_info`, `iteration` and `repl_entry` (keys
    of the history's events, which hold the inputs and outputs as well; `react_shims.RLM` refuses them).
    Refused before that already are the input `interpreter_factory` (3.4), inputs with the names that the
    sandbox has (`print`, `llm_query`, `llm_query_batched`, `SUBMIT` from 3.3, `dspy` from 3.4.1) and the
    outputs `trajectory` and `final_reasoning` (3.3).

    There is no fix: a field's name is known to the callers, to prompts and to saved programs. The finding is
    at the constructor, and says where the field is written.
    """

    code = "RM705"
    summary = "a field of an RLM's signature has a name that RLM reserves in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (b"RLM",)
    examples = (
        Example('import dspy\n\nrlm = dspy.RLM("document, history -> answer")\n'),
        Example(
            """\
import dspy


class Read(dspy.Signature):
    document: str = dspy.InputField()
    history: list[str] = dspy.OutputField()


rlm = dspy.RLM(Read)
"""
        ),
        Example('import dspy\n\ncot = dspy.ChainOfThought("document, history -> answer")\n', finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for call, scope in file.index.all_calls if file.within_reach_of_rlm else ():
            signature = _signature(file, call, scope)
            if signature is None or not makes_rlm(file, call, scope):
                continue
            for field in sorted(fields(file, signature, scope), key=_order):
                claimed = (_INPUTS if field.is_input else _OUTPUTS).get(field.name)
                if claimed is not None:
                    message = _message(file, call, field, *claimed)
                    yield Finding(self.code, file.span(signature), message, self.fix)


def _signature(file: AnalysedFile, call: ast.Call, scope: Scope) -> ast.expr | None:
    """The argument that is the signature if the call makes an RLM; None where it does not look like one."""
    found = next((keyword.value for keyword in call.keywords if keyword.arg == "signature"), None)
    if found is not None:
        return found
    name = terminal(call.func)
    position = int(name == "partial")
    if name == "__init__" and not isinstance(getattr(call.func, "value", None), ast.Call):
        position = 1  # of a class, not of `super()`: `self` comes first
    if len(call.args) <= position or any(isinstance(one, ast.Starred) for one in call.args[: position + 1]):
        return None
    found = call.args[position]
    is_written_out = isinstance(found, ast.Constant) and isinstance(found.value, str) and "->" in found.value
    return found if is_written_out or called_like_a_class(call) else None


def _order(field: SignatureField) -> tuple[str, int, int, str, bool]:
    return (str(field.file.path), field.node.lineno, field.node.col_offset, field.name, field.is_input)


def _message(file: AnalysedFile, call: ast.Call, field: SignatureField, since: str, instead: str) -> str:
    side = "input" if field.is_input else "output"
    where = field.file.where(field.node.lineno)
    if field.file is not file:
        where = f"{field.file.path.name}, {where}"
    elsewhere = field.file is not file or not call.lineno <= field.node.lineno <= (call.end_lineno or 0)
    place = f" ({where})" if elsewhere else ""
    return f"the {side} `{field.name}`{place} is RLM's own from DSPy {since} on: {instead}"
