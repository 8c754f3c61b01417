"""Codes on the command line, and comments that silence a line."""

from __future__ import annotations

import pytest

from react_migrate.selection import UnknownCodeError, is_ignored, one_code, select, split_codes

KNOWN = ["RM001", "RM101", "RM201", "RM202", "RM301"]


@pytest.mark.parametrize(
    ("chosen", "ignored", "codes"),
    [
        ([], [], KNOWN),
        (["RM2"], [], ["RM001", "RM201", "RM202"]),
        (["rm201 ", "RM3"], [], ["RM001", "RM201", "RM301"]),
        (["RM2"], ["RM202"], ["RM001", "RM201"]),
        (["RM"], ["RM0"], ["RM101", "RM201", "RM202", "RM301"]),
        ([], ["RM"], []),
    ],
)
def test_select_and_ignore(chosen: list[str], ignored: list[str], codes: list[str]) -> None:
    assert select(KNOWN, chosen, ignored) == frozenset(codes)


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("RM203", "did you mean RM20"),
        ("RM9", "did you mean RM"),
        ("R2", "did you mean RM2?"),
        ("TRAJECTORY", "the codes are RM001, RM101"),
        ("", "the codes are"),
        ("\x1b", "'\\x1b'"),
    ],
)
def test_an_unknown_code_names_what_was_meant(code: str, hint: str) -> None:
    with pytest.raises(UnknownCodeError) as caught:
        select(KNOWN, [code], [])
    assert hint in str(caught.value)
    assert str(caught.value).endswith("See `react-migrate rules`.")


def test_one_code() -> None:
    assert one_code(KNOWN, "rm201") == "RM201"
    with pytest.raises(UnknownCodeError, match="RM2 stands for RM201, RM202; name one of them"):
        one_code(KNOWN, "RM2")


def test_lists_of_codes() -> None:
    assert split_codes(["RM1, RM2", "", "RM301,"]) == ["RM1", "RM2", "RM301"]


@pytest.mark.parametrize(
    ("line", "ignored"),
    [
        ("x  # react-migrate: ignore", True),
        ("x  #react-migrate:ignore[RM201]", True),
        ("x  # noqa: E1  # react-migrate: ignore [RM2, RM301]", True),
        ("x  # react-migrate: ignore[RM202]", False),
        ("x  # react-migrate: ignore[]", False),
        ("x  # ignore", False),
        ("x", False),
    ],
)
def test_a_comment_silences_its_line(line: str, ignored: bool) -> None:
    assert is_ignored("RM201", line) is ignored
