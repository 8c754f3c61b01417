"""Where names are bound: scopes, and the ways a name or another target gets its value."""

from __future__ import annotations

import ast
import enum
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from react_migrate.flow.program import AnalysedFile

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


ScopeNode = ast.Module | ast.ClassDef | FunctionNode | Comprehension


STAR = -1  # in an unpacking path: the rest, a list


@dataclass(frozen=True)
class Part:
    """What a pattern takes out of its subject: of an object of `cls` the attribute `key`, by name or by its
    place among the fields; without `cls`, of a mapping the item `key`, of a sequence that at a position."""

    key: str | int
    cls: ast.expr | None = None


Step = int | Part
"""Of an unpacking path: a position, or a part."""


class How(enum.Enum):
    """What a target is bound to, given the expression or statement that binds it."""

    VALUE = "the value of the expression"
    ELEMENT = "an element of the expression"
    ENTERED = "what the context manager gives"
    AUGMENTED = "the old value and the new one together"
    IMPORTED = "what the import statement brings"
    FUNCTION = "the function"
    CLASS = "the class"
    PARAMETER = "the argument"
    ANNOTATED = "no value yet, but a type"
    EXCEPTION = "the exception caught"
    MATCHED = "a part of the subject"


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension: where names are bound."""

    file: AnalysedFile
    node: ScopeNode
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    elsewhere: dict[str, Scope] = field(default_factory=dict)  # names declared global or nonlocal
    writers: dict[str, list[Scope]] = field(
        default_factory=lambda: defaultdict(list)
    )  # inner scopes that rebind
    returns: list[ast.Return] = field(default_factory=list)
    yields: list[ast.Yield | ast.YieldFrom] = field(default_factory=list)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_module(self) -> bool:
        return isinstance(self.node, ast.Module)

    @property
    def is_comprehension(self) -> bool:
        return isinstance(self.node, COMPREHENSIONS)

    def owner(self) -> Scope:
        """The body that runs this code: itself, or what a comprehension stands in."""
        scope = self
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        return scope

    def enclosing(self) -> Scope | None:
        """Where a name that is not bound here is looked up: class bodies cannot be seen from inside."""
        scope = self.parent
        while scope is not None and scope.is_class:
            scope = scope.parent
        return scope


def home_of(name: str, scope: Scope) -> Scope | None:
    """The scope whose variable a name means where it is read in another one; None if it is nobody's."""
    home: Scope | None = scope
    while home is not None and name not in home.bound:
        home = home.elsewhere.get(name) or home.enclosing()
    return home


def terminal(node: ast.AST) -> str | None:
    """The last name of a dotted expression: `g` of `f.g`, `f` of `f`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return None


def paired(target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.expr] | None:
    """The expressions of `a, b = x, y` one by one, where both sides are written out."""
    if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(target.elts):
        return None
    if any(isinstance(element, ast.Starred) for element in (*target.elts, *value.elts)):
        return None
    return value.elts


def bound_by_import(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """`import a.b` binds `a`; `from m import a` binds `a`."""
    return alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name


def parameters(args: ast.arguments) -> list[ast.arg]:
    """Every parameter of a signature, `*args` and `**kwargs` included."""
    star = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *star]
