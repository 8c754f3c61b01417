"""Bytes -> text -> the same bytes, for all that Python reads; a clear reason for what it does not read."""

from __future__ import annotations

import ast
import codecs
import contextlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from react_migrate.source import SourceError, decode, split_lines

PATH = Path("a.py")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1", "x = 1"),
        (b"a\r\nb\rc\nd", "a\r\nb\rc\nd"),
        (b"a\x0c\nb\x0b\x1c\x85", None),
        ("é = '\u2028'\n".encode(), "é = '\u2028'\n"),
        (codecs.BOM_UTF8 + b"x = 1\r\n", "x = 1\r\n"),
        (codecs.BOM_UTF8 + b"# coding: utf-8\nx = 1", "# coding: utf-8\nx = 1"),
        (b"# -*- coding: latin-1 -*-\ns = '\xe9'\n", "# -*- coding: latin-1 -*-\ns = 'é'\n"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\ns = '\x80'\n", None),
        (b"# coding: koi8-r\ns = '\xd4'\n", "# coding: koi8-r\ns = 'т'\n"),
        (b"x = '\x00'\n", "x = '\0'\n"),
        (b"\x0c\x0cx = 1\n", "\x0c\x0cx = 1\n"),
    ],
)
def test_text_is_what_python_reads_and_goes_back_to_the_same_bytes(data: bytes, text: str | None) -> None:
    try:
        source = decode(PATH, data)
    except SourceError:
        assert text is None
        return
    assert text is None or source.text == text
    assert source.restore(source.text) == data


@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbf# coding: latin-1\n")
@example(b"# coding: utf-7\n+AGE-")
@example(b"# coding: utf_8_sig\nx")
@example(b'# coding: iso2022_jp\n\x1b$B$"\x1b(B\x1b(B')
@example(b"# coding: rot13\n")
@example(b"# coding: hex\n")
@example(b"# coding: idna\n")
@example(b"# coding: undefined\n")
@example(b"# coding: unicode_escape\n\\x41")
@example(b"# coding: raw_unicode_escape\n\\ud800")
@example(b"# coding: \x00\n")
@example(b"# coding: utf-16\n")
def test_any_bytes_are_either_refused_or_come_back(data: bytes) -> None:
    source = None
    with contextlib.suppress(SourceError):
        source = decode(PATH, data)
    assert source is None or source.restore(source.text) == data


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.booleans())
def test_any_text_as_utf8_comes_back(text: str, mark: bool) -> None:
    data = (codecs.BOM_UTF8 if mark else b"") + text.encode()
    try:
        source = decode(PATH, data)
    except SourceError:
        assert "coding" in text or text.startswith("\ufeff")
    else:
        assert source.restore(source.text) == data


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (codecs.BOM_UTF16_LE + "x = 1\n".encode("utf-16-le"), "is UTF-16, which Python itself cannot run"),
        (codecs.BOM_UTF16_BE + "x = 1\n".encode("utf-16-be"), "is UTF-16"),
        (codecs.BOM_UTF32_LE + "x = 1\n".encode("utf-32-le"), "is UTF-32"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not Python text"),
        (b"# \n\n\nx = '\xe9'\n", "is not valid utf-8 (byte 0xe9 on line 4)"),
        (b"# coding: nonsense\n", "is not Python text (unknown encoding: nonsense)"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", "is not Python text"),
        (b"# coding: rot13\nk = 1\n", "names an encoding that is none"),
    ],
)
def test_a_refusal_names_the_reason_and_what_to_do(data: bytes, why: str) -> None:
    with pytest.raises(SourceError, match=r"; (save|correct)") as caught:
        decode(PATH, data)
    assert str(caught.value).startswith(why)


def test_a_text_that_the_encoding_cannot_hold_is_refused() -> None:
    source = decode(PATH, b"# coding: ascii\n")
    with pytest.raises(SourceError, match=r"is encoded as ascii, which has no '\\xe9'; save it as UTF-8"):
        source.restore("# coding: ascii\né")


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "a\r\nb\rc\nd", "a\x0cb\x0b\x1c\x85\u2028c\n", "\r\r\n\n"]
)
def test_lines_are_those_of_python_s_own_tokenizer(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.rstrip("\r\n").find(end) < 0 for line in lines for end in "\r\n")


@given(st.lists(st.sampled_from(["x = 1", "'''a\x0cb'''", "# \x1c \x85 \u2028", ""]), max_size=6), st.data())
def test_line_numbers_agree_with_ast(parts: list[str], data: st.DataObject) -> None:
    text = "".join(part + data.draw(st.sampled_from(["\n", "\r\n", "\r"])) for part in parts) + "last"
    *_, last = ast.parse(text).body
    assert split_lines(text)[last.lineno - 1] == "last"
