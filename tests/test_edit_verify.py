"""The checks on an edited text notice what an edit must not do, and deep code gets the room it needs."""

from __future__ import annotations

import ast
import sys
import threading

import libcst as cst
import pytest
from editing import code, reads, spans
from hypothesis import given
from hypothesis import strategies as st
from libcst.metadata import CodeRange

from react_migrate.edit import EditError, Names, apply
from react_migrate.edit.depth import LIMIT, depth, with_room_for
from react_migrate.edit.verify import compiles, same_outside
from react_migrate.finding import Edit, MoveImport, Span
from react_migrate.source import SourceError


def whole(first: int, last: int) -> CodeRange:
    return CodeRange((first, 0), (last + 1, 0))


BEFORE = "import a\n\nx = old(1)\ny = 2\n"
OLD = CodeRange((3, 4), (3, 7))


@pytest.mark.parametrize(
    ("after", "ranges", "same"),
    [
        ("import a\n\nx = new(1)\ny = 2\n", [OLD], True),
        ("import a\n\nx = (1)\ny = 2\n", [OLD], True),
        ("import a\n\nx = new (1)\ny = 2\n", [OLD], True),
        ("import b\n\nx = new(1)\ny = 2\n", [OLD, whole(1, 1)], True),
        ("x = new(1)\ny = 2\n", [OLD, whole(1, 1)], True),
        ("import b\n\nx = new(1)\ny = 2\n", [OLD], False),
        ("import a\n\nx = new(1)\ny = 3\n", [OLD], False),
        ("import a\n\nx = new(1)\n", [OLD], False),
        ("import a\n\nx = new(1)\ny = 2", [OLD], False),
        ("import a\n\nx = new(1)\n\ny = 2\n", [OLD], False),
        ("import a\nx = new(1)\ny = 2\n", [OLD], False),
        ("import a\n\nx = new(2)\ny = 2\n", [OLD], False),
        ("import a\n\ny = 2\nx = new(1)\n", [OLD], False),
        ("import b\n\ny = old(1)\ny = 3\n", [whole(1, 1), CodeRange((4, 4), (4, 5))], False),
        ("import a\n\nx = old(1)\ny = 2\n", [], True),
        ("import a\n\nx = new(1)\ny = 2\n", [], False),
    ],
)
def test_nothing_outside_the_edits_may_change(after: str, ranges: list[CodeRange], same: bool) -> None:
    if same:
        same_outside(BEFORE, after, ranges)
    else:
        with pytest.raises(EditError, match="the text changed"):
            same_outside(BEFORE, after, ranges)


