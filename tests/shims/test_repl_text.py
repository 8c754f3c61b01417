"""The text of a `REPLHistory` is taken apart again. (That it is DSPy's own: tests/on_dspy.)"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repl_strategies import texts

from react_shims import repl_trajectory_of
from react_shims.wire.repl_text import (
    NOTHING_YET,
    entries_in_text,
    looks_like_repl_text,
    text_of_entries,
)

TEXT = """\
=== Step 1 ===
Reasoning: Look at it first.
Code:
```python
print(len(context))
```
Output (2 chars):
13
=== Step 2 ===
Code:
```python
SUBMIT(13)
```
Output (21 chars):
FINAL: {'answer': 13}"""
ENTRIES = [
    {"reasoning": "Look at it first.", "code": "print(len(context))", "output": "13"},
    {"reasoning": "", "code": "SUBMIT(13)", "output": "FINAL: {'answer': 13}"},
]


def entries_of(text: str) -> list[dict[str, Any]] | None:
    found = entries_in_text(text)
    names = ("reasoning", "code", "output")
    return found and [{name: getattr(entry, name) for name in names} for entry in found]


def test_entries_are_taken_from_a_text_and_written_again() -> None:
    assert entries_of(TEXT) == ENTRIES
    assert text_of_entries(ENTRIES) == TEXT
    assert repl_trajectory_of(TEXT) == ENTRIES
    assert (entries_in_text(NOTHING_YET), text_of_entries([])) == ([], NOTHING_YET)
    assert looks_like_repl_text(TEXT)
    assert looks_like_repl_text(NOTHING_YET)


def shown(output: str, length: int) -> str:
    return f"=== Step 1 ===\nCode:\n```python\nc\n```\nOutput ({length:,} chars):\n{output}"


@pytest.mark.parametrize(
    ("output", "length"),
    [
        ("aaaaa\n\n... (1,990 characters omitted) ...\n\nzzzzz", 2000),
        ("aaaa\n\n... (1,991 characters omitted) ...\n\nzzzzz", 2000),  # 9 kept, the end gets more (3.4)
        ("aaaa\n\n... (1,991 characters omitted) ...\n\nzzzz", 2000),  # 9 to be kept, half of it twice (3.3)
        ("\n\n... (5 characters omitted) ...\n\nabcde", 5),  # nothing to be kept, and all of it is
    ],
)
def test_of_a_long_output_the_beginning_and_the_end_are_known(output: str, length: int) -> None:
    found = entries_in_text(shown(output, length))
    assert found is not None
    assert [(entry.output, entry.length) for entry in found] == [(output, length)]
    assert text_of_entries([entry._asdict() for entry in found], {0: length}) == shown(output, length)


def test_a_long_output_is_not_taken_for_a_whole_one_that_ends_where_the_text_does() -> None:
    output = "aaaa\n\n... (192 characters omitted) ...\n\nzzzz"
    text = text_of_entries([{**ENTRIES[0], "output": output}, {**ENTRIES[1], "output": "8" * 4}], {0: 200})
    length = len(text) - text.index("aaaa")
    longer = text.replace("200 chars", f"{length} chars").replace("(192 ", f"({length - 8} ")
    found = entries_in_text(longer)
    assert found is not None
    assert [entry.length for entry in found] == [length, 4] == [len(longer) - longer.index("aaaa"), 4]


@pytest.mark.parametrize(
    "reasoning", ["As before:\nCode:\n```python\nprint(0)\n```\nand so on", "Output (3 chars):", "\n", "```"]
)
def test_a_reasoning_may_show_code(reasoning: str) -> None:
    entries = [{"reasoning": reasoning, "code": "print(1)", "output": "1"}] * 2
    assert entries_of(text_of_entries(entries)) == entries


@pytest.mark.parametrize(
    "output",
    [
        "",
        "\n",
        "=== Step 2 ===\nCode:\n```python\nx\n```\nOutput (1 chars):\n1",
        TEXT,
        "\n```\nOutput (0 chars):\n",
    ],
)
def test_an_output_may_read_like_another_step(output: str) -> None:
    entries = [{"reasoning": "", "code": "print(x)", "output": output}, *ENTRIES]
    assert entries_of(text_of_entries(entries)) == entries


@settings(max_examples=300, deadline=None)
@given(st.lists(st.fixed_dictionaries({"reasoning": texts, "code": texts, "output": texts}), max_size=4))
def test_whatever_is_in_it_the_same_text_can_be_written_again(entries: Any) -> None:
    text = text_of_entries(entries)
    found = entries_in_text(text)
    if any("=== Step 2 ===" in entry["reasoning"] + entry["code"] for entry in entries):
        found = found or []
        text = text if found else NOTHING_YET
    assert found is not None
    assert text_of_entries([entry._asdict() for entry in found]) == text
    if not any("```" in entry["code"] for entry in entries) and text != NOTHING_YET:
        assert entries_of(text) == entries


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        TEXT[1:],
        TEXT[:-1],
        TEXT + "\n",
        TEXT.replace("Step 2", "Step 3"),
        TEXT.replace("(2 chars)", "(3 chars)"),
        TEXT.replace("```python", "```"),
        TEXT.replace("Reasoning: ", "Thought: "),
        TEXT.replace("Look at it first.", ""),
        TEXT.replace("(2 chars)", "(02 chars)"),
        TEXT.replace("(2 chars)", "(" + "9" * 5000 + " chars)"),
        NOTHING_YET + "\n",
        # 4 and 6 characters of 10: no release cuts like this
        shown("aaaa\n\n... (1,990 characters omitted) ...\n\nzzzzzz", 2000),
    ],
)
def test_any_other_text_is_none(text: str) -> None:
    assert entries_in_text(text) is None
    with pytest.raises(AttributeError, match="'str' object has no attribute 'trajectory'"):
        repl_trajectory_of(text)


def test_texts_made_to_be_slow_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    step = "\n```\nOutput (0 chars):\n\n=== Step 2 ===\nCode:\n```python\n"
    assert entries_in_text("=== Step 1 ===\nCode:\n```python\n" + step * 20_000) is None
    notes = "\n\n... (1 characters omitted) ...\n\n" * 20_000
    assert entries_in_text(shown(notes, 400_000) + notes) is None
    headers = "\n```\nOutput (900,000 chars):\n" * 20_000
    assert entries_in_text("=== Step 1 ===\nCode:\n```python\n" + headers + notes) is None
    # By counting: whole texts have a try for each step, and for each note of something left out.
    omitted = shown("aaaa\n\n... (1,991 characters omitted) ...\n\nzzzzz", 2000)
    monkeypatch.setattr("react_shims.wire.repl_text._MOST_TRIES", 2)
    assert len(entries_in_text(TEXT) or ()) == 2
    assert len(entries_in_text(omitted) or ()) == 1
    monkeypatch.setattr("react_shims.wire.repl_text._MOST_TRIES", 1)
    assert entries_in_text(TEXT) is None
    assert entries_in_text(omitted) is None


def test_long_runs() -> None:
    output = "a" * 5_000 + "\n\n... (10,000 characters omitted) ...\n\n" + "z" * 5_000
    text = text_of_entries([{**ENTRIES[0], "output": output}] * 300, dict.fromkeys(range(300), 20_000))
    assert len(entries_in_text(text) or ()) == 300
