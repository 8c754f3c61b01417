"""RM102: strings that name `ReActV2`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import Class, Library, ModuleValue
from react_migrate.rules.annotations import in_annotation
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.versions import switches

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_NAME = re.compile(r"(dspy(\.predict(\.react_v2)?)?\.)?ReActV2(\..*)?|dspy\.predict\.react_v2")
_TAKERS = frozenset(
    (
        *("getattr", "hasattr", "setattr", "delattr", "patch", "object", "import_module", "__import__"),
        *("import_string", "import_object", "importorskip", "locate", "resolve_name"),
    )
)
_TELLERS = frozenset(("print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"))
_NAMES_OF_CLASSES = frozenset(("__name__", "__qualname__"))


class ReActV2String(Rule):
    """RM102 reactv2-string.

    A string that names `ReActV2`, for `mock.patch`, `getattr`, `importlib` or a configuration, stops working
    in DSPy 3.6, and in a way that no type checker sees: a patch of a name that nothing uses any more passes
    and tests nothing.

    There is no fix: what the string should say depends on what reads it. Where the code under test uses
    `react_shims.ReAct`, patch that name in the module that imports it.
    """

    code = "RM102"
    summary = "a string names dspy.ReActV2, which is gone in DSPy 3.6"
    fix = Fix.MANUAL
    triggers = (b"ReActV2", b"react_v2")
    examples = (
        Example('from unittest import mock\n\nwith mock.patch("dspy.ReActV2"):\n    pass\n'),
        Example('import dspy\n\nif hasattr(dspy, "ReActV2"):\n    print("new")\n'),
        Example('print("ReActV2 is the new engine")\n', finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        chosen = {id(node) for switch in switches(file) for node in ast.walk(switch.node)}
        for text, found in file.index.strings.items():
            if not _NAME.fullmatch(text):
                continue
            for string, scope in found:
                if id(string) not in chosen and _is_reference(file, string, scope):
                    message = f"the string {text!r} names what is deprecated in DSPy 3.5 and gone in 3.6"
                    yield Finding(self.code, file.span(string), message, self.fix)


def _is_reference(file: AnalysedFile, string: ast.Constant, scope: Scope) -> bool:
    """Whether something looks up what the string names; a text for people to read is not that."""
    parent = file.parents.get(string)
    call = file.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    if str(string.value).startswith("dspy."):
        told = isinstance(call, ast.Call) and terminal(call.func) in _TELLERS
        return not told and not isinstance(parent, ast.Expr) and not in_annotation(file, string)
    if isinstance(call, ast.Call):
        return terminal(call.func) in _TAKERS and not _is_of_the_project(file, call, scope)
    if isinstance(parent, ast.Subscript):  # vars(dspy)["ReActV2"]
        return _is_namespace_of_dspy(file, parent.value, scope)
    if isinstance(parent, ast.Compare):
        others = [parent.left, *parent.comparators]
        return any(_is_namespace_of_dspy(file, other, scope) or _names_a_class(other) for other in others)
    return False


def _is_of_the_project(file: AnalysedFile, call: ast.Call, scope: Scope) -> bool:
    """Whether the name is looked up in a module or class of the project: RM101 leaves it there."""
    values = file.values(call.args[0], scope) if len(call.args) > 1 else frozenset()
    return bool(values) and all(isinstance(value, (ModuleValue, Class)) for value in values)


def _is_namespace_of_dspy(file: AnalysedFile, node: ast.expr, scope: Scope) -> bool:
    """`vars(dspy)`, `dir(dspy)`, `dspy.__dict__`, `dspy.__all__`."""
    if isinstance(node, ast.Call) and terminal(node.func) in {"vars", "dir"} and node.args:
        inner = node.args[0]
    elif isinstance(node, ast.Attribute) and node.attr in {"__dict__", "__all__"}:
        inner = node.value
    else:
        return False
    return Library("dspy") in file.values(inner, scope)


def _names_a_class(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _NAMES_OF_CLASSES