@given(st.text("ab\n", min_size=1), st.data())
def test_one_changed_letter_outside_is_always_noticed(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(EditError):
        same_outside(text, text[:at] + "#" + text[at + 1 :], [])


@pytest.mark.parametrize(
    ("before", "after", "valid"),
    [
        ("x", "y", True),
        ("x", "y y", False),
        ("def f(): return 1", "return 1", False),
        ("return 1", "return 2", True),  # it did not compile before either, as in a notebook's cell
        ("x", "await x", True),
        ("x", "'\\d'", True),  # a warning is the user's own affair
        ("x", "x\0", False),
        ("x", "(" * 300 + ")" * 300, False),
    ],
)
def test_the_result_is_valid_python(before: str, after: str, valid: bool) -> None:
    if valid:
        compiles(before, after)
    else:
        with pytest.raises(EditError, match="not valid Python any more"):
            compiles(before, after)


def name(_: cst.CSTNode, __: Names) -> cst.CSTNode:
    return cst.Name("new")


@pytest.mark.parametrize("span", [Span(1, 1, 1, 5), Span(1, 2, 1, 3), Span(9, 1, 9, 2)])
def test_an_edit_of_what_is_not_there_is_refused(span: Span) -> None:
    with pytest.raises(EditError, match=f"Name at {span.line}:{span.column}"):
        apply("x = 1\n", [Edit(span, "Name", name)])
    with pytest.raises(EditError, match=f"import at {span.line}:{span.column}"):
        apply("x = 1\n", [MoveImport(span, "x")])


def test_two_edits_of_one_node_are_refused() -> None:
    with pytest.raises(EditError, match="two edits of the same Name at 1:1"):
        apply(
            "x = 1\n", [Edit(Span(1, 1, 1, 2), "Name", name), Edit(Span(1, 1, 1, 2), "Name", lambda n, _: n)]
        )


def test_the_same_edit_twice_is_one() -> None:
    edit = Edit(Span(1, 1, 1, 2), "Name", name)
    assert apply("x = 1\n", [edit, edit]) == "new = 1\n"


def test_edits_nest() -> None:
    text = "f(r.trajectory.trajectory)\n"
    assert apply(text, reads(text)).endswith("f(trajectory_of(trajectory_of(r)))\n")


def test_an_edit_of_a_class_may_change_its_header_only() -> None:
    text = "class A(B):\n    x = 1\n"

    def bases(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        return cst.ensure_type(node, cst.ClassDef).with_changes(bases=[cst.Arg(cst.Name("C"))])

    def body(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        return cst.ensure_type(node, cst.ClassDef).with_deep_changes(
            cst.ensure_type(cst.ensure_type(node, cst.ClassDef).body.body[0], cst.SimpleStatementLine),
            body=[cst.Pass()],
        )

    (span,) = spans(text, "ClassDef", lambda _: True)
    assert apply(text, [Edit(span, "ClassDef", bases)]) == "class A(C):\n    x = 1\n"
    with pytest.raises(EditError, match="the text changed"):
        apply(text, [Edit(span, "ClassDef", body)])


def test_parentheses_that_let_an_expression_span_lines_stay() -> None:
    text = "x = (\n    r.trajectory\n)\n"
    assert apply(text, reads(text)).endswith("x = (\n    trajectory_of(r)\n)\n")


def test_the_node_that_is_handed_to_a_rule_is_not_to_be_changed_in_place() -> None:
    """Rules return new nodes; what they get is what stands in the file, with inner edits made."""
    seen: list[str] = []

    def outer(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        seen.append(code(node))
        return node

    text = "f(r.trajectory)\n"
    (call,) = spans(text, "Call", lambda _: True)
    apply(text, [Edit(call, "Call", outer), *reads(text)])
    assert seen == ["f(trajectory_of(r))"]


# --- depth ---

DEEP = {
    "calls": "x = a" + ".b()" * 240,
    "sums": "x = " + " + ".join(["a"] * 480),
    "brackets": "x = " + "[" * 90 + "a" + "]" * 90,
    "branches": "if a: pass\n" + "elif a: pass\n" * 480,
    "nots": "x = " + "not " * 480 + "a",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_code_nested_hundreds_of_levels_deep_is_edited(text: str) -> None:
    limit = sys.getrecursionlimit()
    text += "\ny = r\n"
    last = text.count("\n")
    edited = apply(text, [Edit(Span(last, 5, last, 6), "Name", name)])
    assert edited == text.removesuffix("r\n") + "new\n"
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, 0)


def test_beyond_the_limit_it_is_refused_with_a_reason() -> None:
    text = "x = " + "+".join(["a"] * (LIMIT + 1)) + "\n"
    with pytest.raises(SourceError, match=r"is nested \d+ levels deep, .*; make this edit by hand"):
        apply(text, [])


def test_depth_counts_levels() -> None:
    assert depth(ast.parse("")) == 1
    assert depth(ast.parse("a + b")) - depth(ast.parse("a")) == 1
    assert depth(ast.parse("+".join("a" * 800))) > 799


@pytest.mark.parametrize("levels", [1, 500])
def test_what_goes_wrong_deep_down_comes_up(levels: int) -> None:
    with pytest.raises(ZeroDivisionError):
        with_room_for(levels, lambda: 1 // 0)


# --- what libcst cannot do ---


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1\n\x0cy = 2\n", "has white space on line 2"),
    ],
)
def test_what_libcst_would_change_by_itself_is_refused(text: str, why: str) -> None:
    with pytest.raises(SourceError, match=f"{why}.*(own|by hand)"):
        apply(text, [Edit(Span(1, 1, 1, 2), "Name", name)])
