"""What one file calls the names of `react_shims`, and which of them it still has to import."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from react_migrate.edit.scopes import bindings, local_name, uses

PACKAGE = "react_shims"
# What react_shims cannot give without importing DSPy.
_NEED_DSPY = frozenset({"ReAct", "ReActV2", "TruncationHook"})


@dataclass
class Shims:
    """The bookkeeping behind `Names`, for one file.

    `wanted` maps (export, local name) of the names to import at module level to the first line that needs
    them; `package` is the first line that needs the package itself; `moved` are the local names that import
    statements bound before and still have to bind.

    Where DSPy is only imported in functions, under conditions or for type checkers, it may be missing when
    the module is imported, or is meant to be imported late. There the names that need it are written
    `react_shims.ReAct`, for `import react_shims` does without DSPy until the name is asked for.
    """

    tree: ast.Module
    wanted: dict[tuple[str, str], int] = field(default_factory=dict)
    package: int | None = None
    moved: set[str] = field(default_factory=set)
    comments: list[cst.Comment] = field(default_factory=list)  # what stood beside the moved names
    _bound: Counter[str] = field(init=False)
    _taken: set[str] = field(init=False)
    _imported: list[tuple[int, str, str]] = field(init=False)
    _scoped: list[tuple[range, str, str]] = field(default_factory=list)
    _renamed: set[tuple[str, str]] = field(default_factory=set)
    _chosen: dict[str, str] = field(default_factory=dict)
    _late: bool = field(init=False)  # DSPy may not be there when the module is imported

    def __post_init__(self) -> None:
        self._late = _imports_dspy_late(self.tree)
        self._bound = bindings(self.tree)
        self._imported = list(_imports(self.tree))
        ours = Counter(local for _, _, local in self._imported)
        self._taken = {name for name, times in self._bound.items() if times > ours[name]}
        self._taken |= {
            name for name in uses(self.tree) if name not in self._bound
        }  # a star import's, or nobody's

    def spelled(self, export: str, line: int, instead_of: frozenset[str]) -> str:
        """How to write `export` on `line` for the names `instead_of`; asks for its import if need be."""
        if any((export, name) in self._renamed for name in instead_of):
            return self.local(export)
        for lines, name, local in self._scoped:
            if name == export and line in lines:
                return local
        for end, name, local in self._imported:
            if end < line and local not in self._taken:
                if name == export:
                    return local
                if name == PACKAGE:
                    return f"{local}.{export}"
        if export in _NEED_DSPY and self._late and PACKAGE not in self._taken:
            self.package = min(line, self.package or line)
            return f"{PACKAGE}.{export}"
        local = self.local(export)
        self.want(export, local, line)
        return local

    def want(self, export: str, local: str, line: int) -> None:
        """Import `export` as `local` at module level, above `line`."""
        self.wanted[export, local] = min(line, self.wanted.get((export, local), line))

    def renamed(self, export: str, name: str) -> None:
        """Where the module imported `name`, it imports `export` now: what used the one can use the other."""
        self._renamed.add((export, name))

    def scoped(self, export: str, local: str, lines: range) -> None:
        """`export` is imported as `local` inside a function, for these lines of it."""
        self._scoped.append((lines, export, local))

    def local(self, export: str) -> str:
        """The name this file uses for `export`: its own, or an alias where that means something else here."""
        if export not in self._chosen:
            other = {local for _, name, local in self._imported if name != export} | set(
                self._chosen.values()
            )
            free = (name for name in _candidates(export) if name not in self._taken and name not in other)
            self._chosen[export] = next(free)
        return self._chosen[export]


def _candidates(export: str) -> Iterator[str]:
    yield export
    alias = f"Shim{export}" if export[0].isupper() else f"react_{export}"
    yield alias
    number = 2
    while True:
        yield f"{alias}_{number}"
        number += 1


def _imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Imports of react_shims at module level: (last line, export, local name); the package as PACKAGE."""
    for statement in tree.body:
        end = getattr(statement, "end_lineno", 0)
        if isinstance(statement, ast.ImportFrom) and statement.module == PACKAGE and not statement.level:
            yield from ((end, alias.name, local_name(statement, alias)) for alias in statement.names)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == PACKAGE:
                    yield end, PACKAGE, local_name(statement, alias)


def _imports_dspy_late(tree: ast.Module) -> bool:
    """Whether the module imports DSPy, and never as a plain statement of its own."""
    late = [node for node in ast.walk(tree) if _is_import_of_dspy(node)]
    return bool(late) and not any(_is_import_of_dspy(statement) for statement in tree.body)


def _is_import_of_dspy(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").partition(".")[0] == "dspy"
    return isinstance(node, ast.Import) and any(a.name.partition(".")[0] == "dspy" for a in node.names)


@dataclass(frozen=True)
class Names:
    """What a rule calls to name things of `react_shims` at one place of a file."""

    _shims: Shims
    _line: int
    _instead_of: frozenset[str] = frozenset()  # the names that the edited code consists of

    def shim(self, export: str) -> str:
        """What means `react_shims.<export>` here: `trajectory_of`, an alias, or `react_shims.trajectory_of`.

        The import is added when the file has none that can be used; an import that is not used after all
        edits goes again.
        """
        return self._shims.spelled(export, self._line, self._instead_of)

    def node(self, export: str) -> cst.BaseExpression:
        """The same as a libcst node."""
        first, *rest = self.shim(export).split(".")
        node: cst.BaseExpression = cst.Name(first)
        for name in rest:
            node = cst.Attribute(node, cst.Name(name))
        return node
