"""What the rules say about themselves: `react-migrate rules` and `react-migrate explain`."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Iterator

from react_migrate.finding import Fix
from react_migrate.rules import Example, Rule

_FIXES = {Fix.SAFE: "fix", Fix.UNSAFE: "unsafe fix", Fix.MANUAL: "-"}


def listed(rules: Iterable[Rule]) -> Iterator[str]:
    """One line per rule."""
    for rule in rules:
        yield f"{rule.code}  {_FIXES[rule.fix]:10}  {rule.summary}"


def explained(rule: Rule) -> str:
    """A rule's page: its docstring and its examples."""
    return "\n\n".join([inspect.cleandoc(rule.__doc__ or rule.summary), *map(_example, rule.examples)])


def _example(example: Example) -> str:
    before = _indented(example.before)
    if example.after is not None:
        how = "`rewrite --unsafe` turns" if example.unsafe else "`rewrite` turns"
        return f"{how}\n\n{before}\n\ninto\n\n{_indented(example.after)}"
    return f"{'Reported, for you to decide:' if example.finds else 'Left alone:'}\n\n{before}"


def _indented(code: str) -> str:
    return textwrap.indent(textwrap.dedent(code).strip("\n"), "    ")
