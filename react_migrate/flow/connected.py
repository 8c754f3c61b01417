"""Which files could have to do with a ReAct agent at all? Decided from their text, before anything is parsed.

A value travels between files along imports, in either direction. So a file can only see an agent, or what
an agent gave, when a chain of imports ties it to a file whose code has the word `ReAct`.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from react_migrate.flow import prose
from react_migrate.flow.modules import Modules

if TYPE_CHECKING:
    from react_migrate.flow.program import Text

_NAME = rb"[\w.\x80-\xff]*"
_WORD = re.compile(rb"import\b")
# What stands before the word on its line. A statement starts a line, or follows another or an `if x:` on it.
_START = rb"(?:.*[;:])?[ \t\f]*"
_PLAIN = re.compile(_START + rb"$")
_FROM = re.compile(_START + rb"from[ \t\f]*(\.*)[ \t\f]*(" + _NAME + rb")[ \t\f]*$")
_LONGEST = 500  # bytes; of data on one line of a megabyte there is no point in looking at more
# What stands after it.
_LISTED = re.compile(rb"\s*\(([^)]*)\)|([^\n#;]*)")
_BY_STRING = re.compile(rb"""(?:import_module|__import__)\(\s*["\'](""" + _NAME + rb""")["\']""")
_CONTINUED = re.compile(rb"\\\n")
_COMMENT = re.compile(rb"#[^\n]*")


class Connections:
    """The project's files and the imports between them, as undirected neighbours."""

    def __init__(self, sources: Mapping[Path, Text], modules: Modules) -> None:
        self._sources = sources
        self._neighbours: dict[Path, set[Path]] = defaultdict(set)
        for path, source in sources.items():
            for other in _imported(path, source.code, modules):
                if other in sources:
                    self._neighbours[path].add(other)
                    self._neighbours[other].add(path)

    def with_any(self, *words: bytes) -> set[Path]:
        """The files whose text has one of the words."""
        return {path for path, source in self._sources.items() if any(word in source.code for word in words)}

    def naming(self, *words: bytes) -> set[Path]:
        """The files whose code has one of the words as a name; see `prose`."""
        return {path for path in self.with_any(*words) if prose.names(self._sources[path].code, *words)}

    def around(self, paths: Iterable[Path]) -> set[Path]:
        """These files and everything that a chain of imports ties to them."""
        found = set(paths)
        todo = list(found)
        while todo:
            for other in self._neighbours[todo.pop()] - found:
                found.add(other)
                todo.append(other)
        return found

    def beside(self, paths: Iterable[Path]) -> set[Path]:
        """These files, those that they import and those that import them."""
        start = set(paths)
        return start.union(*(self._neighbours[path] for path in start))


def _imported(path: Path, code: bytes, modules: Modules) -> Iterator[Path]:
    code = _in_plain_lines(code)
    if b"import_module" in code or b"__import__" in code:
        for match in _BY_STRING.finditer(code):
            yield from filter(None, [modules.absolute(path, _text(match.group(1)))])
    for word in _WORD.finditer(code):
        start = code.rfind(b"\n", 0, word.start()) + 1
        before = code[max(start, word.start() - _LONGEST) : word.start()]
        after = _LISTED.match(code, word.end())
        assert after is not None  # it matches nothing, too
        listed, plain = after.groups()
        statement = _FROM.match(before)
        if statement is not None:
            dots, module = statement.groups()
            names = _COMMENT.sub(b"", listed) if listed is not None else plain
            yield from filter(None, _from(path, len(dots), _text(module), _names(names), modules))
        elif plain is not None and _PLAIN.match(before):
            yield from filter(None, (modules.absolute(path, name) for name in _names(plain)))


def _in_plain_lines(code: bytes) -> bytes:
    """The code with every statement on one line that starts the line, as far as it has no brackets."""
    code = code.removeprefix(codecs.BOM_UTF8)
    if b"\r" in code:
        code = code.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return _CONTINUED.sub(b" ", code) if b"\\\n" in code else code


def _names(listed: bytes) -> list[str]:
    """The names in `a, b.c as d`."""
    return [_text(part.split()[0]) for part in listed.split(b",") if part.strip()]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "ignore")


def _from(path: Path, level: int, module: str, names: list[str], modules: Modules) -> Iterator[Path | None]:
    """The module itself, and the names that are modules in it."""
    if not level and not modules.may_have(module):
        return
    for name in ("", *names):
        dotted = ".".join(filter(None, (module, name)))
        if level:
            yield modules.relative(path, level, dotted)
        elif dotted:
            yield modules.absolute(path, dotted)
