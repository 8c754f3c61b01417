"""Reports show foreign text without letting it act, and point at the very characters that are meant."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.cells import cell_len
from toys import RULES

from react_migrate.engine import Options, run_text
from react_migrate.finding import Finding, Fix, Span
from react_migrate.job import Job
from react_migrate.report.diff import unified
from react_migrate.report.escape import printable
from react_migrate.report.terminal import frame
from react_migrate.report.text import finding_line, summary
from react_migrate.source import decode


@given(st.text())
def test_foreign_text_is_one_line_that_does_nothing(text: str) -> None:
    shown = printable(text)
    assert not {unicodedata.category(letter) for letter in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold] text", "plain [bold] text"),
        ("日本 é", "日本 é"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
        ("if admin\u202e \u2066", "if admin\\u202e \\u2066"),
        ("a\u200bb\ufeff\u2028", "a\\u200bb\\ufeff\\u2028"),
        ("\udce9", "\\udce9"),
    ],
)
def test_what_acts_or_hides_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def framed(code: str, start: int, stop: int, width: int = 80) -> tuple[str, str]:
    """The line of code and the line under it, without the gutter."""
    job = Job.of(decode(Path("a.py"), code.encode()), Options(frozenset(RULES), RULES))
    finding = Finding("RM901", Span(1, start + 1, 1, stop + 1), "m", Fix.MANUAL)
    _, _, shown, under = [line.plain for line in frame(job, finding, width)]
    return shown.removeprefix("1 | "), under.removeprefix("  | ")


@pytest.mark.parametrize(
    ("code", "start", "stop", "shown", "under"),
    [
        ("x = r.trajectory", 4, 16, "x = r.trajectory", "    ^^^^^^^^^^^^"),
        ("\tx = r.t", 5, 8, "    x = r.t", "        ^^^"),
        ("日 = '本'; r.t", 9, 12, "日 = '本'; r.t", "           ^^^"),
        ("'\x1b' + r.t", 6, 9, "'\\x1b' + r.t", "         ^^^"),
        ("[red] = r.t", 8, 11, "[red] = r.t", "        ^^^"),
        ("x", 1, 1, "x", " ^"),
    ],
)
def test_the_marks_stand_under_what_they_mean(
    code: str, start: int, stop: int, shown: str, under: str
) -> None:
    assert framed(code, start, stop) == (shown, under)


@given(st.text(st.sampled_from("ab \t日é\x1b\u202e'"), min_size=1, max_size=300), st.data())
def test_long_lines_are_cut_around_what_is_meant(code: str, data: st.DataObject) -> None:
    assume(not code.startswith("\ufeff"))
    start = data.draw(st.integers(0, len(code) - 1))
    stop = data.draw(st.integers(start + 1, len(code)))
    shown, under = framed(code, start, stop, 60)
    assert cell_len(shown) <= 60 - 4
    assert cell_len(under) <= cell_len(shown)
    marked = printable(code[start:stop].replace("\t", "    "))
    if cell_len(marked) <= 50:
        at = cell_len(under) - len(under.lstrip())
        assert shown[len(_columns(shown, at)) :].startswith(marked)


def _columns(text: str, cells: int) -> str:
    """The beginning of `text` that takes so many cells."""
    return next(text[:end] for end in range(len(text) + 1) if cell_len(text[:end]) >= cells)


def test_a_finding_over_several_lines_is_marked_in_its_first() -> None:
    job = Job.of(decode(Path("a.py"), b"f(\n  x\n)"), Options(frozenset(RULES), RULES))
    lines = [line.plain for line in frame(job, Finding("RM901", Span(1, 1, 3, 2), "m", Fix.MANUAL), 80)]
    assert lines[2:] == ["1 | f(", "  | ^^"]


def test_reasons_follow_the_message() -> None:
    job = Job.of(decode(Path("a.py"), b"x"), Options(frozenset(RULES), RULES))
    finding = Finding("RM901", Span(1, 1, 1, 2), "is old", Fix.UNSAFE, why=("may be `cot`", "line\n2"))
    assert finding_line(job, finding) == "a.py:1:1: RM901 is old (may be `cot`; line\\n2)"


def test_a_diff_shows_a_missing_final_newline() -> None:
    (job,) = run_text(Path("a.py"), b"x = dspy.safe", Options(frozenset(RULES), RULES, fix=True)).jobs
    assert b"".join(unified(job)).endswith(
        b"-x = dspy.safe\n\\ No newline at end of file\n"
        b"+from react_shims import trajectory_of\n+\n+x = trajectory_of(dspy)\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("", {}, "1 file unaffected"),
        ("dspy.manual", {}, "1 needs you, 0 files unaffected"),
        ("dspy.manual, dspy.manual", {}, "2 need you, 0 files unaffected"),
        (
            "dspy.safe, dspy.risky",
            {},
            "1 for `rewrite` to fix, 1 for `rewrite --unsafe` to fix, 0 files unaffected",
        ),
        ("dspy.safe", {"fix": True}, "1 would be fixed, 0 files unaffected"),
        ("dspy.safe, dspy.manual", {"fix": True, "write": True}, "1 fixed, 1 needs you, 0 files unaffected"),
        ("dspy.broken", {"fix": True}, "1 failed, 0 files unaffected"),
    ],
)
def test_the_summary(code: str, text: dict[str, bool], said: str) -> None:
    result = run_text(Path("a.py"), code.encode(), Options(frozenset(RULES), RULES, **text))  # type: ignore[arg-type]
    assert next(summary(result, rewriting=bool(text))) == said
