"""What may this expression hold? The question, and how answers that depend on each other are found.

An answer is computed when it is asked for. When questions go in a circle (a loop, a recursive function)
the first round answers with what is known so far, and rounds are repeated until nothing new appears.
Answers only grow, so the result is the same whatever is asked first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from react_migrate.flow import attributes, calls, containers, names
from react_migrate.flow.frames import Frame, Frames
from react_migrate.flow.values import (
    NOTHING,
    Container,
    Function,
    NoValue,
    Other,
    Text,
    Unknown,
    Values,
    one,
    opened,
    union,
    widened,
)

if TYPE_CHECKING:
    from react_migrate.flow.program import Program
    from react_migrate.flow.scopes import Scope
    from react_migrate.flow.uses import Reference

_MAX_ROUNDS = 25
_MAX_WORK = 400_000  # answers computed for one question from outside


class Evaluator:
    """Answers, remembered."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.frames = Frames()
        self.candidates: dict[ast.AST, list[tuple[ast.Call, Scope]]] = {}  # of callers.py: calls by name
        self.references: dict[ast.AST, list[Reference]] = {}  # of uses.py: a function's name, not called
        self._settled: dict[Hashable, Values] = {}
        self._guesses: dict[Hashable, Values] = {}
        self._asking: dict[Hashable, int] = {}  # questions being answered, by their depth
        self._this_round: dict[Hashable, int] = {}  # provisional answers, by the depth they depend on
        self._lowest = _NO_DEPTH  # the outermost open question that the last answer hung on
        self._growth = 0  # how often any guess grew
        self._work = 0

    # -- expressions

    def values(self, node: ast.expr, frame: Frame) -> Values:
        """What the expression may hold when the frame runs it."""
        method = _EXPRESSIONS.get(type(node))
        if method is None:
            return one(Other("the result of an expression"))
        if type(node) in _CHEAP:
            return method(self, node, frame)
        return self.ask((node, frame), lambda: method(self, node, frame))

    def name(self, node: ast.Name, frame: Frame) -> Values:
        return names.lookup(self, node, frame)

    def attribute(self, node: ast.Attribute, frame: Frame) -> Values:
        return attributes.of_all(self, self.values(node.value, frame), node.attr, node, frame)

    def call(self, node: ast.Call, frame: Frame) -> Values:
        return calls.call(self, node, frame)

    def subscript(self, node: ast.Subscript, frame: Frame) -> Values:
        return containers.subscript(self, self.values(node.value, frame), node, frame)

    def container(self, node: ast.expr, frame: Frame) -> Values:
        return one(Container(node, frame))

    def function(self, node: ast.Lambda, frame: Frame) -> Values:
        return one(Function(node, frame))

    def constant(self, node: ast.Constant, frame: Frame) -> Values:
        if isinstance(node.value, str) and "->" in node.value:
            return one(Text("a constant", node, frame.file))
        return one(NoValue()) if node.value is None else one(Other("a constant"))

    def inner(self, node: ast.Starred | ast.NamedExpr, frame: Frame) -> Values:
        return self.values(node.value, frame)

    def awaited(self, node: ast.Await, frame: Frame) -> Values:
        """Calling an `async def` is taken to give what it returns; only futures are opened here."""
        return opened(self.values(node.value, frame))

    def choice(self, node: ast.IfExp, frame: Frame) -> Values:
        return self.values(node.body, frame) | self.values(node.orelse, frame)

    def bool_op(self, node: ast.BoolOp, frame: Frame) -> Values:
        if isinstance(node.op, ast.And):
            return self.values(node.values[-1], frame)
        return union([self.values(value, frame) for value in node.values])

    def bin_op(self, node: ast.BinOp, frame: Frame) -> Values:
        return containers.added(self, self.values(node.left, frame), self.values(node.right, frame))

    def yielded(self, node: ast.Yield, frame: Frame) -> Values:
        return one(Unknown("what a generator is sent"))

    # -- answers

    def ask(self, question: Hashable, compute: Callable[[], Values]) -> Values:
        """The answer to a question, computed once; in a circle, what is known of it so far."""
        settled = self._settled.get(question)
        if settled is not None:
            return settled
        depth = self._asking.get(question)
        if depth is not None:
            self._lowest = min(self._lowest, depth)
            return self._guesses.get(question, NOTHING)
        provisional = self._this_round.get(question)
        if provisional is not None:
            self._lowest = min(self._lowest, provisional)
            return self._guesses[question]
        return self._answer(question, compute)

    def _answer(self, question: Hashable, compute: Callable[[], Values]) -> Values:
        depth = len(self._asking)
        if depth == 0:
            self._work = 0
        self._work += 1
        if self._work > _MAX_WORK:
            return _TOO_INTRICATE
        if depth == 0:
            try:
                return self._answer_at(0, question, compute)
            except RecursionError:
                self._start_afresh()
                return _TOO_INTRICATE
        return self._answer_at(depth, question, compute)

    def _answer_at(self, depth: int, question: Hashable, compute: Callable[[], Values]) -> Values:
        outer = self._lowest
        mark = len(self._this_round)
        self._asking[question] = depth
        try:
            answer = self._rounds(question, compute, depth, mark)
        finally:
            del self._asking[question]
        if self._lowest >= depth:
            self._settle(question, answer, mark)
        else:
            self._this_round[question] = self._lowest
        self._lowest = min(outer, self._lowest) if self._lowest < depth else outer
        return answer

    def _start_afresh(self) -> None:
        """Forget what is not settled: the questions led too deep to be answered."""
        self._guesses.clear()
        self._asking.clear()
        self._this_round.clear()
        self._lowest = _NO_DEPTH

    def _rounds(self, question: Hashable, compute: Callable[[], Values], depth: int, mark: int) -> Values:
        """Compute until a round brings nothing new anywhere; one round where there is no circle."""
        for _ in range(_MAX_ROUNDS):
            self._lowest = _NO_DEPTH
            growth = self._growth
            before = self._guesses.get(question, NOTHING)
            answer = self._guesses[question] = widened(before | compute())
            self._growth += answer != before
            if self._lowest != depth or self._growth == growth:
                return answer  # an outer question of the circle sees to the rounds, or all is known
            self._take_since(mark)
        return answer | _TOO_INTRICATE

    def _take_since(self, mark: int) -> list[Hashable]:
        """The questions answered provisionally since a mark; they are open again."""
        return [self._this_round.popitem()[0] for _ in range(len(self._this_round) - mark)]

    def _settle(self, question: Hashable, answer: Values, mark: int) -> None:
        for other in self._take_since(mark):
            self._settled[other] = self._guesses.pop(other)
        self._guesses.pop(question, None)
        self._settled[question] = answer


