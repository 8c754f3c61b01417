"""Methods of agents, or of the class, that are replaced from outside: assigned, `setattr`, `mock.patch`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.flow.known import RUN_METHODS
from react_migrate.flow.scopes import Scope, terminal
from react_migrate.flow.values import Unknown
from react_migrate.rules.predictions import is_agent

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_OF_V1 = r"dspy(\.predict(\.react)?)?\.ReAct\."


def replaced(file: AnalysedFile, name: str) -> Iterator[ast.expr]:
    """The places where the method `name` is replaced in something that may be an agent or its class."""
    for store in file.index.attribute_stores.get(name, ()):
        assert isinstance(store.target, ast.Attribute)
        if _may_be_agent(file, store.target.value, store.scope, name):
            yield store.target
    for string, scope in file.index.strings.get(name, ()):
        call = file.parents.get(string)
        if not isinstance(call, ast.Call) or terminal(call.func) != "object" or len(call.args) < 2:
            continue
        if call.args[1] is string and _may_be_agent(file, call.args[0], scope, name):
            yield call
    dotted = re.compile(_OF_V1 + re.escape(name))
    for text, found in file.index.strings.items():
        if dotted.fullmatch(text):
            yield from (string for string, _ in found if isinstance(file.parents.get(string), ast.Call))


def _may_be_agent(file: AnalysedFile, node: ast.expr, scope: Scope, name: str) -> bool:
    """Names that only V1 has speak for themselves where nothing is known of what they are put in."""
    if is_agent(file, node, scope, or_class=True):
        return True
    tells = name not in RUN_METHODS and "dspy" in file.text
    return tells and any(isinstance(value, Unknown) for value in file.values(node, scope))
