"""Whatever a notebook holds: without an edit it is the same bytes, and edits change its sources only."""

from __future__ import annotations

import ast
import codecs
import itertools
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from notebooks import AGENT, FIXED, IMPORT, READ, code, jupyter, markdown, notebook, rewrite, sources

from react_migrate.notebook import Notebook, decode_notebook
from react_migrate.notebook.document import read_document
from react_migrate.notebook.magics import read_cell
from react_migrate.notebook.spelling import Style, respelled
from react_migrate.notebook.standin import set_aside
from react_migrate.source import RestoreError, split_lines

PATH = Path("nb.ipynb")

# --- arbitrary notebooks, spelled in arbitrary ways ---

PYTHON = (
    "import dspy",
    "x = 1",
    "if x:",
    "    y = 'é'",
    "# é",
    "await f()",
    "😀 = '\t'",
    "0x_00",
    "0x_ce11_00",
)
MAGICS = ("    !ls", "%who", "%time x = 2", "%%time", "%%bash", "x?", "x = !ls", "!ls \\")
PIECES = ("(", ")", '"""', "", " ", "\\", "\x0c", "\u2028", "\x00", "\ufeff")
LINES = st.sampled_from([*PYTHON, *MAGICS, *PIECES])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
SOURCES = st.one_of(
    st.builds(
        lambda lines, last: "".join(map("".join, lines)) + last,
        st.lists(st.tuples(LINES, ENDS), max_size=6),
        LINES,
    ),
    st.text(max_size=8),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def spelled(value: object, rng: Random) -> str:
    """JSON text of a value, with arbitrary white space and arbitrary escapes."""

    def spaced(text: str) -> str:
        return rng.choice(["", "", " ", "\n", "\r\n\t"]) + text + rng.choice(["", "", " "])

    if isinstance(value, dict):
        pairs = (f"{spaced(spelled(k, rng))}:{spaced(spelled(v, rng))}" for k, v in value.items())
        return "{" + (",".join(pairs) or spaced("")) + "}"
    if isinstance(value, list):
        return "[" + (",".join(spaced(spelled(one, rng)) for one in value) or spaced("")) + "]"
    if isinstance(value, str):
        return f'"{"".join(letter(one, rng) for one in value)}"'
    return json.dumps(value)


def letter(one: str, rng: Random) -> str:
    if rng.random() < 0.7:
        return json.dumps(one, ensure_ascii=False)[1:-1]
    return "\\/" if one == "/" else json.dumps(one)[1:-1] if ord(one) > 126 else f"\\u{ord(one):04X}"


@st.composite
def cells(draw: st.DrawFn) -> dict[str, Any]:
    text = draw(SOURCES)
    ways = [text, text.splitlines(keepends=True), split_lines(text), [text], [*text], ["", text]]
    cell = {
        "cell_type": draw(st.sampled_from(["code", "code", "markdown"])),
        "source": draw(st.sampled_from(ways)),
    }
    extra = draw(st.dictionaries(st.sampled_from(["outputs", "metadata", "id", ""]), JSON, max_size=2))
    return dict(draw(st.permutations([*cell.items(), *extra.items()])))


@st.composite
def notebooks(draw: st.DrawFn) -> bytes:
    members = {"metadata": draw(JSON), "cells": draw(st.lists(cells(), max_size=3)), "x": draw(JSON)}
    rng = draw(st.randoms(use_true_random=False))
    text = f"\n{spelled(dict(draw(st.permutations([*members.items()]))), rng)}\r\n"
    return draw(st.sampled_from([b"", codecs.BOM_UTF8])) + text.encode()


@settings(deadline=None)
@given(notebooks())
def test_without_an_edit_a_notebook_is_the_same_bytes(data: bytes) -> None:
    source = decode_notebook(PATH, data)
    assert source.restore(source.text) == data


@settings(deadline=None)
@given(notebooks())
@example(b'{"cells":[{"cell_type":"code","source":"x\\rx"},{"cell_type":"code","source":"\\n "}]}')
@example(b'{"cells":[{"cell_type":"code","source":"x\\r"},{"cell_type":"code","source":"\\nx"}]}')
def test_the_lines_of_the_module_are_those_of_the_cells(data: bytes) -> None:
    source = decode_notebook(PATH, data)
    ast.parse(source.text)
    texts = {cell.number: cell.source for cell in read_document(data.decode("utf-8-sig")).cells}
    shown: dict[int, list[str]] = {number: [] for number in texts}
    for number, line in enumerate(split_lines(source.text), 1):
        cell, at = source.locate(number)
        assert cell is not None
        if at == len(shown[cell]) + 1 and at <= len(split_lines(texts[cell])):
            shown[cell].append(source.line(number))
            assert read_cell(texts[cell]).asides or line.rstrip("\r\n") == shown[cell][-1].rstrip("\r\n")
    assert shown == {number: split_lines(text) for number, text in texts.items()}


@settings(deadline=None)
@given(notebooks(), st.data())
def test_new_sources_change_these_and_nothing_else(data: bytes, more: st.DataObject) -> None:
    text = data.decode("utf-8-sig")
    before = read_document(text)
    chosen = more.draw(st.lists(st.sampled_from(before.cells), unique=True)) if before.cells else []
    new = {cell.number: edited(cell.source, more) for cell in chosen}
    after = read_document(before.with_sources(new))
    for old, now in zip(before.cells, after.cells, strict=True):
        assert now.source == new.get(old.number, old.source)
        assert old.number in new or before.text[old.start : old.end] == after.text[now.start : now.end]
    assert between_sources(before) == between_sources(after)


def edited(text: str, more: st.DataObject) -> str:
    """Some lines go, some come, some get longer: what edits do."""
    lines = [[line] for line in text.splitlines(keepends=True)]
    for line in lines:
        act = more.draw(st.sampled_from(["stay", "stay", "drop", "double", "longer"]))
        line[:] = {"drop": [], "double": [*line, *line], "longer": [f"é{line[0]}"]}.get(act, line)
    return "".join(part for line in lines for part in line) + more.draw(
        st.sampled_from(["", "\n", "x = 'ü'"])
    )


def between_sources(document: Any) -> list[str]:
    """The text of a document around the sources of its code cells."""
    edges = [0, *(edge for cell in document.cells for edge in (cell.start, cell.end)), len(document.text)]
    return [document.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


@settings(deadline=None)
@given(SOURCES)
def test_every_cell_parses_when_what_is_no_python_is_set_aside(text: str) -> None:
    ast.parse(set_aside(text, read_cell(text).asides, itertools.repeat("0"))[0])


# --- edits to code ---


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([AGENT, "!ls\nx = 1", "%%time\nx = 1", "(", "%%bash\nls", "", "# é", READ]),
        max_size=6,
    )
)
def test_a_rewrite_changes_sources_and_nothing_else(texts: list[str]) -> None:
    document = notebook(markdown("# é"), AGENT, *texts, READ)
    with_import = AGENT.replace("\n", f"\n{IMPORT}\n", 1)
    expected = [with_import, *(FIXED if text == READ else text for text in texts), FIXED]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "nb.ipynb")
        path.write_bytes(jupyter(document))
        rewrite(path)
        assert path.read_bytes() == jupyter(notebook(markdown("# é"), *expected))
        assert not any(job.changed for job in rewrite(path).jobs)


