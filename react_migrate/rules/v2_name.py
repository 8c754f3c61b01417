"""Where a file has the name `ReActV2` from, and whether it may be called something else there. For RM101."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.flow.known import canonical
from react_migrate.flow.values import Library, ModuleValue, NoValue, Values
from react_migrate.rules.annotations import in_annotation

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

OLD, NEW = "ReActV2", "ReAct"
PATH = "dspy.ReActV2"
MODULE = "dspy.predict.react_v2"
_HOMES = (Library("dspy"), Library("dspy.predict"), Library(MODULE))


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


def imports_of_its_module(file: AnalysedFile) -> Iterator[ast.alias]:
    """`import dspy.predict.react_v2`, `from dspy.predict import react_v2`, and other names from it."""
    for kind in (ast.Import, ast.ImportFrom):
        for statement, _ in file.index.nodes[kind]:
            assert isinstance(statement, (ast.Import, ast.ImportFrom))
            module = getattr(statement, "module", None)
            if getattr(statement, "level", 0) or file.program.resolve(file, "dspy") is not None:
                continue
            for alias in statement.names:
                path = f"{module}.{alias.name}" if module else alias.name
                if path == MODULE or (module == MODULE and alias.name != OLD):
                    yield alias


def is_library(values: Values) -> bool:
    """Whether an expression is a thing from outside the project, if it is anything."""
    found = [value for value in values if not isinstance(value, NoValue)]
    return bool(found) and all(isinstance(value, Library) for value in found)


def is_home(values: Values) -> bool:
    """Whether an expression is one of DSPy's modules that have the name."""
    return bool(values) and all(value in _HOMES for value in values)


def from_star_of_dspy(file: AnalysedFile) -> bool:
    """Whether `from dspy import *` is where the file has the name from."""
    if any(OLD in scope.bound for scope in file.index.scopes.values()):
        return False
    return any(
        not star.level and star.module == "dspy" and file.program.resolve(file, "dspy") is None
        for star in file.reaching(file.scope).stars
    )


def can_be_renamed(file: AnalysedFile) -> bool:
    """Whether the name `ReActV2` in this file can become `ReAct`: nobody outside asks for it here, nothing
    else is called so, and it is neither bound in any other way nor unbound, nor named by a string."""
    plain = [alias for _, alias in imports_of_v2(file) if alias.asname is None]
    if not plain or file.path.name == "__init__.py" or _named_by_string(file):
        return False
    if NEW in file.index.names or any(
        NEW in scope.bound or NEW in scope.elsewhere for scope in file.index.scopes.values()
    ):
        return False
    homes = [scope for scope in file.index.scopes.values() if OLD in scope.bound]
    definitions = [d for scope in homes for d in file.reaching(scope).everywhere.get(OLD, ())]
    if len(definitions) != len(plain) or not all(isinstance(d.node, ast.ImportFrom) for d in definitions):
        return False
    if any(isinstance(node, ast.Delete) and _deletes(node) for node, _ in file.index.nodes[ast.Delete]):
        return False
    uses = file.index.names.get(OLD, ())
    return all(only_v2(file.values(name, scope)) for name, scope in uses) and not _asked_for(file)


def _deletes(statement: ast.Delete) -> bool:
    return any(isinstance(node, ast.Name) and node.id == OLD for node in ast.walk(statement))


def _named_by_string(file: AnalysedFile) -> bool:
    """`__all__ = ["ReActV2"]`, `globals()["ReActV2"]`."""
    return any(not in_annotation(file, string) for string, _ in file.index.strings.get(OLD, ()))


def _asked_for(file: AnalysedFile) -> bool:
    """Whether another file of the project takes the name from this module."""
    return any(
        other is not file and (_imports_from(other, file) or _reads_from(other, file))
        for other in file.program.knowing(file, OLD, file.path.stem)
    )


def _imports_from(other: AnalysedFile, file: AnalysedFile) -> bool:
    return any(
        isinstance(statement, ast.ImportFrom)
        and (statement.module or "").endswith(file.path.stem)
        and any(alias.name in {OLD, "*"} for alias in statement.names)
        for statement, _ in other.index.nodes[ast.ImportFrom]
    )


def _reads_from(other: AnalysedFile, file: AnalysedFile) -> bool:
    """`module.ReActV2`, and `patch("package.module.ReActV2")`."""
    named = f"{file.path.stem}.{OLD}"
    if any(f".{named}" in f".{text}" for text in other.index.strings):
        return True
    receivers = [(attribute.value, scope) for attribute, scope in other.index.attributes.get(OLD, ())]
    for string, scope in other.index.strings.get(OLD, ()):
        call = other.parents.get(string)
        if isinstance(call, ast.Call):  # getattr(module, "ReActV2"), patch.object(module, "ReActV2")
            receivers += [(argument, scope) for argument in call.args[:1]]
    return any(
        isinstance(value, ModuleValue) and value.file is file
        for receiver, scope in receivers
        for value in other.values(receiver, scope)
    )
