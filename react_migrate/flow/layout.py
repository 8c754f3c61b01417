"""The arguments of a call, laid out by position and keyword.

Most calls are looked at for the sake of one parameter, so an argument is evaluated when it is asked for.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from react_migrate.flow import containers
from react_migrate.flow.frames import Binding, Frame
from react_migrate.flow.values import NOTHING, Container, Items, Value, Values, one, union

if TYPE_CHECKING:
    from react_migrate.flow.evaluate import Evaluator

Passed = Values | tuple[ast.expr, Frame]


@dataclass
class Layout:
    """What a call passes. Of `*spread` that is no written-out list, nobody knows where its elements go, nor
    those of what comes after it: these are `more_positional`. `more_named` are the values of `**spread` with
    keys that are not known. Both are None where there are none."""

    flow: Evaluator
    _positional: list[Passed] = field(default_factory=list)
    _anywhere: list[Passed] | None = None
    _named: dict[str, Passed] = field(default_factory=dict)
    _spread: list[tuple[ast.expr, Frame]] = field(default_factory=list)

    @property
    def positional(self) -> list[Values]:
        """All arguments whose positions are known."""
        return self.since(0)

    def since(self, position: int) -> list[Values]:
        """Those at a position and after it."""
        return [self._values(passed) for passed in self._positional[position:]]

    @property
    def more_positional(self) -> Values | None:
        """What may stand at any later position."""
        return None if self._anywhere is None else union([self._values(passed) for passed in self._anywhere])

    @property
    def named(self) -> dict[str, Values]:
        """All arguments whose keywords are known."""
        return {
            **self._from_spread[0],
            **{name: self._values(passed) for name, passed in self._named.items()},
        }

    @property
    def more_named(self) -> Values | None:
        """What may be given for any other keyword."""
        return self._from_spread[1]

    def at(self, position: int) -> Values | None:
        """The argument at a position, if it is known which one that is."""
        return self._values(self._positional[position]) if position < len(self._positional) else None

    def by_keyword(self, name: str) -> Values | None:
        """The argument with a keyword, if one is known to have it."""
        return self._values(self._named[name]) if name in self._named else self._from_spread[0].get(name)

    def add(self, args: list[ast.expr], keywords: list[ast.keyword], frame: Frame) -> None:
        """Take in what a call in a frame passes, after what is there already."""
        for argument in args:
            if not isinstance(argument, ast.Starred):
                self._add_positional((argument, frame))
                continue
            spread = self.flow.values(argument.value, frame)
            fixed = [containers.laid_out(self.flow, value) for value in spread]
            if len(fixed) == 1 and fixed[0] is not None and self._anywhere is None:
                self._positional.extend(fixed[0])
            else:
                self._anywhere = [*(self._anywhere or ()), containers.elements(self.flow, spread)]
        for keyword in keywords:
            if keyword.arg is None:
                self._spread.append((keyword.value, frame))
            else:
                self._named[keyword.arg] = (keyword.value, frame)

    def add_elements(self, args: list[ast.expr], frame: Frame) -> None:
        """Take in the elements of what a call passes, as `map(f, xs, ys)` hands them to `f`."""
        for argument in args:
            self._positional.append(containers.elements(self.flow, self.flow.values(argument, frame)))

    def _add_positional(self, passed: Passed) -> None:
        (self._positional if self._anywhere is None else self._anywhere).append(passed)

    def _values(self, passed: Passed) -> Values:
        return passed if isinstance(passed, frozenset) else self.flow.values(*passed)

    @cached_property
    def _from_spread(self) -> tuple[dict[str, Values], Values | None]:
        """What `**spread` gives: by keyword, and with keys that are not known."""
        named: dict[str, Values] = {}
        more: Values | None = None
        for expression, frame in self._spread:
            for value in self.flow.values(expression, frame):
                known = containers.by_name(self.flow, value)
                for name, values in (known or {}).items():
                    named[name] = named.get(name, NOTHING) | values
                if known is None:
                    more = (more or NOTHING) | _content(self.flow, value)
        return named, more


def _content(flow: Evaluator, value: Value) -> Values:
    return containers.held(flow, value) if isinstance(value, (Container, Items)) else one(value)


def lay_out(flow: Evaluator, binding: Binding) -> Layout:
    """All arguments that a binding passes, those of partials first."""
    receiver = [] if binding.receiver is None else [one(binding.receiver)]
    layout = Layout(flow, [*receiver, *binding.given])
    for fixed in binding.fixed:
        layout.add(fixed.node.args[1:], fixed.node.keywords, fixed.frame)
    site = binding.site
    if site is not None:
        arguments = site.node.args[binding.skip :]
        if binding.mapped:
            layout.add_elements(arguments, site.frame)
        else:
            layout.add(arguments, site.node.keywords, site.frame)
    return layout
