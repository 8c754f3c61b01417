"""The commonest records, converted without building their events.

Stored runs come in millions, and most have one of a few forms: the same fields, a regular trajectory of so
many steps, values of the same types. For each form a record of placeholders is converted on the usual way;
its JSON, cut at the placeholders, is a template that the values of all other records of the form are put
into. So there is no second notion of how a record is converted, only a quicker way to write it down, at a
fifth of the cost.

What a template cannot be sure of goes the usual way: errors, `finish` with arguments, numbers that orjson
would round, trajectories that are not quite regular.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter, methodcaller
from typing import Any, NamedTuple, TypeAlias

import orjson

from react_migrate.stored.digest import digest_of
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.forward import to_history
from react_migrate.stored.jsontext import Parsed, dump, has_long_number
from react_migrate.stored.report import Report
from react_migrate.stored.settings import TRAJECTORY, Settings
from react_shims.wire.events import SUBMIT
from react_shims.wire.flat import COMPLETED, ERROR_TEXTS, FINISH, STEP_FIELDS, has_step_keys

_MOST_FORMS = 4096
_WIDTH = len(STEP_FIELDS)
_RESERVED = frozenset({FINISH, SUBMIT})  # names that conversion treats in a way of their own
_EXACT = frozenset({str, int, bool, type(None)})  # as orjson reads them: a longer integer is a float to it
_is_failure = methodcaller("startswith", ERROR_TEXTS)
_values_of = dict.values

# The placeholder of value 7 is "\x01" "7" "\x02"; if the value is a list or an object, it stands in one.
_DIGEST = "\x01digest\x02"
_PLACEHOLDER = re.compile(rb'(?:[\[{]?")?\\u0001(\d+|digest)\\u0002(?:"(?:\]|:0\})?)?')

Values: TypeAlias = "list[Any]"


class _Form(NamedTuple):
    """The template of one form, and where in a record's values to look for what it cannot be sure of.

    A record's values are those of its fields without the trajectory, then those of the trajectory.
    """

    parts: list[bytes]  # text, gap, text, gap, ..., text
    gaps: Callable[[Sequence[bytes]], tuple[bytes, ...]]  # picks what goes into the gaps
    names: slice  # of tools, without the closing finish
    texts: Callable[[Values], Sequence[str]]  # picks the observations that are text
    is_exact: bool  # whether all values are of types that orjson reads exactly
    report: Report


class Forms:
    """The forms that were seen. Only from a form's second record on it is worth having a template."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._field = settings.trajectory or TRAJECTORY
        self._applies = not settings.reverse and settings.kind in (None, "flat")
        self._forms: dict[tuple[Any, ...], _Form] = {}
        self._seen: dict[tuple[Any, ...], bool] = {}  # key -> whether the form is known to have no template

    def convert(self, line: bytes) -> tuple[bytes, Report] | None:
        """A line of JSON as a converted line, if its form is known; None if it has to go the usual way."""
        if not self._applies:
            return None
        try:
            record = orjson.loads(line)
            if type(record) is not dict or type(record.get(self._field)) is not dict:
                return None
            fields = (*record,)
            trajectory = record.pop(self._field)
            if len(trajectory) < _WIDTH:
                return None
            values = [*record.values(), *trajectory.values()]
            arguments = chain.from_iterable(map(_values_of, values[len(fields) + 1 :: _WIDTH]))
            finishes = values[-3] == FINISH
            key = (finishes, len(fields), *fields, *trajectory, *map(type, values), *map(type, arguments))
            form = self._forms.get(key)
            if form is None:
                self._learn(key, fields, trajectory, values, line)
                return None
            if finishes and (values[-1] != COMPLETED or values[-2]):
                return None
            if not _RESERVED.isdisjoint(values[form.names]) or True in map(_is_failure, form.texts(values)):
                return None
            if not form.is_exact and has_long_number(line):
                return None
            parts = form.parts[:]
            parts[1::2] = form.gaps([digest_of(line), *map(orjson.dumps, values)])
        except (ValueError, TypeError):  # orjson's errors, or arguments that are no object
            return None  # the usual way can do more, or knows the reason
        return b"".join(parts), form.report

    def _learn(
        self,
        key: tuple[Any, ...],
        fields: tuple[str, ...],
        trajectory: dict[str, Any],
        values: Values,
        line: bytes,
    ) -> None:
        """Make a template for a form that comes the second time, and try it on this line."""
        if key not in self._seen:
            if len(self._seen) < _MOST_FORMS:
                self._seen[key] = False
        elif not self._seen[key] and len(self._forms) < _MOST_FORMS:
            self._seen[key] = True
            form = _form_of(fields, self._field, trajectory, values, self._settings)
            if form is None:
                return
            self._forms[key] = form
            quick = self.convert(line)
            if quick is None:  # this line is no example of its form: the next one may be
                self._seen[key] = False
                del self._forms[key]
            elif quick[0] != _usual_way(line, self._settings):  # it must never come to that
                del self._forms[key]


