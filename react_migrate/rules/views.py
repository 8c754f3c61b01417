"""What to do about each read of a trajectory, and what it is tied to. Shared by the RM2xx rules."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from react_migrate.finding import Fix
from react_migrate.flow import Judgement, Verdict, judge
from react_migrate.flow.scopes import Scope
from react_migrate.rules.misreading import misread
from react_migrate.rules.reading import GUARDS, Read, prints_its_own_text, reads
from react_migrate.rules.suspicion import suspicious

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_ORDER = (Fix.SAFE, Fix.UNSAFE, Fix.MANUAL)


@dataclass(frozen=True)
class View:
    """One read, how safe its fix is and why it is not safer.

    `is_misread`: a loop takes the keys for steps, so that there is nothing to carry over. `group` is what it
    shares with a guard on the same value and with what that protects: they change together or not at all.
    """

    read: Read
    judgement: Judgement
    fix: Fix
    why: tuple[str, ...]
    is_misread: bool = False
    group: Hashable = None


@functools.lru_cache(maxsize=1)  # the rules that share it are asked about one file after the other
def views(file: AnalysedFile) -> list[View]:
    """The reads of a file that there is reason to think are of ReAct predictions. Not to be changed."""
    if not (file.within_reach or file.path in file.program.near_dspy):
        return []
    found = [(read, judge(file.values(read.receiver, read.scope))) for read in reads(file)]
    concerned = [(read, verdict) for read, verdict in found if _fix(file, read, verdict) is not None]
    misreads = misread(file) if concerned else set()
    return _tied(file, [_view(file, read, verdict, misreads) for read, verdict in concerned])


def _fix(file: AnalysedFile, read: Read, judgement: Judgement) -> Fix | None:
    """How safe the fix is, going by where the value comes from; None where nothing points to ReAct."""
    verdict = judgement.verdict
    if verdict is Verdict.PROVEN:
        return Fix.SAFE
    if verdict is Verdict.MIXED or (verdict is not Verdict.OTHER and suspicious(file, read, judgement)):
        return Fix.UNSAFE
    return None


def _view(file: AnalysedFile, read: Read, judgement: Judgement, misreads: set[ast.expr]) -> View:
    if read.node in misreads:
        return View(read, judgement, Fix.MANUAL, (), is_misread=True)
    if prints_its_own_text(file, read.node):
        why = ("the f-string prints the expression itself, so its output would change",)
        return View(read, judgement, Fix.MANUAL, why)
    return View(read, judgement, _fix(file, read, judgement) or Fix.MANUAL, judgement.why)


# -- guards and what they protect


def _tied(file: AnalysedFile, found: list[View]) -> list[View]:
    """The views with their groups; in a group no fix is safer than the least safe one."""
    if not any(view.read.form in GUARDS for view in found):
        return found
    groups = _Groups()
    for view in found:
        groups.add(view, _definitions(file, view.read))
    tied: dict[int, View] = {}
    for number, members in enumerate(groups.with_guard()):
        weakest = max(members, key=lambda view: _ORDER.index(view.fix))
        for view in members:
            weaker = replace(view, group=(file.path, number))
            if view.fix is not weakest.fix:
                where = file.where(weakest.read.node.lineno)
                why = f"it changes together with {where} or not at all"
                weaker = replace(weaker, fix=weakest.fix, why=(*view.why, why))
            tied[id(view)] = weaker
    return [tied.get(id(view), view) for view in found]


@dataclass
class _Groups:
    """Views that share a definition of their receiver, directly or by way of others."""

    _members: dict[Hashable, list[View]] = field(default_factory=lambda: defaultdict(list))
    _home: dict[Hashable, Hashable] = field(default_factory=dict)

    def add(self, view: View, definitions: Iterable[Hashable]) -> None:
        first, *others = (self._find(definition) for definition in definitions)
        for other in others:
            other = self._find(other)
            if other != first:
                self._home[other] = first
                self._members[first] += self._members.pop(other, [])
        self._members[first].append(view)

    def with_guard(self) -> Iterator[list[View]]:
        for members in self._members.values():
            if len(members) > 1 and any(view.read.form in GUARDS for view in members):
                yield members

    def _find(self, definition: Hashable) -> Hashable:
        while definition in self._home:
            definition = self._home[definition]
        return definition


def _definitions(file: AnalysedFile, read: Read) -> list[Hashable]:
    """What the receiver may have been set by: for a name its definitions, else the text in its function."""
    if not isinstance(read.receiver, ast.Name):
        return [(read.scope.owner(), "".join(file.source(read.receiver).split()))]
    name = read.receiver.id
    home: Scope | None = read.scope
    while home is not None and name not in home.bound:
        home = home.elsewhere.get(name) or home.enclosing()
    if home is None:
        return [name]
    own = file.reaching(home).loads.get(read.receiver) if home is read.scope.owner() else None
    definitions = own or file.reaching(home).everywhere.get(name)
    return list(map(id, definitions)) if definitions else [(home, name)]
