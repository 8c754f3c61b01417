"""Mutations of a program's statements that do not change what it does: wrapped, moved, split in two files."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from random import Random

from mutate_format import Mutation, first_line, inside_strings, statements

WRAPPERS = [
    "if True:",
    "if 1:\n    pass\nif not 0:",
    "try:\n{}\nfinally:\n    pass",
    "try:\n{}\nexcept ZeroDivisionError:\n    raise",
    "try:\n    pass\nfinally:",
    'with __import__("contextlib").nullcontext():',
    'with __import__("contextlib").nullcontext() as _context, __import__("contextlib").nullcontext():',
    "match 0:\n    case 0:\n    {}",
    "for _ in (0,):",
    "while True:\n{}\n    break",
    "if False:\n    pass\nelif 0:\n    pass\nelse:",
]


def wrap(text: str, random: Random) -> str | None:
    """A statement inside another one."""
    tree = ast.parse(text)
    wrapper = random.choice(WRAPPERS)
    fits = [node for node in blocks(tree, text) if not isinstance(node, (ast.Global, ast.Nonlocal))]
    fits = [node for node in fits if getattr(node, "module", None) != "__future__"]
    if wrapper.startswith(("for", "while")):  # the variable would be an attribute of the class
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        inside = {id(child) for node in classes for child in ast.walk(node)}
        fits = [node for node in fits if id(node) not in inside and not _leaves_loop(node)]
    if not fits:
        return None
    node = random.choice(fits)
    return _replaced(text, node, lambda lines: _wrapped(lines, wrapper, node.col_offset))


def inner_function(text: str, random: Random) -> str | None:
    """A function's body in a function of its own."""
    fits = [n for n in _functions(text) if _can_move_body(n)]
    if not fits:
        return None
    node = random.choice(fits)
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body or body[0].lineno == node.lineno:
        return None
    start, stop = first_line(body[0]) - 1, body[-1].end_lineno or 0
    lines = text.split("\n")
    indent = " " * body[0].col_offset
    moved = _indented(lines, range(start, stop), inside_strings(text))
    name = random.choice(["_inner", "trajectory_of", "run_", node.name])
    lines[start:stop] = [f"{indent}def {name}():", *moved, f"{indent}return {name}()"]
    return "\n".join(lines)


def static_method(text: str, random: Random) -> str | None:
    """A function of the module in a class."""
    fits = [n for n in _functions(text) if n.col_offset == 0 and not n.decorator_list]
    fits = [
        n for n in fits if not any(isinstance(c, ast.Name) and c.id.startswith("__") for c in ast.walk(n))
    ]
    if not fits:
        return None
    node = random.choice(fits)
    kept = inside_strings(text)

    def holder(lines: list[str]) -> list[str]:
        inner = _indented(lines, range(len(lines)), {number - first_line(node) + 1 for number in kept})
        return ["class _Holder:", "    @staticmethod", *inner, "", "", f"{node.name} = _Holder.{node.name}"]

    return _replaced(text, node, holder)


def swapped(text: str, random: Random) -> str | None:
    """Two functions that follow each other, the other way round."""
    tree = ast.parse(text)
    pairs = [
        (one, two)
        for one, two in zip(tree.body, tree.body[1:], strict=False)
        if all(isinstance(n, ast.FunctionDef) and not n.decorator_list for n in (one, two))
        and not _defaults(one) + _defaults(two)
    ]
    if not pairs:
        return None
    one, two = random.choice(pairs)
    lines = text.split("\n")
    start, middle, stop = one.lineno - 1, one.end_lineno or 0, two.end_lineno or 0
    between = lines[middle : two.lineno - 1]
    lines[start:stop] = [*lines[two.lineno - 1 : stop], *between, *lines[start:middle]]
    return "\n".join(lines)


CODE: tuple[Mutation, ...] = (wrap, wrap, inner_function, static_method, swapped)


