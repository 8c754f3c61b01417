"""RM101: the name `ReActV2`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix, MoveImport
from react_migrate.flow.scopes import Scope
from react_migrate.rules.quoted_v2 import quoted_v2
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.v2_name import (
    MODULE,
    NEW,
    OLD,
    PATH,
    can_be_renamed,
    from_star_of_dspy,
    imports_of_its_module,
    imports_of_v2,
    is_home,
    is_library,
    only_v2,
)
from react_migrate.rules.versions import switches

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile


class ReActV2Name(Rule):
    """RM101 reactv2-name.

    What DSPy 3.3 and 3.4 call `dspy.ReActV2` is `dspy.ReAct` from 3.5 on. The old name warns there and is
    gone in 3.6; the new name means another engine below 3.5.

    The fix uses `react_shims.ReAct`, which is this engine on every release from 3.3, and drops the import
    that is no longer needed. Where a module exports the old name (`__all__`, a package's `__init__`, another
    file that takes it from here) or binds it in more than one way, the name stays and only its source
    changes: `from react_shims import ReAct as ReActV2`. So what takes the name from your own modules goes on
    as it is.

    Fix safety: safe. A `ReActV2` of your own, or of something else that is called `dspy`, is not touched.
    Imports of the module `dspy.predict.react_v2`, gone in 3.6 too, are reported where something else of it
    is used; so are assignments to `dspy.ReActV2`.
    """

    code = "RM101"
    summary = "dspy.ReActV2 is renamed to dspy.ReAct in DSPy 3.5 and gone in 3.6"
    fix = Fix.SAFE
    triggers = (b"ReActV2", b"react_v2")
    examples = (
        Example(
            """\
import dspy

dspy.configure(lm=dspy.LM("openai/gpt-4o-mini"))
agent = dspy.ReActV2("question -> answer", tools=[])
""",
            """\
import dspy
from react_shims import ReAct

dspy.configure(lm=dspy.LM("openai/gpt-4o-mini"))
agent = ReAct("question -> answer", tools=[])
""",
        ),
        Example(
            """\
from dspy import Predict, ReActV2 as Agent

assert Predict
print(isinstance(1, Agent))
""",
            """\
from dspy import Predict
from react_shims import ReAct as Agent

assert Predict
print(isinstance(1, Agent))
""",
        ),
        Example(
            """\
from dspy.predict.react_v2 import ReActV2


class Mine(ReActV2):
    pass


def run(agent: "ReActV2") -> None: ...
""",
            """\
from react_shims import ReAct


class Mine(ReAct):
    pass


def run(agent: "ReAct") -> None: ...
""",
        ),
        Example(
            """\
from dspy import ReAct, ReActV2

old, new = ReAct("q -> a", tools=[]), ReActV2("q -> a", tools=[])
""",
            """\
from dspy import ReAct
from react_shims import ReAct as ReActV2

old, new = ReAct("q -> a", tools=[]), ReActV2("q -> a", tools=[])
""",
        ),
        Example("class ReActV2:\n    pass\n\n\nReActV2()\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        inside = {id(node) for switch in switches(file) for node in ast.walk(switch.node)}
        renamed = can_be_renamed(file)
        yield from self._imports(file, renamed)
        for attribute, scope in file.index.attributes.get(OLD, ()):
            if id(attribute) not in inside and is_library(file.values(attribute.value, scope)):
                yield from self._attribute(file, attribute, scope)
        if renamed or from_star_of_dspy(file):
            for name, scope in file.index.names.get(OLD, ()):
                if id(name) not in inside and only_v2(file.values(name, scope)):
                    yield self._finding(file, name, (Edit(file.span(name), "Name", _new_name),))
        for string, edit in quoted_v2(file, renamed):
            yield self._finding(file, string, (edit,))

    def _imports(self, file: AnalysedFile, renamed: bool) -> Iterator[Finding]:
        for statement, alias in imports_of_v2(file):
            bound = alias.asname or (None if renamed else OLD)
            yield self._finding(
                file, alias, (MoveImport(file.span(statement), OLD, ("react_shims", NEW), bound),)
            )
        for alias in imports_of_its_module(file):
            message = f"the module `{MODULE}` is gone in DSPy 3.6"
            yield Finding(self.code, file.span(alias), message, Fix.MANUAL)

    def _attribute(self, file: AnalysedFile, node: ast.Attribute, scope: Scope) -> Iterator[Finding]:
        if isinstance(node.ctx, ast.Load):
            if only_v2(file.values(node, scope)):
                yield self._finding(file, node, (Edit(file.span(node), "Attribute", _new_name),))
        elif is_home(file.values(node.value, scope)):
            message = f"code that uses `react_shims.{NEW}` does not see what `{PATH}` is replaced by"
            yield Finding(self.code, file.span(node), message, Fix.MANUAL)

    def _finding(
        self, file: AnalysedFile, node: ast.expr | ast.alias, edits: tuple[Edit | MoveImport, ...]
    ) -> Finding:
        message = (
            "`ReActV2` is deprecated in DSPy 3.5 and gone in 3.6: `react_shims.ReAct` is it on every release"
        )
        return Finding(self.code, file.span(node), message, self.fix, edits)


def _new_name(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    old = node if isinstance(node, (cst.Name, cst.Attribute)) else cst.ensure_type(node, cst.Name)
    return names.node(NEW).with_changes(lpar=old.lpar, rpar=old.rpar)