def loaded(*texts: str) -> Notebook:
    return decode_notebook(PATH, jupyter(notebook(*texts)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0x_00\n", "\n"),  # lost
        ("0x_00\n", "0x_00\n0x_00\n"),  # doubled
        ("0x_01", "0x_00"),  # moved
        ("\n0x_ce11_00\n", "\n"),  # cells that became one
        ("(0x_02\n)", "(0x_02)"),  # edited
        ("(0x_02\n)", "(0x_02\n)\nimport x"),  # code in a cell that has none
        ("\nx\n0x_ce11_02\n", "\nx\n0x_ce11_02\nx\n"),  # below the last cell
        ("x = 1", "nonlocal x"),  # parses, does not compile
    ],
)
def test_a_text_that_no_edit_makes_is_refused(old: str, new: str) -> None:
    source = loaded("!ls\nx = 1\n!ls", "%%bash\nls", "x")
    assert old in source.text
    with pytest.raises(RestoreError):
        source.restore(source.text.replace(old, new, 1))


def test_stand_ins_are_not_what_the_notebook_has_itself() -> None:
    texts = ["0x_00\n!ls\n'0x_ce11_00'", "!ls {0x_01}", "x = 0x_02"]
    source = loaded(*texts)
    assert source.text == "0x_00\n0x_03\n'0x_ce11_00'\n0x_ce11_01\n0x_04\n0x_ce11_02\nx = 0x_02\n0x_ce11_03\n"
    after = source.restore(source.text.replace("x =", "y ="))
    assert sources(after) == [*texts[:2], "y = 0x_02"]


