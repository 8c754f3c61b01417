"""JSON text to values and back, such that every value JSON can carry comes back equal.

orjson does it fast, but makes floats of integers beyond 64 bits, refuses NaN, lone surrogates and deep
nesting, and writes NaN as null. The standard library does the rest.

Of equal keys in an object the last one counts, as in both libraries.
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

import orjson

from react_migrate.report.escape import printable
from react_migrate.stored.errors import RejectedError

_DIGITS_ALIKE = bytes(ord("0") if chr(byte).isdigit() else byte for byte in range(128)) + bytes(
    range(128, 256)
)
_LONG_NUMBER = b"0" * 19  # 2**63 has 19 digits


class Parsed(NamedTuple):
    """A value, and whether it has a NaN or an infinity in it, which are no JSON."""

    value: Any
    non_finite: bool = False


def has_long_number(raw: bytes) -> bool:
    """Whether there are 19 digits in a row: perhaps an integer that orjson would make a float of."""
    return _LONG_NUMBER in raw.translate(_DIGITS_ALIKE)


def parse(text: bytes | str) -> Parsed:
    """The value in a JSON text. Raises `RejectedError` if it is not JSON that Python can hold."""
    if isinstance(text, str):
        try:
            raw = text.encode()
        except UnicodeEncodeError:  # lone surrogates
            return _parse_slowly(text)
        return parse(raw)
    if not has_long_number(text):
        try:
            return Parsed(orjson.loads(text))
        except orjson.JSONDecodeError:
            pass  # the standard library knows better why, or can read it
    try:
        return _parse_slowly(text.decode().removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        byte = text[error.start]
        raise RejectedError(f"is not UTF-8: byte {byte:#04x} at position {error.start + 1}") from error


def dump(value: Any, *, non_finite: bool = False, indent: bool = False) -> bytes:
    """A value as JSON text in UTF-8; what `parse` gave comes back equal. `non_finite`: see `Parsed`.

    Raises `RejectedError` for what is nested too deep.
    """
    if not non_finite:
        try:
            return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None)
        except orjson.JSONEncodeError:
            pass  # a large integer, a lone surrogate, 255 levels
    style: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
    try:
        try:
            return json.dumps(value, ensure_ascii=False, **style).encode()
        except UnicodeEncodeError:
            return json.dumps(value, **style).encode()
    except RecursionError as error:
        raise RejectedError("is nested too deep") from error


def _parse_slowly(text: str) -> Parsed:
    constants: list[str] = []

    def constant(name: str) -> float:
        constants.append(name)
        return float(name)

    try:
        value = json.loads(text, parse_constant=constant, parse_float=_finite)
    except RecursionError as error:
        raise RejectedError("is nested too deep") from error
    except json.JSONDecodeError as error:
        near = printable(text[max(error.pos - 10, 0) : error.pos + 10])
        raise RejectedError(f"is not JSON: {error.msg}, character {error.pos + 1}, near `{near}`") from error
    except ValueError as error:  # Python refuses to read integers of thousands of digits
        raise RejectedError(f"has a number that Python cannot read: {str(error).split(';')[0]}") from error
    return Parsed(value, bool(constants))


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is larger than any float")
    return number
