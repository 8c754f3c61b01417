"""Whether a file's code has a name in it, or only comments and texts speak of it: told without parsing."""

from __future__ import annotations

import re

_COMMENT_OR_STRING = re.compile(
    rb"""\#[^\r\n]*"""
    rb"""|(?P<prefix>(?<!\w)[A-Za-z]{1,2})?"""
    rb"""(?:(?P<three>\"{3}|'{3})(?P<long>(?:\\.|.)*?)(?P=three)"""
    rb"""|(?P<one>["'])(?P<short>(?:\\.|[^\r\n\\])*?)(?P=one))""",
    re.DOTALL,
)
_NAMES = re.compile(rb"\s*[\w.]+\s*(?:[\[\]|,]\s*[\w.]*\s*)*")
_LONGEST = 200  # bytes of an annotation
_FIELDS = re.compile(rb"\{.*\}", re.DOTALL)  # of an f-string


def names(code: bytes, *words: bytes) -> bool:
    """Whether one of the words is a name in the code, or stands in a string of nothing but names, which an
    annotation or an argument of `getattr` may be. Comments, docstrings and other prose do not count.
    """
    wanted = re.compile(rb"\b(?:" + b"|".join(words) + rb")\b")
    return wanted.search(_COMMENT_OR_STRING.sub(_what_may_be_names, code)) is not None


def _what_may_be_names(found: re.Match[bytes]) -> bytes:
    inside: bytes = found["long"] or found["short"] or b""
    if b"f" in (found["prefix"] or b"").lower():
        return b" ".join(_FIELDS.findall(inside))
    return b" " + inside + b" " if len(inside) <= _LONGEST and _NAMES.fullmatch(inside) else b" "
