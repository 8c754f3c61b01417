"""What rules ask about an expression besides reads: is it a ReAct or RLM prediction, is it an agent?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from react_migrate.flow import Verdict, judge
from react_migrate.flow.classes import library_root
from react_migrate.flow.known import REACT, RLM
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Class, Instance, Library

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


def is_prediction(file: AnalysedFile, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is known to hold the prediction of a ReAct agent, at least on some ways to it."""
    return file.within_reach and _points_to(file, node, scope, REACT)


def is_rlms_prediction(file: AnalysedFile, node: ast.expr, scope: Scope) -> bool:
    """The same of an RLM, and never of a ReAct agent."""
    if not file.within_reach_of_rlm:
        return False
    return _points_to(file, node, scope, RLM) and not _points_to(file, node, scope, REACT)


def _points_to(file: AnalysedFile, node: ast.expr, scope: Scope, kind: frozenset[str]) -> bool:
    return judge(file.values(node, scope), kind).verdict in {Verdict.PROVEN, Verdict.MIXED}


def is_agent(file: AnalysedFile, node: ast.expr, scope: Scope, *, or_class: bool = False) -> bool:
    """Whether an expression may hold a ReAct agent (or, with `or_class`, a class of such)."""
    for value in file.values(node, scope):
        cls = value.cls if isinstance(value, Instance) else value if or_class else None
        if isinstance(cls, Library) and cls.path in REACT:
            return True
        if isinstance(cls, Class) and library_root(file.program.flow, cls) in REACT:
            return True
    return False
