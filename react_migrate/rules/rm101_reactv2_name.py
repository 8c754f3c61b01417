"""RM101: the name `ReActV2`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix, MoveImport
from react_migrate.flow.index import Scope
from react_migrate.flow.known import canonical
from react_migrate.flow.values import Library, Values
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.versions import switches

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile

OLD, NEW = "ReActV2", "ReAct"
PATH = "dspy.ReActV2"
_QUOTED = re.compile(r"\b(?:\w+\.)*ReActV2\b")


class ReActV2Name(Rule):
    """RM101 reactv2-name.

    What DSPy 3.3 and 3.4 call `dspy.ReActV2` is `dspy.ReAct` from 3.5 on. The old name warns there and is
    gone in 3.6; the new name means another engine below 3.5.

    The fix uses `react_shims.ReAct`, which is this engine on every release from 3.3, and drops the import
    that is no longer needed. Where a module exports the old name (`__all__`, a package's `__init__`, another
    file that imports it from here) or binds it in more than one way, the name stays and only its source
    changes: `from react_shims import ReAct as ReActV2`.

    Fix safety: safe. A `ReActV2` of your own, or of something else that is called `dspy`, is not touched.
    """

    code = "RM101"
    summary = "dspy.ReActV2 is renamed to dspy.ReAct in DSPy 3.5 and gone in 3.6"
    fix = Fix.SAFE
    triggers = (b"ReActV2",)
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
        renamed = _renamed(file)
        yield from self._imports(file, renamed)
        for attribute, scope in file.index.attributes.get(OLD, ()):
            if id(attribute) not in inside and only_v2(file.values(attribute, scope)):
                yield self._used(file, attribute, "Attribute")
        for name, scope in file.index.names.get(OLD, ()):
            if (
                id(name) not in inside
                and only_v2(file.values(name, scope))
                and (renamed or not _imported(file))
            ):
                yield self._used(file, name, "Name")
        for string, scope in quoted_annotations(file):
            edit = _in_string(file, string, scope, renamed)
            if edit is not None:
                yield self._finding(file, string, (edit,))

    def _imports(self, file: AnalysedFile, renamed: bool) -> Iterator[Finding]:
        for statement, alias in imports_of_v2(file):
            bound = alias.asname or (None if renamed else OLD)
            yield self._finding(
                file, alias, (MoveImport(file.span(statement), OLD, ("react_shims", NEW), bound),)
            )

    def _used(self, file: AnalysedFile, node: ast.expr, kind: str) -> Finding:
        return self._finding(file, node, (Edit(file.span(node), kind, _new_name),))

    def _finding(
        self, file: AnalysedFile, node: ast.expr | ast.alias, edits: tuple[Edit | MoveImport, ...]
    ) -> Finding:
        message = (
            "`ReActV2` is deprecated in DSPy 3.5 and gone in 3.6: `react_shims.ReAct` is it on every release"
        )
        return Finding(self.code, file.span(node), message, self.fix, edits)


def only_v2(values: Values) -> bool:
    """Whether an expression is DSPy's `ReActV2` class and nothing else."""
    return bool(values) and all(isinstance(value, Library) and value.path == PATH for value in values)


def imports_of_v2(file: AnalysedFile) -> Iterator[tuple[ast.ImportFrom, ast.alias]]:
    """Every `from dspy... import ReActV2` that means DSPy's."""
    for statement, _ in file.index.nodes[ast.ImportFrom]:
        assert isinstance(statement, ast.ImportFrom)
        if statement.level or statement.module is None or canonical(f"{statement.module}.{OLD}") != PATH:
            continue
        if file.program.resolve(file, statement.module) is None:
            yield from ((statement, alias) for alias in statement.names if alias.name == OLD)


def _imported(file: AnalysedFile) -> bool:
    return any(alias.asname is None for _, alias in imports_of_v2(file))


def _renamed(file: AnalysedFile) -> bool:
    """Whether the name `ReActV2` in this file can become `ReAct`: nobody outside asks for it here, nothing
    else is called so, and it is not bound in any other way."""
    plain = [alias for _, alias in imports_of_v2(file) if alias.asname is None]
    if not plain or file.path.name == "__init__.py" or OLD in _exported(file):
        return False
    if any(NEW in scope.bound or NEW in scope.elsewhere for scope in file.index.scopes.values()):
        return False
    homes = [scope for scope in file.index.scopes.values() if OLD in scope.bound]
    definitions = [d for scope in homes for d in file.reaching(scope).everywhere.get(OLD, ())]
    if len(definitions) != len(plain) or not all(isinstance(d.node, ast.ImportFrom) for d in definitions):
        return False
    uses = file.index.names.get(OLD, ())
    return all(only_v2(file.values(name, scope)) for name, scope in uses) and not _asked_for(file)


def _exported(file: AnalysedFile) -> set[str]:
    """The strings in a module's `__all__`."""
    return {
        string.value
        for statement in file.tree.body
        for target in getattr(statement, "targets", [getattr(statement, "target", None)])
        if isinstance(target, ast.Name) and target.id == "__all__"
        for string in ast.walk(statement)
        if isinstance(string, ast.Constant) and isinstance(string.value, str)
    }


def _asked_for(file: AnalysedFile) -> bool:
    """Whether another file of the project takes the name from this module."""
    return any(
        other is not file and any(alias.name in {OLD, "*"} for alias in statement.names)
        for other in file.program.knowing(file, OLD, file.path.stem)
        for statement, _ in other.index.nodes[ast.ImportFrom]
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").endswith(file.path.stem)
    )


def quoted_annotations(file: AnalysedFile) -> Iterator[tuple[ast.Constant, Scope]]:
    """The string constants inside annotations that name `ReActV2`."""
    for text, found in file.index.strings.items():
        if OLD not in text:
            continue
        for string, scope in found:
            if _in_annotation(file, string):
                yield string, scope


def _in_annotation(file: AnalysedFile, node: ast.AST) -> bool:
    while True:
        parent = file.parents.get(node)
        if isinstance(parent, (ast.arg, ast.AnnAssign)):
            return parent.annotation is node
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return parent.returns is node
        if isinstance(parent, ast.Call):
            return False
        if parent is None or isinstance(parent, ast.stmt):
            return False
        node = parent


def _in_string(file: AnalysedFile, string: ast.Constant, scope: Scope, renamed: bool) -> Edit | None:
    """The edit of a quoted annotation, if the names in it are DSPy's and change."""
    frame = file.program.flow.frames.general(scope)
    texts = {match.group() for match in _QUOTED.finditer(str(string.value))}
    changing = {text for text in texts if _means_v2(file, text, frame) and (renamed or "." in text)}
    if not changing:
        return None

    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        import libcst as cst

        literal = cst.ensure_type(node, cst.SimpleString)
        new = _QUOTED.sub(lambda m: names.shim(NEW) if m.group() in changing else m.group(), literal.value)
        return literal.with_changes(value=new)

    return Edit(file.span(string), "SimpleString", rewrite)


def _means_v2(file: AnalysedFile, text: str, frame: object) -> bool:
    from react_migrate.flow import hints

    return only_v2(hints.quoted(file.program.flow, text, frame))  # type: ignore[arg-type]


def _new_name(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    old = node if isinstance(node, (cst.Name, cst.Attribute)) else cst.ensure_type(node, cst.Name)
    return names.node(NEW).with_changes(lpar=old.lpar, rpar=old.rpar)
