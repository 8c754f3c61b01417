"""RM702: `max_iterations=` of `dspy.RLM`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import Container
from react_migrate.rules.rlm import makes_rlm
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile

OLD, NEW = "max_iterations", "max_iters"


class RlmMaxIterations(Rule):
    """RM702 rlm-max-iterations.

    `dspy.RLM(max_iterations=...)` is the spelling up to DSPy 3.2; from 3.3 on the parameter is `max_iters`
    and the old one raises TypeError.

    Fix safety: safe on DSPy 3.3 and later. A dict that is spread into the call (`RLM(**{...})`) is reported
    where the key is written, and left.
    """

    code = "RM702"
    summary = "dspy.RLM(max_iterations=...) is max_iters from DSPy 3.3 on"
    fix = Fix.SAFE
    triggers = (b"max_iterations",)
    examples = (
        Example(
            'import dspy\n\nrlm = dspy.RLM("doc -> a", max_iterations=5)\n',
            'import dspy\n\nrlm = dspy.RLM("doc -> a", max_iters=5)\n',
        ),
        Example('import dspy\n\nlimits = {"max_iterations": 5}\nrlm = dspy.RLM("doc -> a", **limits)\n'),
        Example("solve(max_iterations=5)\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        message = "`max_iterations` of `dspy.RLM` is `max_iters` from DSPy 3.3 on"
        for call, scope in file.index.keywords.get(OLD, ()):
            if makes_rlm(file, call, scope):
                span = file.span(next(k for k in call.keywords if k.arg == OLD))
                yield Finding(self.code, span, message, self.fix, (Edit(span, "Arg", _renamed),))
        for place in _spread(file):
            yield Finding(self.code, file.span(place), message, Fix.MANUAL)


def _spread(file: AnalysedFile) -> Iterator[ast.expr]:
    """Where the key is written in a dict that is spread into an RLM."""
    places = _dicts_with_key(file)
    for call, scope in file.index.all_calls if places else ():
        spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
        if spread and makes_rlm(file, call, scope):
            for value in spread:
                yield from (places.pop(node) for node in _made_by(file, value, scope) if node in places)


def _dicts_with_key(file: AnalysedFile) -> dict[ast.AST, ast.expr]:
    """Dict displays and `dict(...)` calls that have the key, and where it stands in them."""
    found: dict[ast.AST, ast.expr] = {}
    for string, _ in file.index.strings.get(OLD, ()):
        display = file.parents[string]
        if isinstance(display, ast.Dict) and string in display.keys:
            found[display] = string
    made = (call for call, _ in file.index.keywords.get(OLD, ()))
    found.update((call, call) for call in made if terminal(call.func) == "dict")
    return found


def _made_by(file: AnalysedFile, value: ast.expr, scope: Scope) -> Iterator[ast.AST]:
    """The expressions that may have made the dict that `value` is."""
    yield value
    yield from (held.node for held in file.values(value, scope) if isinstance(held, Container))
    if isinstance(value, ast.Name):
        yield from (definition.node for definition in file.reaching(scope.owner()).loads.get(value, ()))


def _renamed(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    return cst.ensure_type(node, cst.Arg).with_changes(keyword=cst.Name(NEW))