# --- how sources are spelled ---

WIDE, ASCII = Style(in_ascii=False, is_compact=False), Style(in_ascii=True, is_compact=False)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param('"a\\nb"', "a\nx\nb", '"a\\nx\\nb"', id="a string stays one"),
        pytest.param('["a\\n","b"]', "a\nx\nb", '["a\\n","x\\n","b"]', id="a list stays one"),
        pytest.param('[\n  "a\\n",\n  "b"\n ]', "x\na\nb", '[\n  "x\\n",\n  "a\\n",\n  "b"\n ]', id="layout"),
        pytest.param('[\n  "a"\n ]', "a\nb", '[\n  "a\\n",\n  "b"\n ]', id="layout of one line"),
        pytest.param('["a"]', "a\nb", '["a\\n", "b"]', id="one line without layout"),
        pytest.param('["a\\nb"]', "a\nx", '["a\\nx"]', id="all lines in one string"),
        pytest.param("[]", "a\nb", '["a\\n", "b"]', id="filled"),
        pytest.param('["a"]', "", "[]", id="emptied"),
        pytest.param('"a"', "", '""', id="emptied string"),
        pytest.param('["\\u00e9\\n", "\\/ é x"]', "é\n/ é y", '["\\u00e9\\n", "\\/ é y"]', id="escapes stay"),
        pytest.param('["\\ud83d\\ude00 x y"]', "😀 y", '["\\ud83d\\ude00 y"]', id="pairs stay"),
        pytest.param('["x"]', "é", '["é"]', id="letters as the file has them"),
        pytest.param('["x"]', "\x00\t\"\\", '["\\u0000\\t\\"\\\\"]', id="what has to be escaped"),
        pytest.param('["a\\r\\n", "b"]', "a\r\nx\r\nb", '["a\\r\\n", "x\\r\\n", "b"]', id="carriage returns"),
        pytest.param('["a\\n", "b\\fc\\n"]', "x\nb\x0cc\n", '["x\\n", "b\\fc\\n"]', id="cut at \\n only"),
    ],
)  # fmt: skip
def test_sources_are_spelled_as_before(old: str, new: str, expected: str) -> None:
    assert respelled(old, new, WIDE) == expected


def test_letters_are_escaped_where_the_file_escapes_them() -> None:
    assert respelled('["x"]', "é😀", ASCII) == '["\\u00e9\\ud83d\\ude00"]'
    cases = {"é": '["é"]', "\\u00e9": '["\\u00e9"]', "\\u00e9é": '["é"]', "\\u001b \\\\u00e9": '["é"]'}
    for other, expected in cases.items():
        text = f'{{"cells": [{{"cell_type": "code", "source": ["x"]}}], "x": "{other}"}}'
        assert expected in read_document(text).with_sources({1: "é"})


@pytest.mark.parametrize(
    ("colon", "expected"), [(":", '"source":["a\\n","b"]'), (": ", '"source": ["a\\n", "b"]')]
)
def test_lines_are_apart_as_the_colons_are(colon: str, expected: str) -> None:
    text = f'{{"cells": [{{"cell_type": "code", "source"{colon}["a"]}}]}}'
    assert expected in read_document(text).with_sources({1: "a\nb"})


def test_huge_cells_take_no_time() -> None:
    lines = [f"x{number} = {number}\n" for number in range(5000)]
    source = loaded("".join(lines))
    after = source.restore(source.text.replace("x2500 =", "y ="))
    assert json.loads(after)["cells"] == [code("".join(lines).replace("x2500 =", "y ="))]
