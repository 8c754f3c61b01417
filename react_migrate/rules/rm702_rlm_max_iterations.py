"""RM702: `max_iterations=` of `dspy.RLM`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow.values import Library, Values
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
        Example('import dspy\n\nrlm = dspy.RLM("doc -> a", **{"max_iterations": 5})\n'),
        Example("solve(max_iterations=5)\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        message = "`max_iterations` of `dspy.RLM` is `max_iters` from DSPy 3.3 on"
        for call, scope in file.index.keywords.get(OLD, ()):
            if _is_rlm(file.values(call.func, scope)):
                span = file.span(next(k for k in call.keywords if k.arg == OLD))
                yield Finding(self.code, span, message, self.fix, (Edit(span, "Arg", _renamed),))
        for string, scope in file.index.strings.get(OLD, ()):
            spread = _spread_into(file, string)
            if spread is not None and _is_rlm(file.values(spread.func, scope)):
                yield Finding(self.code, file.span(string), message, Fix.MANUAL)


def _is_rlm(values: Values) -> bool:
    return bool(values) and all(isinstance(v, Library) and v.path == "dspy.RLM" for v in values)


def _spread_into(file: AnalysedFile, key: ast.expr) -> ast.Call | None:
    """The call that a dict display with this key is spread into."""
    display = file.parents.get(key)
    keyword = file.parents.get(display) if isinstance(display, ast.Dict) else None
    call = file.parents.get(keyword) if isinstance(keyword, ast.keyword) else None
    return call if isinstance(call, ast.Call) else None


def _renamed(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    return cst.ensure_type(node, cst.Arg).with_changes(keyword=cst.Name(NEW))
