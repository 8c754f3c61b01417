"""The fields of a DSPy signature: of a string, a class, `dspy.Signature(...)`, what `append` adds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_migrate.flow import classes
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import Class, Container, Instance, Library, Text, Value

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

SIGNATURE = "dspy.Signature"
_ADDING = {"append": 0, "prepend": 0, "insert": 1}  # methods of a signature, by where they take the name
_METHODS = frozenset((*_ADDING, "with_instructions", "with_updated_fields", "delete"))
_MARKERS = {"InputField": True, "OldInputField": True, "OutputField": False, "OldOutputField": False}


@dataclass(frozen=True)
class SignatureField:
    """One field, and where it is written."""

    name: str
    is_input: bool
    file: AnalysedFile
    node: ast.expr | ast.stmt


def fields(file: AnalysedFile, node: ast.expr, scope: Scope) -> set[SignatureField]:
    """The fields that the signature an expression stands for may have, as far as they are known; none that
    was deleted on some way there."""
    found: set[SignatureField] = set()
    deleted: set[object] = set()
    todo, seen = [node], {node}
    for expression in todo:  # it grows as it is walked
        found.update(field for value in file.values(expression, scope) for field in _of_value(value))
        found.update(_added(file, expression))
        deleted.update(_deleted(expression))
        for other in _made_from(file, expression, scope):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return {field for field in found if field.name not in deleted}


def parsed(text: str) -> tuple[list[str], list[str]] | None:
    """The names of the inputs and outputs in a signature's text; None where DSPy would not take it."""
    sides = text.split("->")
    if len(sides) != 2:
        return None
    try:
        heads = [ast.parse(f"def f({side}): pass").body[0] for side in sides]
    except (SyntaxError, ValueError):
        return None
    inputs, outputs = (
        [arg.arg for arg in head.args.args] for head in heads if isinstance(head, ast.FunctionDef)
    )
    return inputs, outputs


def is_signature_class(file: AnalysedFile, node: ast.ClassDef, scope: Scope) -> bool:
    """Whether a class of the project derives from `dspy.Signature`."""
    cls = Class(node, file.program.flow.frames.general(scope))
    return bool(node.bases) and SIGNATURE in classes.library_roots(file.program.flow, cls)


def fields_of_class(cls: Class) -> Iterator[SignatureField]:
    """The fields that a class's own body declares."""
    for statement in cls.node.body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        is_input = _is_input(statement.value)
        for target in statement.targets if isinstance(statement, ast.Assign) else (statement.target,):
            if isinstance(target, ast.Name) and is_input is not None:
                yield SignatureField(target.id, is_input, cls.frame.file, statement)


def _of_value(value: Value) -> Iterator[SignatureField]:
    if isinstance(value, Text):
        yield from _of_text(value.file, value.node)
    elif isinstance(value, Class):
        flow = value.frame.file.program.flow
        if SIGNATURE in classes.library_roots(flow, value):
            yield from _nearest(
                field for cls in classes.lineage(flow, value) for field in fields_of_class(cls)
            )
    elif isinstance(value, Container):
        yield from _of_dict(value.frame.file, value.node)
    elif isinstance(value, Instance) and value.cls == Library(SIGNATURE) and value.made is not None:
        made = value.made
        arguments = [*made.node.args[:1], *(k.value for k in made.node.keywords if k.arg == "signature")]
        for argument in arguments:
            for inner in made.frame.file.program.values(argument, made.frame):
                yield from _of_value(inner)


def _nearest(found: Iterable[SignatureField]) -> Iterator[SignatureField]:
    seen: set[str] = set()
    for field in found:
        if field.name not in seen:
            seen.add(field.name)
            yield field


def _of_text(file: AnalysedFile, node: ast.Constant) -> Iterator[SignatureField]:
    assert isinstance(node.value, str)
    for names, is_input in zip(parsed(node.value) or (), (True, False), strict=False):
        yield from (SignatureField(name, is_input, file, node) for name in names)


def _of_dict(file: AnalysedFile, node: ast.expr) -> Iterator[SignatureField]:
    """`{"doc": (str, dspy.InputField())}` and `{"doc": dspy.InputField()}`."""
    if not isinstance(node, ast.Dict):
        return
    for key, value in zip(node.keys, node.values, strict=True):
        last = value.elts[-1] if isinstance(value, ast.Tuple) and value.elts else value
        is_input = _is_input(last)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and is_input is not None:
            yield SignatureField(key.value, is_input, file, key)


def _made_from(file: AnalysedFile, node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What a name stands for in the same scope, and the signature that a method makes another of."""
    if isinstance(node, ast.Name):
        definitions = file.reaching(scope.owner()).loads.get(node, ())
        yield from (one.node for one in definitions if isinstance(one.node, ast.expr))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        yield node.func.value


def _added(file: AnalysedFile, node: ast.expr) -> Iterator[SignatureField]:
    """The field of `Signature.append("name", dspy.InputField())`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    position = _ADDING.get(node.func.attr)
    if position is not None and position < len(node.args) - 1:
        name, marker = node.args[position], node.args[position + 1]
        is_input = _is_input(marker)
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and is_input is not None:
            yield SignatureField(name.value, is_input, file, name)


def _deleted(node: ast.expr) -> Iterator[object]:
    """The name in `Signature.delete("name")`."""
    if isinstance(node, ast.Call) and terminal(node.func) == "delete":
        yield from (one.value for one in node.args if isinstance(one, ast.Constant))


def _is_input(marker: ast.expr | None) -> bool | None:
    """True of `dspy.InputField(...)`, False of `dspy.OutputField(...)`, None of anything else."""
    return _MARKERS.get(terminal(marker.func) or "") if isinstance(marker, ast.Call) else None