def _usual_way(line: bytes, settings: Settings) -> bytes | None:
    try:
        converted = to_history(Parsed(orjson.loads(line)), settings, digest_of(line).decode())
        return dump(converted.record) + b"\n"
    except RejectedError:
        return None


def _form_of(
    fields: tuple[str, ...], field: str, trajectory: dict[str, Any], values: Values, settings: Settings
) -> _Form | None:
    """The form of a record with these values; None if there can be no template for it."""
    first = len(fields) - 1  # of the trajectory's values
    steps, rest = divmod(len(trajectory), _WIDTH)
    keys = [f"{name}_{number}" for number in range(steps) for name in STEP_FIELDS]
    types = [type(value) for value in values]
    regular = [str, str, dict]
    if rest or list(trajectory) != keys or has_step_keys(dict.fromkeys(fields)):
        return None
    if any(types[first + at : first + at + 3] != regular for at in range(0, len(trajectory), _WIDTH)):
        return None
    finishes = values[-3] == FINISH
    tokens = [_placeholder(at, kind) for at, kind in enumerate(types)]
    if finishes:
        tokens[-3:] = [FINISH, {}, COMPLETED]
    others = iter(tokens[:first])
    placeholders = dict(zip(keys, tokens[first:], strict=True))
    record = {name: placeholders if name == field else next(others) for name in fields}
    try:
        converted = to_history(Parsed(record), settings, _DIGEST)
    except RejectedError:
        return None
    parts = _PLACEHOLDER.split(dump(converted.record) + b"\n")
    if any(b"\\u0001" in text for text in parts[::2]):
        return None  # something was made of a part of a value: the guess looks into objects
    observations = [at for at in range(first + 3, len(values), _WIDTH) if types[at] is str]
    return _Form(
        parts=parts,
        gaps=itemgetter(*(0 if name == b"digest" else int(name) + 1 for name in parts[1::2])),
        names=slice(first + 1, -3 if finishes else None, _WIDTH),
        texts=_picker(observations),
        is_exact=_EXACT.issuperset(map(type, _leaves(values, first))),
        report=converted.report,
    )


def _leaves(values: Values, first: int) -> list[Any]:
    """The values, and in place of a step's arguments what is in them."""
    arguments = values[first + 2 :: _WIDTH]
    others = [value for at, value in enumerate(values) if at < first or (at - first) % _WIDTH != 2]
    return [*others, *chain.from_iterable(map(_values_of, arguments))]


def _placeholder(at: int, kind: type) -> Any:
    text = f"\x01{at}\x02"
    if kind is type(None):
        return None  # it decides what is an input or output
    return [text] if kind is list else {text: 0} if kind is dict else text


def _picker(places: Sequence[int]) -> Callable[[Values], Sequence[str]]:
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(*(places[0], places[0] + 1) if places else (0, 0)))
