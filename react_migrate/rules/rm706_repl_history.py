"""RM706: `REPLHistory`, and `repl_history` as an input of predictors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Class, Library
from react_migrate.rules.rlm import is_rlm
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.signatures import fields_of_class, is_signature_class, parsed

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_CLASS, _INPUT, _PREDICTOR = "REPLHistory", "repl_history", "generate_action"
_HOMES = frozenset(("dspy", "dspy.primitives", "dspy.primitives.repl_types"))


class ReplHistory(Rule):
    """RM706 repl-history.

    Up to DSPy 3.4 an RLM keeps a run in a `REPLHistory`, which both its predictors get as `repl_history`.
    From 3.5 on a run is a `dspy.History`: the predictor that writes code, `rlm.generate_action`, sees that
    history as earlier messages and has no input `repl_history` (`rlm.extract` still has, for the current
    call). Code that makes a `REPLHistory`, passes one, or looks the input up in `generate_action` fails or
    goes unseen, and so does a signature of yours that was written to take that predictor's place.

    There is no fix. To read a run, `react_shims.repl_trajectory_of(prediction)` gives its steps on every
    release, also those of a `REPLHistory`; to go on with one, pass `history=prediction.history` to the call
    (`react_shims.RLM` takes it from 3.3 on); to keep it short, give RLM a `history_processor=`. In your own
    signature make the input a `history: dspy.History`, or a `list` of these steps under another name.
    """

    code = "RM706"
    summary = "an RLM keeps its run in a dspy.History, not a REPLHistory, in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (_CLASS.encode(), _INPUT.encode())
    examples = (
        Example("from dspy.primitives.repl_types import REPLHistory\n"),
        Example(
            """\
import dspy

rlm = dspy.RLM("document -> answer")
print(rlm.generate_action.signature.input_fields["repl_history"])
"""
        ),
        Example(
            """\
import dspy


class NextStep(dspy.Signature):
    repl_history: str = dspy.InputField()
    code: str = dspy.OutputField()


rlm = dspy.RLM("document -> answer")
rlm.generate_action = dspy.Predict(NextStep)
"""
        ),
        Example(
            """\
import dspy

rlm = dspy.RLM("document -> answer")
print(rlm.extract.signature.input_fields["repl_history"])
""",
            finds=False,
        ),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for node in _names_of_class(file):
            message = (
                "a run of an RLM is a `dspy.History` from DSPy 3.5 on: read its steps with "
                "`react_shims.repl_trajectory_of`, go on with it by `history=`"
            )
            yield Finding(self.code, file.span(node), message, self.fix)
        for place in _signature_inputs(file) if file.within_reach_of_rlm else ():
            message = (
                "no predictor of an RLM that writes code gets a `repl_history` from DSPy 3.5 on: make this a "
                "`history: dspy.History`, or give it the steps that `react_shims.repl_trajectory_of` reads"
            )
            yield Finding(self.code, file.span(place), message, self.fix)
        for use in _uses_of_action_input(file) if file.within_reach_of_rlm else ():
            message = (
                "`generate_action` of an RLM has no input `repl_history` from DSPy 3.5 on: the run so far "
                "reaches it as the `history`"
            )
            yield Finding(self.code, file.span(use), message, self.fix)


def _names_of_class(file: AnalysedFile) -> Iterator[ast.alias | ast.expr]:
    for statement, _ in file.index.nodes[ast.ImportFrom]:
        assert isinstance(statement, ast.ImportFrom)
        module = statement.module or ""
        if module in _HOMES and not statement.level and file.program.resolve(file, module) is None:
            yield from (alias for alias in statement.names if alias.name == _CLASS)
    for attribute, scope in file.index.attributes.get(_CLASS, ()):
        values = file.values(attribute, scope)
        if values and all(isinstance(value, Library) and _is_home(value.path) for value in values):
            yield attribute


def _is_home(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return name == _CLASS and module in _HOMES


def _signature_inputs(file: AnalysedFile) -> Iterator[ast.expr | ast.stmt]:
    """The fields of signatures that are inputs of that name: in classes, and in text."""
    for node, scope in file.index.nodes[ast.ClassDef]:
        assert isinstance(node, ast.ClassDef)
        own = Class(node, file.program.flow.frames.general(scope))
        declared = [field for field in fields_of_class(own) if field.name == _INPUT and field.is_input]
        if declared and is_signature_class(file, node, scope):
            yield from (field.node for field in declared)
    for text, found in file.index.strings.items():
        names = parsed(text) if _INPUT in text and "->" in text else None
        if names is not None and _INPUT in names[0]:
            yield from (string for string, _ in found)


def _uses_of_action_input(file: AnalysedFile) -> Iterator[ast.expr | ast.keyword]:
    """`rlm.generate_action(repl_history=...)`, and its name looked up in the predictor's signature."""
    for call, scope in file.index.keywords.get(_INPUT, ()):
        if _leads_to_action(file, call.func, scope):
            yield next(keyword for keyword in call.keywords if keyword.arg == _INPUT)
    for string, scope in file.index.strings.get(_INPUT, ()):
        use = file.parents.get(string)
        if isinstance(use, ast.Subscript) and use.slice is string:
            looked_up_in: ast.expr = use.value
        elif isinstance(use, ast.Compare) and use.left is string:
            looked_up_in = use.comparators[0]
        elif isinstance(use, ast.Call) and string in use.args:
            looked_up_in = use.func
        else:
            continue
        if _leads_to_action(file, looked_up_in, scope):
            yield string


def _leads_to_action(file: AnalysedFile, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is part of the `generate_action` of an RLM, by its text and that of the names."""
    todo, seen = [node], set[ast.expr]()
    for part in todo:  # it grows as it is walked
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, ast.Attribute) and part.attr == _PREDICTOR:
            if any(is_rlm(file, value) for value in file.values(part.value, scope)):
                return True
        elif isinstance(part, (ast.Attribute, ast.Subscript, ast.Await)):
            todo.append(part.value)
        elif isinstance(part, ast.Call):
            todo.append(part.func)
        elif isinstance(part, ast.Name):
            definitions = file.reaching(scope.owner()).loads.get(part, ())
            todo += [one.node for one in definitions if isinstance(one.node, ast.expr)]
    return False
