"""What to do about each read of a trajectory, and what it is tied to. Shared by the RM2xx rules and RM701."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from react_migrate.finding import Fix
from react_migrate.flow import Judgement, Verdict, judge
from react_migrate.flow.known import REACT, RLM
from react_migrate.flow.scopes import home_of
from react_migrate.flow.values import Values
from react_migrate.rules.misreading import misread
from react_migrate.rules.reading import GUARDS, Read, prints_its_own_text, reads
from react_migrate.rules.rlm_steps import used_as_steps
from react_migrate.rules.suspicion import suspicious, use_as_dict

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_ORDER = (Fix.SAFE, Fix.UNSAFE, Fix.MANUAL)


@dataclass(frozen=True)
class View:
    """One read, how safe its fix is and why it is not safer.

    `kind` is whose trajectory it is: `REACT` also where it may be an RLM's as well, for the shim's reader of
    ReAct's trajectories gives an RLM's too. `is_misread`: a loop takes the keys for steps, so that there is
    nothing to carry over. `group` is what it shares with a guard on the same value and with what that
    protects: they change together or not at all.
    """

    read: Read
    kind: frozenset[str]
    judgement: Judgement
    fix: Fix
    why: tuple[str, ...]
    is_misread: bool = False
    group: Hashable = None


@functools.lru_cache(maxsize=1)  # the rules that share it are asked about one file after the other
def views(file: AnalysedFile) -> list[View]:
    """The reads of a file that there is reason to think are of predictions of ReAct agents, or of RLMs. Not
    to be changed."""
    if not (file.within_reach or file.within_reach_of_rlm or file.path in file.program.near_dspy):
        return []
    found = [(read, _reason(file, read, file.values(read.receiver, read.scope))) for read in reads(file)]
    concerned = [(read, reason) for read, reason in found if reason is not None]
    misreads = misread(file) if concerned else set()
    return _tied(file, [_view(file, read, reason, misreads) for read, reason in concerned])


@dataclass(frozen=True)
class _Reason:
    """Why there is something to say about a read: what points to a kind, and how safe that makes the fix."""

    kind: frozenset[str]
    judgement: Judgement
    fix: Fix


_POINTS_TO = {Verdict.PROVEN: Fix.SAFE, Verdict.MIXED: Fix.UNSAFE}


def _reason(file: AnalysedFile, read: Read, values: Values) -> _Reason | None:
    """Going by where the value comes from, and where nothing is known of that, by its use."""
    judgements = {kind: judge(values, kind) for kind in (REACT, RLM)}
    for kind, judgement in judgements.items():
        if judgement.verdict in _POINTS_TO:
            return _Reason(kind, judgement, _POINTS_TO[judgement.verdict])
    if judgements[REACT].verdict is Verdict.OTHER:
        return None
    as_steps = used_as_steps(file, read)
    if as_steps:
        return _Reason(RLM, judgements[RLM], Fix.UNSAFE)
    if not suspicious(file, read, judgements[REACT]):
        return None
    only_rlms = file.within_reach_of_rlm and not file.within_reach
    kind = RLM if only_rlms and as_steps is None and not use_as_dict(file, read) else REACT
    return _Reason(kind, judgements[kind], Fix.UNSAFE)


def _view(file: AnalysedFile, read: Read, reason: _Reason, misreads: set[ast.expr]) -> View:
    view = View(read, reason.kind, reason.judgement, reason.fix, reason.judgement.why)
    if read.node in misreads and reason.kind is REACT:
        return replace(view, fix=Fix.MANUAL, why=(), is_misread=True)
    if prints_its_own_text(file, read.node):
        why = ("the f-string prints the expression itself, so its output would change",)
        return replace(view, fix=Fix.MANUAL, why=why)
    return view


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
    home = home_of(name, read.scope)
    if home is None:
        return [name]
    own = file.reaching(home).loads.get(read.receiver) if home is read.scope.owner() else None
    definitions = own or file.reaching(home).everywhere.get(name)
    return list(map(id, definitions)) if definitions else [(home, name)]
