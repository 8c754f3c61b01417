"""Names: where a name was bound, and what it was bound to."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from react_migrate.flow import arguments, calls, containers, hints, objects, patterns
from react_migrate.flow.frames import Binding, Frame, module_of
from react_migrate.flow.known import canonical
from react_migrate.flow.reaching import Definition
from react_migrate.flow.scopes import How, Part, Scope, Step
from react_migrate.flow.values import (
    NOTHING,
    Class,
    Function,
    Library,
    ModuleValue,
    Other,
    Unknown,
    Values,
    one,
    union,
    via,
)

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator
    from react_migrate.flow.program import AnalysedFile


_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "anext", "aiter"}


def lookup(flow: Evaluator, node: ast.Name, frame: Frame) -> Values:
    """What a name holds at this very place: the definitions that reach it, in its own scope."""
    scope = frame.scope
    if node.id in scope.bound and node.id not in scope.writers:
        reaching = frame.file.reaching(scope)
        if scope.is_comprehension:
            return _all(flow, reaching.everywhere.get(node.id, []), frame)
        found = reaching.loads.get(node, ())
        if found or not (scope.is_class or scope.is_module):
            return _all(flow, found, frame)
        if scope.is_class and frame.parent is not None:  # `agent = agent`: of the code around, so far
            return anywhere(flow, node.id, _around_class(frame))
    elif scope.is_comprehension and frame.parent is not None:
        return lookup(flow, node, frame.parent)
    return anywhere(flow, node.id, frame)


def anywhere(flow: Evaluator, name: str, frame: Frame) -> Values:
    """What a name may hold at some time, as code that runs later sees it."""
    scope = frame.scope
    home = scope.elsewhere.get(name)
    if home is not None:
        return anywhere(flow, name, _frame_of(home, frame))
    if name in scope.bound:
        return flow.ask(("name", name, frame), lambda: _bound(flow, name, frame))
    if scope.is_module:
        return from_outside(flow, name, frame.file)
    return anywhere(flow, name, _around_class(frame))


def _around_class(frame: Frame) -> Frame:
    """Where a name that a frame does not bind is looked up: class bodies cannot be seen from inside."""
    parent = frame.parent
    while parent is not None and parent.scope.is_class:
        parent = parent.parent
    return parent if parent is not None else module_of(frame)


def _frame_of(scope: Scope, frame: Frame) -> Frame:
    current: Frame | None = frame
    while current is not None and current.scope is not scope:
        current = current.parent
    return current if current is not None else module_of(frame)


def _bound(flow: Evaluator, name: str, frame: Frame) -> Values:
    scope = frame.scope
    own = _all(flow, frame.file.reaching(scope).everywhere.get(name, []), frame)
    written = []
    for writer in scope.writers.get(name, ()):
        inner = flow.frames.general(writer)
        written.append(_all(flow, frame.file.reaching(writer).everywhere.get(name, []), inner))
    return own | union(written)


def of_module(flow: Evaluator, file: AnalysedFile, name: str) -> Values:
    """The attribute `name` of a module of the project."""
    frame = flow.frames.general(file.scope)
    if name in file.scope.bound:
        return anywhere(flow, name, frame)
    child = flow.program.modules.child(file.path, name)
    if child is not None:
        return module_at(flow, child, None)
    if _stars_bring(flow, name, file):
        return _from_stars(flow, name, file)
    if "__getattr__" in file.scope.bound:
        made = (calls.apply(flow, value, Binding(None)) for value in anywhere(flow, "__getattr__", frame))
        return union(made) | one(Unknown(f"`{name}` is made on demand by `__getattr__` of its module"))
    return one(Unknown(f"its module has no `{name}` that is seen"))


def from_outside(flow: Evaluator, name: str, file: AnalysedFile) -> Values:
    """A name that the module does not bind: star imports, then builtins."""
    if _stars_bring(flow, name, file):
        return _from_stars(flow, name, file)
    if name in _BUILTINS:
        return one(Library(f"builtins.{name}"))
    return one(Unknown(f"`{name}` is bound nowhere in its file"))


def _from_stars(flow: Evaluator, name: str, file: AnalysedFile) -> Values:
    def search() -> Values:
        found = NOTHING
        for statement, module in _stars(flow, file):
            if module is not None and _has(flow, name, module):
                found |= of_module(flow, module, name)
            elif module is None and _may_export(statement.module or "", name):
                found |= one(Library(canonical(f"{statement.module}.{name}")))
        return found

    return flow.ask(("star", name, file), search)


def _stars(flow: Evaluator, file: AnalysedFile) -> Iterator[tuple[ast.ImportFrom, AnalysedFile | None]]:
    """The star imports of a module, each with the project's module it means; None for a library's."""
    for statement in file.reaching(file.scope).stars:
        target = _imported_file(flow, file, statement)
        if target is not None:
            module = flow.program.file(target)
            if module is not None:
                yield statement, module
        elif statement.level == 0:
            yield statement, None


def _stars_bring(flow: Evaluator, name: str, file: AnalysedFile, seen: frozenset[Path] = frozenset()) -> bool:
    """Whether a name comes into a module by its star imports.

    It is asked of the code, not of the values, which may be on their way round a circle of imports.
    """
    if file.path in seen:
        return False
    for statement, module in _stars(flow, file):
        if module is None:
            if _may_export(statement.module or "", name):
                return True
        elif _has(flow, name, module, seen | {file.path}):
            return True
    return False


def _has(flow: Evaluator, name: str, file: AnalysedFile, seen: frozenset[Path] = frozenset()) -> bool:
    """Whether a star import of a module brings a name."""
    if name.startswith("_"):
        return False
    return name in file.scope.bound or _stars_bring(flow, name, file, seen)


def _may_export(module: str, name: str) -> bool:
    """Whether a star import of a library could bring this name: only DSPy's own are worth believing."""
    return module.split(".")[0] in {"dspy", "react_shims"} and (name[:1].isupper() or name.islower())


