"""Making text that we did not write safe to print: file names, code, and messages that quote them."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

# Cc and Cf: terminal escapes, and bidirectional and invisible characters that make code look like other code;
# Cs: what stands for bytes that are not text; Zl, Zp: line breaks to some terminals; Co, Cn: nobody knows.
_HOSTILE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})


def printable(text: str) -> str:
    """`text` on one line; characters that act on a terminal, or hide, are written as Python escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(letter) if unicodedata.category(letter) in _HOSTILE else letter for letter in text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def shown(path: Path) -> str:
    """A path for reading, as it was given; what is not text in it as escapes."""
    return printable(os.fspath(path))
