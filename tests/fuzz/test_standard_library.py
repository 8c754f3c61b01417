"""Real files that nobody wrote for this: a sample of the standard library, with an agent spliced in."""

from __future__ import annotations

import ast
import re
import sysconfig
from pathlib import Path
from random import Random

import pytest
from invariants import check_rewrite, compiles
from mutate_code import blocks
from mutate_format import as_bytes, first_line
from profiles import TIMES

LIBRARY = Path(sysconfig.get_path("stdlib"))
HEAD = '\nimport dspy\n\n_the_agent = dspy.ReAct("q -> a", tools=[])\n_the_run = _the_agent(q=1)\n'
LINES = [
    "_the_run.trajectory",
    "print(_the_run.trajectory['observation_0'], _the_agent(q=2)\\\n        .trajectory)",
    "_seen = getattr(_the_run, 'trajectory', {})  # why",
    "assert hasattr(_the_run, 'trajectory'), f'{_the_run.trajectory!r}'",
    "_seen = _the_run.get('trajectory') or _the_run['trajectory']; del _seen",
    "lambda: (isinstance(_the_run, dspy.ReActV2), '''\n''')",
]
EXPRESSIONS = ["({0} if _the_run.trajectory else {0})", "(hasattr(_the_run, 'trajectory')\n, {0})[1]"]


def sample(count: int) -> list[Path]:
    """Files up to a size, the same ones each time on the same Python."""
    tops = (path for path in LIBRARY.iterdir() if path.name not in {"site-packages", "test", "lib2to3"})
    files = (file for top in tops for file in ([top] if top.suffix == ".py" else top.rglob("*.py")))
    return Random(2).sample(sorted(file for file in files if 1000 < file.stat().st_size < 40_000), count)


@pytest.mark.parametrize("path", sample(16 * TIMES), ids=lambda path: path.relative_to(LIBRARY).as_posix())
def test_an_agent_in_the_standard_library(path: Path) -> None:
    random = Random(path.name)
    try:
        text = spliced(path.read_text(encoding="utf-8").replace("\f", ""), random)
    except (UnicodeDecodeError, SyntaxError):
        pytest.skip("it is a test of what is no UTF-8 or no Python")
    done = check_rewrite({path.name: as_bytes(text, random)})
    assert not done.failed
    assert not done.left
    assert (b"react_shims" in done.files[path.name]) == ("trajectory" in text or "ReActV2" in text)
    assert not re.search(rb"\.trajectory\b|'trajectory'|ReActV2", done.files[path.name])


def spliced(text: str, random: Random) -> str:
    """The text with an agent made at its top, and with reads of what it did here and there."""
    for add in (*[with_expression] * random.randint(0, 4), *[with_statement] * random.randint(1, 4)):
        text = add(text, random)
    lines = text.split("\n")
    tree = ast.parse(text)
    preamble = [node for node in tree.body if getattr(node, "module", None) == "__future__"]
    if ast.get_docstring(tree) is not None:
        preamble.append(tree.body[0])
    lines.insert(max((node.end_lineno or 0 for node in preamble), default=0), HEAD)
    return "\n".join(lines)


def with_expression(text: str, random: Random) -> str:
    """A read around a variable."""
    tree = ast.parse(text)
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(node) for string in strings for node in ast.walk(string)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    names = [node for node in names if id(node) not in inside and node.id not in ("_the_run", "hasattr")]
    lines = text.split("\n")
    while names:
        node = names.pop(random.randrange(len(names)))
        line = lines[node.lineno - 1].encode()
        start, stop = line[: node.col_offset].decode(), line[node.end_col_offset :].decode()
        made = start + random.choice(EXPRESSIONS).format(node.id) + stop
        changed = "\n".join([*lines[: node.lineno - 1], made, *lines[node.lineno :]])
        if compiles(changed):  # in a pattern, say, it does not
            return changed
    return text


def with_statement(text: str, random: Random) -> str:
    """A read on a line of its own."""
    fits = [node for node in blocks(ast.parse(text), text) if getattr(node, "module", None) != "__future__"]
    if not fits:
        return text
    node = random.choice(fits)
    lines = text.split("\n")
    indent = lines[node.lineno - 1][: node.col_offset]
    lines.insert(first_line(node) - 1, indent + random.choice(LINES))
    changed = "\n".join(lines)
    return changed if compiles(changed) else text
