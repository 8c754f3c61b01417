"""The files of a project, parsed when somebody asks about them."""

from __future__ import annotations

import ast
import gc
import re
import sys
import warnings
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from react_migrate.finding import Span
from react_migrate.flow.connected import Connections
from react_migrate.flow.frames import Frame
from react_migrate.flow.index import Index, Store, build_index
from react_migrate.flow.modules import Modules
from react_migrate.flow.nodes import FIELDS
from react_migrate.flow.reaching import Reaching, reaching_definitions
from react_migrate.flow.scopes import Scope
from react_migrate.flow.values import Values
from react_migrate.interpreter import RECURSION, deep_stack, undisturbed, without_gc
from react_migrate.source import Place

# Every byte that is part of no word becomes a blank.
_WORDS_ALONE = bytes(b if b > 127 or chr(b).isalnum() or b == ord("_") else ord(" ") for b in range(256))
_LINE = re.compile(r"\r\n|\r|\n")


class Text(Protocol):
    """What the analysis needs of a source file."""

    @property
    def path(self) -> Path: ...
    @property
    def text(self) -> str: ...
    @property
    def code(self) -> bytes: ...
    def locate(self, line: int) -> Place: ...
    def line(self, number: int) -> str: ...


class AnalysedFile:
    """One file: its tree, its index, and the answers about its expressions."""

    def __init__(self, program: Program, source: Text, tree: ast.Module) -> None:
        self.program = program
        self.path = source.path
        self.text = source.text
        self._locate = source.locate
        self._line = source.line
        self.tree = tree
        self.index: Index = build_index(self, tree)
        self.kept: dict[str, bool] = {}  # of only_name.py: names whose values are never handed on
        self.item_stores: dict[object, list[Store]] | None = None  # of filling.py, by the key
        self._reaching: dict[Scope, Reaching] = {}

    @property
    def within_reach(self) -> bool:
        """Whether an agent, or what one gave, can get into this file at all."""
        return self.path in self.program.within_reach

    @property
    def within_reach_of_rlm(self) -> bool:
        """Whether an RLM, or what one gave, can get into this file at all."""
        return self.path in self.program.within_reach_of_rlm

    @property
    def module_name(self) -> str:
        """The last part of the module's name."""
        return self.path.absolute().parent.name if self.path.name == "__init__.py" else self.path.stem

    def __repr__(self) -> str:
        return f"AnalysedFile({str(self.path)!r})"

    @property
    def scope(self) -> Scope:
        """The module's own scope."""
        return self.index.scopes[self.tree]

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines as Python counts them, without their ends."""
        return _LINE.split(self.text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Every node's parent."""
        found: dict[ast.AST, ast.AST] = {}
        todo: list[ast.AST] = [self.tree]
        for node in todo:  # it grows as it is walked
            for name in FIELDS[node.__class__]:
                child = getattr(node, name, None)
                for each in child if child.__class__ is list else (child,):
                    if each is not None:
                        found[each] = node
                        if FIELDS[each.__class__]:
                            todo.append(each)
        return found

    def reaching(self, scope: Scope) -> Reaching:
        """Which definitions reach which uses in one of the file's scopes."""
        found = self._reaching.get(scope)
        if found is None:
            found = self._reaching[scope] = reaching_definitions(scope)
        return found

    def values(self, node: ast.expr, scope: Scope) -> Values:
        """What the expression may hold, whoever runs the code around it."""
        return self.program.values(node, self.program.flow.frames.general(scope))

    def span(self, node: ast.expr | ast.stmt | ast.alias | ast.arg | ast.keyword | ast.pattern) -> Span:
        """Where the node stands, in characters from 1."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(
            node.lineno,
            self._characters(node.lineno, node.col_offset) + 1,
            end_line,
            self._characters(end_line, end_column) + 1,
        )

    def where(self, line: int) -> str:
        """A line of the text in words, as a reader finds it: "line 12", in a notebook "cell 3, line 2"."""
        cell, line = self.place(line)
        return f"line {line}" if cell is None else f"cell {cell}, line {line}"

    def place(self, line: int) -> tuple[int | None, int]:
        """The notebook cell (None in a plain file) and the line in it of a line of the text."""
        cell, line = self._locate(line)
        return cell, line

    def written(self, line: int) -> str:
        """A line of the text as it is in the file: in a notebook with its magics."""
        return self._line(line)

    def source(self, node: ast.expr | ast.stmt) -> str:
        """The node's text as written."""
        span = self.span(node)
        lines = self.lines[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return "\n".join(lines)

    def _characters(self, line: int, offset: int) -> int:
        """`ast` counts columns in UTF-8 bytes."""
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode())