_NO_DEPTH = 1 << 60
_TOO_INTRICATE = one(Unknown("the code around it is too intricate to follow"))
_CHEAP = frozenset((ast.Constant, ast.Lambda, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Await, ast.Starred))
_EXPRESSIONS: dict[type[ast.expr], Callable[..., Values]] = {
    ast.Name: Evaluator.name,
    ast.Attribute: Evaluator.attribute,
    ast.Call: Evaluator.call,
    ast.Subscript: Evaluator.subscript,
    ast.List: Evaluator.container,
    ast.Tuple: Evaluator.container,
    ast.Set: Evaluator.container,
    ast.Dict: Evaluator.container,
    ast.ListComp: Evaluator.container,
    ast.SetComp: Evaluator.container,
    ast.DictComp: Evaluator.container,
    ast.GeneratorExp: Evaluator.container,
    ast.Lambda: Evaluator.function,
    ast.Constant: Evaluator.constant,
    ast.Await: Evaluator.awaited,
    ast.Starred: Evaluator.inner,
    ast.NamedExpr: Evaluator.inner,
    ast.IfExp: Evaluator.choice,
    ast.BoolOp: Evaluator.bool_op,
    ast.BinOp: Evaluator.bin_op,
    ast.Yield: Evaluator.yielded,
}
