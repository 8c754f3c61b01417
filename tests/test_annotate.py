"""`--annotate`: a comment above what needs a human, and nothing else."""

from __future__ import annotations

import ast

import pytest

from react_migrate.annotate import annotate, same_code
from react_migrate.edit import EditError
from react_migrate.finding import Finding, Fix, Span

TODO = "# TODO(react-migrate): RM9 look"


def find(text: str, needle: str = "HERE", code: str = "RM9", fix: Fix = Fix.MANUAL) -> list[Finding]:
    """A finding at every `needle`."""
    return [
        Finding(code, Span(number, line.index(needle) + 1, number, line.index(needle) + 5), "look", fix)
        for number, line in enumerate(text.splitlines(), 1)
        if needle in line
    ]


def annotated(text: str) -> str:
    return annotate(text, find(text), "utf-8")[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = HERE\n", f"{TODO}\nx = HERE\n"),
        ("def f():\n    return HERE\n", f"def f():\n    {TODO}\n    return HERE\n"),
        ("if a:\n\tif b: HERE\n", f"if a:\n\t{TODO}\n\tif b: HERE\n"),
        ("f(\n  a,\n  HERE,\n)\n", f"{TODO}\nf(\n  a,\n  HERE,\n)\n"),
        ("x = '''\n' ' HERE\n'''\n", f"{TODO}\nx = '''\n' ' HERE\n'''\n"),
        ("x = 1; y = HERE\n", f"{TODO}\nx = 1; y = HERE\n"),
        ("x = 1; \\\n  y = HERE\n", f"{TODO}\nx = 1; \\\n  y = HERE\n"),
        ("@a\n@b(HERE)\ndef f(): ...\n", f"{TODO}\n@a\n@b(HERE)\ndef f(): ...\n"),
        ("@a\nclass A(HERE):\n  x = 1\n", f"{TODO}\n@a\nclass A(HERE):\n  x = 1\n"),
        ("def f(\n  a=HERE,\n): ...\n", f"{TODO}\ndef f(\n  a=HERE,\n): ...\n"),
        ("if a: ...\nelif HERE: ...\n", f"if a: ...\n{TODO}\nelif HERE: ...\n"),
        ("try: ...\nexcept HERE: ...\n", f"try: ...\n{TODO}\nexcept HERE: ...\n"),
        ("match HERE:\n  case 1: ...\n", f"{TODO}\nmatch HERE:\n  case 1: ...\n"),
        ("é = 1; ü = HERE", f"{TODO}\né = 1; ü = HERE"),
        ('"""HERE"""\nfrom __future__ import x\n', f'{TODO}\n"""HERE"""\nfrom __future__ import x\n'),
        ("#!/bin/python\n# coding: utf-8\n\nHERE\n", f"#!/bin/python\n# coding: utf-8\n\n{TODO}\nHERE\n"),
        ("a = HERE\r\nb = 1\r\n", f"{TODO}\r\na = HERE\r\nb = 1\r\n"),
        ("a = HERE\rb = 1\r", f"{TODO}\ra = HERE\rb = 1\r"),
    ],
)
def test_above_the_statement(before: str, after: str) -> None:
    assert annotated(before) == after


def test_once() -> None:
    text = "# about\nx = HERE, \\\n    HERE\n"
    once = annotated(text)
    assert once.count(TODO) == 1
    assert annotated(once) == once


def test_every_rule_says_its_own() -> None:
    text = "x = HERE\n"
    after, _ = annotate(text, [*find(text), *find(text, code="RM1")], "utf-8")
    assert after == "# TODO(react-migrate): RM1 look\n# TODO(react-migrate): RM9 look\nx = HERE\n"


@pytest.mark.parametrize(("code", "fix"), [("RM9", Fix.SAFE), ("RM9", Fix.UNSAFE), ("RM003", Fix.MANUAL)])
def test_only_what_needs_a_human_at_a_place(code: str, fix: Fix) -> None:
    text = "x = HERE\n"
    assert annotate(text, find(text, code=code, fix=fix), "utf-8")[0] == text


def test_the_findings_are_where_they_were_in_the_code() -> None:
    text = "x = HERE\n\ndef f():\n    return (\n        HERE)\n\ny = [HERE]\n"
    after, moved = annotate(text, find(text), "utf-8")
    assert [one.span for one in moved] == [one.span for one in find(after)]


def test_a_message_cannot_leave_its_line_nor_the_encoding() -> None:
    finding = Finding("RM9", Span(1, 1, 1, 2), "a\nimport os\r\x1b[2J é →", Fix.MANUAL)
    assert annotate("x\n", [finding], "latin-1")[0] == (
        "# TODO(react-migrate): RM9 a\\nimport os\\r\\x1b[2J é \\u2192\nx\n"
    )


def test_a_comment_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_migrate.annotate._MARK", "todo() # ")
    with pytest.raises(EditError, match="comments changed the code"):
        annotated("x = HERE\n")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1", "# c\nx = (1)", True),
        ("x = 1", "x = True", False),
        ("x = 0.0", "x = -0.0", False),
        ("f(a, b)", "f(a, b, c)", False),
        ("global a", "global b", False),
        ("x = 'a'", "x = b'a'", False),
        ("def f(): pass", "async def f(): pass", False),
        ("a < b", "a <= b", False),
    ],
)
def test_trees_are_compared_without_positions(one: str, other: str, same: bool) -> None:
    assert same_code(ast.parse(one), ast.parse(other)) is same