class Program:
    """All the files that may have a part in the answers."""

    def __init__(
        self, sources: Sequence[Text], others: Iterable[Text] = (), named: Collection[Path] = ()
    ) -> None:
        self.sources: dict[Path, Text] = {source.path: source for source in (*others, *sources)}
        self.modules = Modules(self.sources)
        self.failures: dict[Path, Exception] = {}
        self.files: dict[Path, AnalysedFile] = {}
        self._parsed: dict[Path, AnalysedFile | None] = {}
        self._tied: dict[tuple[bytes, ...], set[Path]] = {}
        self._having: dict[str, frozenset[Path]] = {}
        self._knowing: dict[tuple[Path, tuple[str, ...]], list[AnalysedFile]] = {}
        from react_migrate.flow.evaluate import Evaluator  # it needs this module's types

        self.flow = Evaluator(self)
        with without_gc():
            for source in sources:
                if source.path in named or self._is_concerned(source.path):
                    file = self.file(source.path)
                    if file is not None:
                        self.files[source.path] = file

    @classmethod
    def build(
        cls, sources: Sequence[Text], others: Iterable[Text] = (), named: Collection[Path] = ()
    ) -> Program:
        """Parse those of `sources` that DSPy can have to do with, and those in `named`, into `files`.

        `others` are the project's remaining files, parsed only when an import, a call or a name leads there.
        A file that Python cannot parse is in `failures`, with the reason.
        """
        return cls(sources, others, named)

    def _is_concerned(self, path: Path) -> bool:
        """Whether anything of DSPy's can get into a file, and it is not part of DSPy itself."""
        reached = path in self.near_dspy or path in self.within_reach or path in self.within_reach_of_rlm
        return reached and not self.is_library_copy(path)

    def file(self, path: Path) -> AnalysedFile | None:
        """The analysed file at a path of the project; None when it does not parse."""
        if path not in self._parsed:
            self._parsed[path] = self._parse(self.sources[path])
        return self._parsed[path]

    def values(self, node: ast.expr, frame: Frame) -> Values:
        """What an expression may hold in a frame."""
        if sys.getrecursionlimit() >= RECURSION and not gc.isenabled():
            return self.flow.values(node, frame)
        with undisturbed():
            return self.flow.values(node, frame)

    def resolve(self, importer: AnalysedFile, name: str) -> Path | None:
        """The project's file that module `name` is for an importing file; None when it is a library's.

        A copy of DSPy itself among the files is the library, except to its own modules.
        """
        path = self.modules.absolute(importer.path, name)
        if path is None or name.partition(".")[0] not in {"dspy", "react_shims"}:
            return path
        return None if self.is_library_copy(path) and not self.is_library_copy(importer.path) else path

    @cached_property
    def within_reach(self) -> set[Path]:
        """The files that can have to do with a ReAct agent: the others need no analysis."""
        return self.tied_to(b"ReAct", b"ReActV2")

    @cached_property
    def within_reach_of_rlm(self) -> set[Path]:
        """The files that can have to do with an RLM."""
        return self.tied_to(b"RLM")

    def tied_to(self, *names: bytes) -> set[Path]:
        """The files that a chain of imports ties to one whose code has one of the names, those included.

        A name alone says little: the file must be near DSPy, or speak of `ReActV2`, which only DSPy has.
        """
        found = self._tied.get(names)
        if found is None:
            speaking = self.near_dspy | self._connections.with_any(b"ReActV2")
            found = self._tied[names] = self._connections.around(self._connections.naming(*names) & speaking)
        return found

    @cached_property
    def near_dspy(self) -> set[Path]:
        """The files that speak of DSPy or of the shim, and their neighbours."""
        return self._connections.beside(self._connections.with_any(b"dspy", b"react_shims"))

    @cached_property
    def _connections(self) -> Connections:
        own = {path: text for path, text in self.sources.items() if not self.is_library_copy(path)}
        return Connections(own, self.modules)  # the insides of DSPy tie nothing together

    def is_library_copy(self, path: Path) -> bool:
        """Whether a file is part of an installed or vendored DSPy (or of the shim)."""
        for folder in path.parents:
            if folder.name == "dspy" and folder / "predict" / "react.py" in self.sources:
                return True
            if folder.name == "react_shims" and folder / "trajectory.py" in self.sources:
                return True
        return False

    def knowing(self, home: AnalysedFile, *words: str) -> list[AnalysedFile]:
        """The files, parsed, whose text has all these words, and that may know the file `home`: itself,
        those below the same folder as its outermost package, and those that name its module."""
        key = (home.path, words)
        if key not in self._knowing:
            is_near = self.modules.beside(home.path)
            naming = self._with_word(home.module_name)
            paths = set(self._with_word(words[0])).intersection(*map(self._with_word, words[1:]))
            near = sorted(p for p in paths if p == home.path or p in naming or is_near(p))
            files = [self.file(path) for path in near]
            self._knowing[key] = [file for file in files if file is not None]
        return self._knowing[key]

    def _with_word(self, word: str) -> frozenset[Path]:
        found = self._having.get(word)
        if found is None:
            wanted = word.encode()
            found = frozenset(path for path, words in self._words.items() if wanted in words)
            self._having[word] = found
        return found

    @cached_property
    def _words(self) -> dict[Path, set[bytes]]:
        """The words in each file that an agent or an RLM can get into."""
        return {
            path: set(self.sources[path].code.translate(_WORDS_ALONE).split())
            for path in self.within_reach | self.within_reach_of_rlm | self.near_dspy
        }

    def forget(self) -> None:
        """Let go of everything; neither the program nor its files can be used any more.

        Trees, scopes and answers know each other in circles. To search for these takes as long as parsing.
        """
        for file in self._parsed.values():
            if file is not None:
                vars(file).clear()
        vars(self).clear()

    def _parse(self, source: Text) -> AnalysedFile | None:
        try:
            with warnings.catch_warnings(), deep_stack():
                warnings.simplefilter("ignore")  # invalid escapes are the file's business
                tree = ast.parse(source.text)
            return AnalysedFile(self, source, tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.failures[source.path] = error
            return None