def _all(flow: Evaluator, definitions: list[Definition] | tuple[Definition, ...], frame: Frame) -> Values:
    return union([defined(flow, definition, frame) for definition in definitions])


def defined(flow: Evaluator, definition: Definition, frame: Frame) -> Values:
    """What one definition binds its name to."""
    if definition.scope is not frame.scope:
        frame = flow.frames.general(definition.scope)
    return flow.ask((definition, frame), lambda: _defined(flow, definition, frame))


def _defined(flow: Evaluator, definition: Definition, frame: Frame) -> Values:
    node, how = definition.node, definition.how
    if how is How.IMPORTED:
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        assert definition.alias is not None
        return via(_imported(flow, node, definition.alias, frame.file), frame.file, node, "imported")
    if how is How.FUNCTION:
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        return calls.decorated(flow, one(Function(node, frame)), node, frame)
    if how is How.CLASS:
        assert isinstance(node, ast.ClassDef)
        return one(Class(node, frame))
    if how is How.PARAMETER:
        assert isinstance(node, ast.arg)
        return arguments.parameter(flow, node, frame)
    if how is How.EXCEPTION:
        return one(Other("an exception"))
    if how is How.MATCHED:
        return one(Unknown(f"`{definition.name}` is taken from a pattern"))
    if how is How.AUGMENTED:
        assert isinstance(node, ast.AugAssign)
        before = _all(flow, definition.previous, frame)
        return containers.added(flow, before, flow.values(node.value, frame))
    assert isinstance(node, ast.expr)
    found = bound(flow, how, node, definition.path, frame)
    if how is How.VALUE and isinstance(node, ast.Call):
        return via(found, frame.file, node, f"assigned to `{definition.name}`")
    return found


def bound(flow: Evaluator, how: How, node: ast.expr, path: tuple[Step, ...], frame: Frame) -> Values:
    """What a target gets from an expression, in the way it is bound, along an unpacking path."""
    if how is How.ANNOTATED:
        return hints.instance_of(flow, node, frame)
    values = flow.values(node, frame)
    if how is How.ELEMENT:
        values = containers.elements(flow, values)
    elif how is How.ENTERED:
        values = objects.entered(flow, values, node, frame)
    for step in path:
        if isinstance(step, Part):
            values = patterns.part(flow, values, step, frame)
        else:
            values = containers.at(flow, values, step)
    return values


def _imported(
    flow: Evaluator, node: ast.Import | ast.ImportFrom, alias: ast.alias, file: AnalysedFile
) -> Values:
    if isinstance(node, ast.Import):
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        path = flow.program.resolve(file, name)
        return module_at(flow, path, name)
    target = _imported_file(flow, file, node)
    if target is None:
        package_name = flow.program.resolve(file, f"{node.module}.{alias.name}") if node.level == 0 else None
        if package_name is not None:
            return module_at(flow, package_name, None)
        if node.level:
            return _relative_child(flow, file, node, alias)
        return one(Library(canonical(f"{node.module}.{alias.name}")))
    module = flow.program.file(target)
    if module is None:
        return one(Unknown(f"`{alias.name}` comes from a file that does not parse"))
    # In a package's own `__init__.py` the name is what this very statement binds.
    child = flow.program.modules.child(target, alias.name) if module is file else None
    return module_at(flow, child, None) if child is not None else of_module(flow, module, alias.name)


def _relative_child(flow: Evaluator, file: AnalysedFile, node: ast.ImportFrom, alias: ast.alias) -> Values:
    """`from . import sibling` where the package has no `__init__.py`."""
    dotted = f"{node.module}.{alias.name}" if node.module else alias.name
    path = flow.program.modules.relative(file.path, node.level, dotted)
    return module_at(flow, path, None)


def _imported_file(flow: Evaluator, file: AnalysedFile, node: ast.ImportFrom) -> Path | None:
    if node.level:
        return flow.program.modules.relative(file.path, node.level, node.module or "")
    return flow.program.resolve(file, node.module or "")


def module_at(flow: Evaluator, path: Path | None, name: str | None) -> Values:
    """The module in a file of the project; without a file, the library of that name."""
    if path is None:
        return one(Library(canonical(name))) if name else one(Unknown("a module that is not in the project"))
    file = flow.program.file(path)
    return one(ModuleValue(file)) if file is not None else one(Unknown("a module that does not parse"))
