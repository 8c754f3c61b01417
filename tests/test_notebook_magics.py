"""What of a cell is not Python, as IPython sees it: its `inputtransformer2` was asked about each of these."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from react_migrate.notebook.magics import read_cell
from react_migrate.notebook.standin import set_aside

_LITERALS = "123456789"


def as_module(cell: str) -> str:
    """The cell's text with `1`, `2`, ... for what is set aside; empty when it does not parse."""
    reading = read_cell(cell)
    return "" if reading.error else set_aside(cell, reading.asides, _LITERALS)[0]


@pytest.mark.parametrize(
    ("cell", "module"),
    [
        # lines
        ("%pip install dspy", "1"),
        ("!ls\nx = 0", "1\nx = 0"),
        ("%load_ext autoreload\r\n%autoreload 2\r\nimport os", "1\r\n2\r\nimport os"),
        ("!", "1"),
        ("!!ls", "1"),
        ("!echo 'unbalanced\nx = 0", "1\nx = 0"),
        ('%who "\n(', ""),
        ("/f 5\n,f a b\n;f a b", "1\n2\n3"),
        ("if x:\n    !ls\n    %who\nelse:\n\t%who", "if x:\n    1\n    2\nelse:\n\t3"),
        ("def f():\n  !ls\n  return 0", "def f():\n  1\n  return 0"),
        ("for i in x: pass\n%who", "for i in x: pass\n1"),
        ("!ls \\\n  -l\nx = 0", "(1\n)\nx = 0"),
        ("!ls \\\r\n  -l", "(1\r\n)"),
        # assignments
        ("x = !ls", "x = 1"),
        ("x =%env HOME", "x =1"),
        ("a, b = !ls", "a, b = 1"),
        ("d['k='] = !ls | grep '='", "d['k='] = 1"),
        ("if y:\n    x = !ls \\\n -l\nz", "if y:\n    x = (1\n)\nz"),
        # help
        ("obj?", "1"),
        ("?obj\n??obj.attr", "1\n2"),
        ("x = 0\nobj.meth??  # why?\ny", "x = 0\n1  # why?\ny"),
        ("x = {'a': 0,\n'b': '?'}\nx?", "x = {'a': 0,\n'b': '?'}\n1"),
        ("help?\n\n", "1\n\n"),
        # statements behind a magic
        ("%time x = f()", "1;    x = f()"),
        ("%timeit   f(0)", "1;        f(0)"),
        ("if y:\n    %time x = f()  # slow", "if y:\n    1;    x = f()  # slow"),
        ("%time\nx", "1\nx"),
        ("%timeit x = 0", "1"),
        ("%timeit (x := 0)", "1"),
        ("%timeit -n 3 f()", "1"),
        ("%time for x in y: f()", "1"),
        ("%time f(\n", "1\n"),
        ("%%time?", "1"),
        # cells
        ("%%time\nx = 0", "1\nx = 0"),
        ("\n# why\n%%capture out\n!ls\nx = 0\n", "\n# why\n1\n2\nx = 0\n"),
        ("%%capture\n%%time\nx = 0", "1\n2\nx = 0"),
        ("%%bash\nls\n", "(1\n\n)"),
        ("%%unknown\n'", "(1\n)"),
        ("%sql\nselect x from y", "(1\n)"),
        ("pip install dspy", "1"),
        ("cd ..", "1"),
        # Python, all of it
        ("", ""),
        ("x = 5 % y\nx %= y\nx == y", "x = 5 % y\nx %= y\nx == y"),
    ],
)
def test_magics_are_set_aside(cell: str, module: str) -> None:
    assert as_module(cell) == module


@pytest.mark.parametrize(
    "python",
    [
        's = """\n%not\n!not\nnot?\n"""',
        "s = '''\\'''\n%not\n'''",
        "f(a,\n  b\n  % c, # x = !not\n)",
        "f(a,  # it's (\n  b)",
        "x = 'a?'  # b?",
        "s = '\\\n%not'",
        "s = f\"{x['a']!r:>{width}}\"",
        "r'\\''\nb = '!'",
        "x = 0;  # ;",
        "x = lambda y=0: y\n# %not\n",
        "x = \\\n  y \\\n  % z",
    ],
)
def test_what_looks_like_a_magic_inside_of_python_is_none(python: str) -> None:
    assert as_module(f"{python}\n%who") == f"{python}\n1"


@pytest.mark.parametrize(
    "cell", ["print(", "if x:\nprint(0)", "x = 0 0", "%%time\nprint(", "pip install dspy\nx =", "  x = 0"]
)
def test_what_does_not_parse_is_all_set_aside(cell: str) -> None:
    reading = read_cell(cell)
    assert reading.error
    assert [(one.start, one.end) for one in reading.asides] == [(0, len(cell))]


def test_the_place_of_an_error_is_that_in_the_cell() -> None:
    error = read_cell("%%time\n%%capture\n!ls\nx = (").error
    assert error is not None
    assert (error.line, error.column) == (4, 5)


@pytest.mark.parametrize(
    ("cell", "left"),
    [
        ("%%writefile x.py\nx.trajectory", [("%%writefile", "%%writefile x.py\nx.trajectory")]),
        ("%%writefile x.txt\nsome prose", []),
        ("%%bash\nls", []),
        ("%timeit -n 3 f()\nx = %timeit -o g()", [("%timeit", " -n 3 f()"), ("%timeit", " -o g()")]),
        ("!ls {x} $y\n!ls", [("!", "{x}"), ("!", "")]),
        ("%time f()\n%pip install x\nf?", []),
    ],
)
def test_python_that_is_left_out_is_known(cell: str, left: Sequence[tuple[str, str]]) -> None:
    assert [(one.magic, one.code) for one in read_cell(cell).left_out] == left


def test_lines_and_columns_stay() -> None:
    cell = "%%time\nif x:\n    !ls \\\n -l\n    %time y = z; y\n    a = !ls\nlast"
    module = set_aside(cell, read_cell(cell).asides, itertools.repeat("0x_00"))[0]
    assert len(module.splitlines()) == len(cell.splitlines())
    for name in ("if", "y = z", "; y", "a =", "last"):
        assert place(module, name) == place(cell, name)


def place(text: str, part: str) -> tuple[int, int]:
    before = text[: text.index(part)]
    return before.count("\n"), len(before) - before.rfind("\n")