def split(text: str, random: Random, other: str = "first_half") -> tuple[str, str] | None:
    """Two files of one: the second imports what the first defines. None where the first needs the second."""
    tree = ast.parse(text)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    places = [
        n for n in range(2, len(body)) if _stands_alone(body[:n]) and first_line(body[n]) > _end(body[n - 1])
    ]
    if not places or any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        return None
    place = random.choice(places)
    line = first_line(body[place]) - 1
    lines = text.split("\n")
    names = sorted(_bound(body[:place]))
    whole = f"import {other}\n" + "".join(f"{name} = {other}.{name}\n" for name in names)
    listed = f"from {other} import (\n    {', '.join(names)},  # all of it\n)\n"
    star = f"from {other} import *\n" if not any(name.startswith("_") for name in names) else listed
    imported = random.choice([listed, star, f"from {other} import {', '.join(names)}\n", whole])
    future = [
        node for node in body[:place] if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    head = "".join(f"{ast.unparse(node)}\n" for node in future)
    return "\n".join(lines[:line]), head + imported + "\n\n" + "\n".join(lines[line:])


def blocks(tree: ast.Module, text: str) -> list[ast.stmt]:
    """Statements that have their lines to themselves and may be wrapped."""
    lines = text.split("\n")
    docstrings = {
        id(node.body[0])
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and ast.get_docstring(node) is not None
    }
    own = {(node.lineno, node.col_offset) for node in statements(text)}
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.stmt)
            and (node.lineno, node.col_offset) in own
            and id(node) not in docstrings
        ):
            rest = lines[(node.end_lineno or 0) - 1].encode()[node.end_col_offset :].decode().strip()
            if not rest or rest.startswith("#"):
                found.append(node)
    elifs = {id(n.orelse[0]) for n in ast.walk(tree) if isinstance(n, ast.If) and n.orelse}
    return [node for node in found if id(node) not in elifs]


def _functions(text: str) -> list[ast.FunctionDef]:
    return [node for node in statements(text) if isinstance(node, ast.FunctionDef)]


def _replaced(text: str, node: ast.stmt, make: Callable[[list[str]], list[str]]) -> str:
    lines = text.split("\n")
    start, stop = first_line(node) - 1, node.end_lineno or 0
    kept = {number - start for number in inside_strings(text)}
    block = _Lines(lines[start:stop], kept)
    return "\n".join([*lines[:start], *make(block), *lines[stop:]])


class _Lines(list[str]):
    """Lines of which some begin inside a string and must stay as they are."""

    def __init__(self, lines: list[str], kept: set[int]) -> None:
        super().__init__(lines)
        self.kept = kept


def _wrapped(lines: list[str], wrapper: str, column: int) -> list[str]:
    assert isinstance(lines, _Lines)
    inner = _indented(lines, range(len(lines)), lines.kept)
    if "case" in wrapper:
        inner = _indented(inner, range(len(inner)), lines.kept)
    before, _, after = wrapper.partition("{}")
    indent = " " * column
    top = [indent + line for line in before.rstrip().split("\n")]
    return [*top, *inner, *(indent + line for line in after.strip("\n").split("\n") if line)]


def _indented(lines: list[str], numbers: range, kept: set[int]) -> list[str]:
    return [lines[i] if i + 1 in kept or not lines[i].strip() else "    " + lines[i] for i in numbers]


def _leaves_loop(node: ast.stmt) -> bool:
    return any(isinstance(child, (ast.Break, ast.Continue)) for child in ast.walk(node))


def _can_move_body(node: ast.FunctionDef) -> bool:
    """Not a generator, nothing that belongs to this very function, no parameter that is set again."""
    arguments = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    for child in ast.walk(node):
        if isinstance(child, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.AsyncFunctionDef)):
            return False
        if isinstance(child, ast.Name) and child.id in {"super", "locals", "__class__"}:
            return False
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store) and child.id in arguments:
            return False
    return True


def _defaults(node: ast.stmt) -> list[ast.expr | None]:
    assert isinstance(node, ast.FunctionDef)
    return [*node.args.defaults, *node.args.kw_defaults]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _bound(body: list[ast.stmt]) -> set[str]:
    """The names that these statements of a module bind."""
    found: set[str] = set()
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if getattr(node, "module", None) != "__future__":
                found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            todo += ast.iter_child_nodes(node)
    return found


def _stands_alone(body: list[ast.stmt]) -> bool:
    """Whether these statements use no name that the rest of the module binds, as far as can be told."""
    return _used(body) <= _bound(body) | set(dir(builtins)) | {"__name__", "__file__"} | _inner(body)


def _used(body: Sequence[ast.stmt]) -> set[str]:
    names = [node for node in _nodes(body) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}


def _inner(body: Sequence[ast.stmt]) -> set[str]:
    """Names bound inside functions and comprehensions."""
    names = [node for node in _nodes(body) if isinstance(node, ast.Name)]
    arguments = {node.arg for node in _nodes(body) if isinstance(node, ast.arg)}
    return arguments | {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)
