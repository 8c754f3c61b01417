"""From a folder to findings and new files: what is fixed, what is left; one file's trouble stays its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from toys import RULES

from react_migrate import engine, job
from react_migrate.engine import Options, Run, run, run_text


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, **files: str | bytes) -> None:
    for name, text in files.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.py").write_bytes(data)


def options(select: str = "RM", fix: bool = True, put: bool = True, **more: bool) -> Options:
    codes = frozenset(code for code in RULES if code.startswith(("RM0", select)))
    return Options(codes, RULES, fix=fix, write=put, **more)


def outcome(result: Run) -> dict[str, list[str]]:
    """Per file the codes that were fixed ("+") and that are left."""
    return {
        one.path.name: [f"+{f.code}" for f in one.fixed] + [f"{f.code}:{f.span.line}" for f in one.left]
        for one in result.jobs
    }


def rewrite(**settings: object) -> Run:
    return run([Path()], options(**settings))  # type: ignore[arg-type]


def test_safe_findings_are_fixed_and_the_others_are_left_where_they_are_now(tree: Path) -> None:
    write(tree, a="dspy.safe\ndspy.risky\ndspy.manual\n", b="dspy.manual\n", c="nothing\n")
    result = rewrite()
    assert outcome(result) == {"a.py": ["+RM901", "RM902:4", "RM903:5"], "b.py": ["RM903:1"]}
    assert (tree / "a.py").read_text().endswith("\ntrajectory_of(dspy)\ndspy.risky\ndspy.manual\n")
    assert result.checked == 3


def test_unsafe_ones_when_asked(tree: Path) -> None:
    write(tree, a="dspy.safe\ndspy.risky\n")
    assert outcome(rewrite(unsafe=True)) == {"a.py": ["+RM901", "+RM902"]}


def test_a_second_run_has_nothing_to_fix(tree: Path) -> None:
    write(tree, a="dspy.safe\ndspy.manual\n", b="dspy.safe\n")
    rewrite()
    before = {path: path.stat() for path in tree.iterdir()}
    assert outcome(rewrite()) == {"a.py": ["RM903:4"]}
    assert {path: path.stat() for path in tree.iterdir()} == before


@pytest.mark.parametrize("settings", [{"fix": False}, {"put": False}])
def test_nothing_is_written_when_that_was_not_asked(tree: Path, settings: dict[str, bool]) -> None:
    write(tree, a="dspy.safe\ndspy.manual\n")
    (found,) = rewrite(**settings).jobs
    assert (tree / "a.py").read_text() == "dspy.safe\ndspy.manual\n"
    assert [one.span.line for one in found.left if one.code == "RM903"] == [2]
    assert found.changed is ("put" in settings)


def test_only_wanted_rules_are_reported_and_applied(tree: Path) -> None:
    write(tree, a="dspy.safe\ndspy.manual\n")
    assert outcome(rewrite(select="RM903")) == {"a.py": ["RM903:2"]}


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("# react-migrate: ignore", []),
        ("# react-migrate: ignore[RM903]", []),
        ("# note  # REACT-MIGRATE:ignore[rm1, RM90]", []),
        ("# react-migrate: ignore[RM901]", ["RM903:1"]),
        ("# react-migrate: ignored by me", []),
        ("# react-migrate", ["RM903:1"]),
    ],
)
def test_a_comment_silences_its_line(tree: Path, comment: str, left: list[str]) -> None:
    write(tree, a=f"dspy.manual  {comment}\n")
    assert outcome(rewrite()).get("a.py", []) == left


def test_an_ignored_finding_is_not_fixed_either(tree: Path) -> None:
    write(tree, a="dspy.safe  # react-migrate: ignore[RM901]\ndspy.safe\n")
    rewrite()
    assert "dspy.safe  # react" in (tree / "a.py").read_text()
    assert "trajectory_of(dspy)" in (tree / "a.py").read_text()


# --- groups ---


def test_a_group_is_fixed_whole_or_not_at_all(tree: Path) -> None:
    write(tree, a="dspy.guard and dspy.guarded\n")
    assert outcome(rewrite()) == {"a.py": ["RM904:1", "RM905:1"]}
    assert outcome(rewrite(unsafe=True)) == {"a.py": ["+RM904", "+RM905"]}


def test_a_group_waits_also_for_rules_that_were_not_selected(tree: Path) -> None:
    write(tree, a="dspy.guard and dspy.guarded\n")
    assert outcome(rewrite(select="RM904", unsafe=True)) == {"a.py": ["RM904:1"]}


def test_a_group_waits_for_a_silenced_member(tree: Path) -> None:
    write(tree, a="dspy.guard\ndspy.guarded  # react-migrate: ignore\n")
    assert outcome(rewrite(unsafe=True)) == {"a.py": ["RM904:1"]}


# --- trouble ---


def test_one_file_s_trouble_is_not_the_others_(tree: Path) -> None:
    write(
        tree,
        a="dspy.safe\n",
        broken="dspy.broken\ndspy.safe\n",
        endless="dspy.endless\ndspy.safe\n",
        invalid="dspy.invalid\ndspy.safe\n",
        latin=b"# coding: ascii\ndspy.unencodable\ndspy.safe\n",
        nul=b"dspy.safe\0\n",
        old="print 'dspy.safe'\n",
        undecodable=b"dspy.safe\n\xff\n",
        wide="dspy.safe\n".encode("utf-16"),
        z="dspy.safe\n",
    )
    before = {path: path.read_bytes() for path in tree.iterdir()}
    result = rewrite()
    assert outcome(result) == {
        "a.py": ["+RM901"],
        "broken.py": ["RM003:1"],
        "endless.py": ["RM003:1", "RM907:1", "RM901:2"],
        "invalid.py": ["RM003:1", "RM908:1", "RM901:2"],
        "latin.py": ["RM002:1", "RM909:2", "RM901:3"],
        "nul.py": ["RM001:1"],
        "old.py": ["RM001:1"],
        "undecodable.py": ["RM002:1"],
        "z.py": ["+RM901"],
    }
    changed = {path.name for path in tree.iterdir() if path.read_bytes() != before[path]}
    assert changed == {"a.py", "z.py"}
    messages = {
        one.path.stem: next(f.message for f in one.left if f.code < "RM1") for one in result.jobs if one.left
    }
    assert "the analysis failed, a bug of react-migrate" in messages["broken"]
    assert "ZeroDivisionError: oh [toys.py:" in messages["broken"]
    assert "a second run would change the file again (RM907)" in messages["endless"]
    assert "not valid Python any more" in messages["invalid"]
    assert "is encoded as ascii, which has no '\\u2192'" in messages["latin"]
    assert "correct it, or run react-migrate with the Python" in messages["old"]
    assert messages["undecodable"] == (
        "is not valid utf-8 (byte 0xff on line 2); save it as UTF-8 or correct its coding line"
    )


def test_files_without_a_trigger_are_not_even_decoded(tree: Path) -> None:
    write(tree, a=b"\xff\xfe\0 this is no Python (\n", b="def (")
    result = rewrite()
    assert (result.jobs, result.checked) == ([], 2)


def test_but_a_file_that_was_named_is(tree: Path) -> None:
    write(tree, a=b"\xff\xfe\0 this is no Python (\n", b="def (")
    result = run([Path("a.py"), Path("b.py")], options())
    assert outcome(result) == {"a.py": ["RM002:1"], "b.py": ["RM001:1"]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("dspy.safe\nif", 2),
        ("dspy.safe\n'''", 2),
        ("dspy.safe = (\n", 1),
        ("dspy.safe\n" + "(" * 300, 2),
        ("dspy.safe\n\tx", 2),
    ],
)
def test_where_a_file_does_not_parse(tree: Path, text: str, line: int) -> None:
    write(tree, a=text)
    assert outcome(rewrite()) == {"a.py": [f"RM001:{line}"]}


def test_what_cannot_be_found_or_written_is_told_and_the_rest_is_done(tree: Path) -> None:
    write(tree, a="dspy.safe\n", locked="dspy.safe\n")
    (tree / "locked.py").chmod(0o444)
    result = run([Path("a.py"), Path("locked.py"), Path("gone.py")], options())
    assert outcome(result) == {
        "a.py": ["+RM901"],
        "gone.py": ["RM002:1"],
        "locked.py": ["RM002:1", "RM901:1"],
    }
    assert (tree / "locked.py").read_text() == "dspy.safe\n"


def test_a_file_that_changes_while_it_is_worked_on_is_left_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, a="dspy.safe\n")
    original = job.write

    def late(path: Path, before: bytes, after: bytes) -> None:
        path.write_text("theirs\n")
        original(path, before, after)

    monkeypatch.setattr(job, "write", late)
    (found,) = rewrite().jobs
    assert "changed on disk since it was read" in found.left[0].message
    assert (tree / "a.py").read_text() == "theirs\n"


def test_an_interrupt_keeps_what_was_written_by_then(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, a="dspy.safe\n", b="dspy.safe\n", c="dspy.safe\n")
    original = job.write

    def interrupted(path: Path, before: bytes, after: bytes) -> None:
        if path.name == "b.py":
            raise KeyboardInterrupt
        original(path, before, after)

    monkeypatch.setattr(job, "write", interrupted)
    result = rewrite()
    assert result.interrupted
    assert outcome(result) == {"a.py": ["+RM901"]}
    assert [(tree / f"{name}.py").read_text() == "dspy.safe\n" for name in "abc"] == [False, True, True]
    assert sorted(path.name for path in tree.iterdir()) == ["a.py", "b.py", "c.py"]


def test_an_interrupt_while_looking_for_files(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "discover", interrupted)
    assert rewrite().interrupted


# --- what does not come from a file ---


def test_text_without_a_file(tree: Path) -> None:
    result = run_text(Path("a.py"), b"dspy.safe\r\ndspy.manual", options())
    (found,) = result.jobs
    assert found.after is not None
    assert (
        found.after.raw == b"from react_shims import trajectory_of\r\n\r\ntrajectory_of(dspy)\r\ndspy.manual"
    )
    assert outcome(result) == {"a.py": ["+RM901", "RM903:4"]}
    assert not list(tree.iterdir())


def test_text_that_is_none(tree: Path) -> None:
    assert outcome(run_text(Path("-"), b"\xff", options())) == {"-": ["RM002:1"]}
    assert outcome(run_text(Path("-"), b"def (", options())) == {"-": ["RM001:1"]}


# --- annotations ---


def test_annotations_come_after_the_fixes_and_once(tree: Path) -> None:
    write(tree, a="dspy.safe\nif dspy:\n    dspy.manual\n")
    (found,) = rewrite(annotate=True).jobs
    once = (tree / "a.py").read_text()
    assert once.endswith(
        "trajectory_of(dspy)\nif dspy:\n    # TODO(react-migrate): RM903 `manual` is old\n    dspy.manual\n"
    )
    assert (outcome(rewrite(annotate=True)), found.comments) == ({"a.py": ["RM903:6"]}, 1)
    assert (tree / "a.py").read_text() == once


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_a_file_keeps_its_encoding_mark_and_newlines(tree: Path, newline: str) -> None:
    lines = ["s = 'é'", "dspy.safe", "dspy.manual", ""]
    write(
        tree,
        a=b"\xef\xbb\xbf" + newline.join(lines).encode(),
        b=("# coding: latin-1\n" + newline.join(lines)).encode("latin-1"),
    )
    rewrite(annotate=True)
    a, b = (tree / "a.py").read_bytes(), (tree / "b.py").read_bytes()
    assert a.startswith(b"\xef\xbb\xbffrom react_shims")
    assert a.decode("utf-8-sig").replace(newline, "").count("\r" if newline != "\r" else "\n") == 0
    assert b"s = '\xe9'" in b
    assert b"TODO" in b
