"""Which files could have to do with a ReAct agent at all? Decided from their text, before anything is parsed.

A value travels between files along imports, in either direction. So a file can only see an agent, or what
an agent gave, when a chain of imports ties it to a file whose text has the word `ReAct`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from react_migrate.flow.modules import Modules

if TYPE_CHECKING:
    from react_migrate.flow.program import Text

# A statement starts a line, or follows another one or an `if x:` on its line.
_PLAIN = re.compile(rb"(?:^|[;:])[ \t]*import[ \t]+([^\n#;]+)", re.M)
_FROM = re.compile(rb"(?:^|[;:])[ \t]*from[ \t]*(\.*)[ \t]*([\w.]*)[ \t]*import[ \t]+([^\n#(;]*)", re.M)
_FROM_LIST = re.compile(rb"(?:^|[;:])[ \t]*from[ \t]*(\.*)[ \t]*([\w.]*)[ \t]*import[ \t]*\(([^)]*)\)", re.M)
_BY_STRING = re.compile(rb"""(?:import_module|__import__)\(\s*["']([\w.]+)["']""")
_CONTINUED = re.compile(rb"\\\r?\n")


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
    code = _CONTINUED.sub(b" ", code)
    for match in _BY_STRING.finditer(code):
        target = modules.absolute(path, match.group(1).decode("ascii", "ignore"))
        if target is not None:
            yield target
    for match in _PLAIN.finditer(code):
        for part in match.group(1).split(b","):
            name = part.split()[0].decode("ascii", "ignore") if part.strip() else ""
            target = modules.absolute(path, name) if name else None
            if target is not None:
                yield target
    for pattern in (_FROM, _FROM_LIST):
        for match in pattern.finditer(code):
            dots, module, names = match.groups()
            yield from filter(None, _from(path, len(dots), module.decode("ascii", "ignore"), names, modules))


def _from(path: Path, level: int, module: str, names: bytes, modules: Modules) -> Iterator[Path | None]:
    """The module itself, and the names that are modules in it."""
    parts = [part.split()[0].decode("ascii", "ignore") for part in names.split(b",") if part.strip()]
    for name in ("", *parts):
        dotted = ".".join(filter(None, (module, name)))
        if level:
            yield modules.relative(path, level, dotted)
        elif dotted:
            yield modules.absolute(path, dotted)
