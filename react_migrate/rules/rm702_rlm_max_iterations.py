"""RM702: `max_iterations=` of `dspy.RLM`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow import classes, objects
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import Class, Container, Instance, Value
from react_migrate.rules.handed_on import hands_on_to_rlm
from react_migrate.rules.rlm import called_like_a_class, is_rlm, makes_rlm
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    import libcst as cst

    from react_migrate.edit import Names
    from react_migrate.flow import AnalysedFile

OLD, NEW = "max_iterations", "max_iters"


class RlmMaxIterations(Rule):
    """RM702 rlm-max-iterations.

    `dspy.RLM(max_iterations=...)` is the spelling up to DSPy 3.2; from 3.3 on the parameter and the
    attribute are called `max_iters`. The old parameter raises TypeError, reading the old attribute
    AttributeError, and assigning it changes nothing.

    The fix renames it wherever it is proven to reach an RLM: in calls of the class, of subclasses, of
    `functools.partial`, and of functions that do nothing with their `**kwargs` but hand them on.

    Fix safety: safe on DSPy 3.3 and later. A dict that is spread into the call (`RLM(**{...})`) is reported
    where the key is written, and left.
    """

    code = "RM702"
    summary = "dspy.RLM(max_iterations=...) is max_iters from DSPy 3.3 on"
    fix = Fix.SAFE
    triggers = (b"max_iterations", b"RLM")
    examples = (
        Example(
            'import dspy\n\nrlm = dspy.RLM("doc -> a", max_iterations=5)\n',
            'import dspy\n\nrlm = dspy.RLM("doc -> a", max_iters=5)\n',
        ),
        Example(
            """\
import dspy


def reader(**options):
    return dspy.RLM("doc -> a", **options)


print(reader(max_iterations=5).max_iterations)
""",
            """\
import dspy


def reader(**options):
    return dspy.RLM("doc -> a", **options)


print(reader(max_iters=5).max_iters)
""",
        ),
        Example('import dspy\n\nlimits = {"max_iterations": 5}\nrlm = dspy.RLM("doc -> a", **limits)\n'),
        Example("solve(max_iterations=5)\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        if not file.within_reach_of_rlm:
            return
        message = "`max_iterations` of `dspy.RLM` is `max_iters` from DSPy 3.3 on"
        for call, scope in file.index.keywords.get(OLD, ()):
            fix = self.fix if makes_rlm(file, call, scope) else hands_on_to_rlm(file, call, scope, OLD)
            if fix is not None:
                span = file.span(next(k for k in call.keywords if k.arg == OLD))
                edits = (Edit(span, "Arg", _renamed),) if fix is self.fix else ()
                yield Finding(self.code, span, message, fix, edits)
        for attribute, scope in file.index.attributes.get(OLD, ()):
            values = file.values(attribute.value, scope)
            if values and all(_has_rlms_own(file, value) for value in values):
                span = file.span(attribute)
                edit = Edit(span, "Attribute", _attribute_renamed)
                yield Finding(self.code, span, message, self.fix, (edit,))
        for place, where in _spread(file):
            yield Finding(self.code, file.span(place), f"{message}{where}", Fix.MANUAL)


def _has_rlms_own(file: AnalysedFile, value: Value) -> bool:
    """Whether the attribute is the one that RLM sets, and not one of a subclass's own."""
    if not is_rlm(file, value) or not isinstance(value, Instance):
        return False
    above = classes.lineage(file.program.flow, value.cls) if isinstance(value.cls, Class) else ()
    return not any(classes.definitions(cls, OLD) or objects.is_stored(cls, OLD) for cls in above)


# -- dicts that are spread into the call


def _spread(file: AnalysedFile) -> Iterator[tuple[ast.expr, str]]:
    """Where the key is written in a dict that is spread into an RLM; of a dict from another file, where it is
    spread, and in words where the key is."""
    seen: set[ast.AST] = set()
    for call, scope in file.index.all_calls:
        spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
        plain = [
            place for value in spread for node in _made_here(file, value, scope) for place in _keys(node)
        ]
        if not spread or not (plain or called_like_a_class(call)) or not makes_rlm(file, call, scope):
            continue
        for value in spread:
            for home, place in _places(file, value, scope):
                if place not in seen:
                    seen.add(place)
                    there = f": it is in the dict from {home.path.name}, {home.where(place.lineno)}"
                    yield (place, "") if home is file else (value, there)


def _places(file: AnalysedFile, value: ast.expr, scope: Scope) -> Iterator[tuple[AnalysedFile, ast.expr]]:
    """Where the keys of a dict are called `max_iterations`, however it is made or added to."""
    made = {held.node: held.frame.file for held in file.values(value, scope) if isinstance(held, Container)}
    made.update((node, file) for node in _made_here(file, value, scope))
    for node, home in made.items():
        yield from ((home, place) for place in _keys(node))
    for store in file.index.item_stores:
        if isinstance(store.target, ast.Subscript) and _is_old(store.target.slice):
            dicts = file.values(store.target.value, store.scope)
            if any(isinstance(held, Container) and held.node in made for held in dicts):
                yield file, store.target


def _made_here(file: AnalysedFile, value: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """The expression itself, and what a name stands for in the same function."""
    yield value
    if isinstance(value, ast.Name):
        definitions = file.reaching(scope.owner()).loads.get(value, ())
        yield from (definition.node for definition in definitions if isinstance(definition.node, ast.expr))


def _keys(node: ast.expr) -> Iterator[ast.expr]:
    """Where a dict display, or a call of `dict`, says `max_iterations`."""
    if isinstance(node, ast.Dict):
        yield from (key for key in node.keys if key is not None and _is_old(key))
    elif isinstance(node, ast.Call) and terminal(node.func) == "dict":
        yield from (node for keyword in node.keywords if keyword.arg == OLD)


def _is_old(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == OLD


def _renamed(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    return cst.ensure_type(node, cst.Arg).with_changes(keyword=cst.Name(NEW))


def _attribute_renamed(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    import libcst as cst

    return cst.ensure_type(node, cst.Attribute).with_changes(attr=cst.Name(NEW))
