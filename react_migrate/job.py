"""One file's way through check, edit, second check, annotation and write, and what became of it."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from react_migrate.annotate import annotate
from react_migrate.files import write
from react_migrate.finding import Finding, Fix, Span
from react_migrate.interpreter import undisturbed
from react_migrate.rules import Rule, all_rules
from react_migrate.selection import is_ignored
from react_migrate.source import Source, SourceError, decode, split_lines
from react_migrate.unchecked import BY_THIS_PYTHON, unchecked

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile, Program

_TOP = Span(1, 1, 1, 1)


@dataclass(frozen=True)
class Options:
    """What to do. `codes` are those of the `rules` whose findings are wanted.

    `fix` makes edits in memory, `unsafe` also those that are only probably right, `write` puts them on disk.
    """

    codes: frozenset[str]
    rules: Mapping[str, Rule] = field(default_factory=all_rules)
    fix: bool = False
    unsafe: bool = False
    annotate: bool = False
    write: bool = False
    exclude: tuple[str, ...] = ()

    @cached_property
    def triggers(self) -> frozenset[bytes]:
        """Bytes, one of which every file has that can have a wanted finding."""
        return frozenset(trigger for code in self.codes for trigger in self.rules[code].triggers)


def is_notebook(path: Path) -> bool:
    """Whether a file is a notebook, by its name."""
    return path.suffix.lower() == ".ipynb"


def load(path: Path, raw: bytes) -> Source:
    """The source in a file's bytes. Raises `SourceError`."""
    if not is_notebook(path):
        return decode(path, raw)
    from react_migrate.notebook import decode_notebook

    return decode_notebook(path, raw)


@dataclass
class Job:
    """A file, what was found in it, and what was done.

    `before` is None for a file that could not be read. `after` is what the file is now or would be:
    `before` itself when nothing changes. `fixed` are the findings that led from one to the other; their
    positions are those in `before`.
    """

    path: Path
    options: Options
    before: Source | None = None
    after: Source | None = None
    fixed: list[Finding] = field(default_factory=list)
    comments: int = 0  # lines that `annotate` added
    applied: bool = False  # `after` is in place: on disk, or handed to who asked for it
    _found: list[Finding] = field(default_factory=list)  # in `before`, what is wanted of it
    _remaining: list[Finding] = field(default_factory=list)  # in `after`
    _problems: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source, options: Options) -> Job:
        """A job that is still to be done."""
        return cls(source.path, options, source, source)

    @property
    def changed(self) -> bool:
        """Whether the file changed, or would change."""
        return self.after is not self.before

    @property
    def failed(self) -> bool:
        """Whether the file could not be dealt with."""
        return bool(self._problems)

    @property
    def left(self) -> list[Finding]:
        """What is still to be done, in the order and with the positions of the file as it is now."""
        fixed = {id(finding) for finding in self.fixed}
        left = self._remaining if self.applied else [one for one in self._found if id(one) not in fixed]
        problems = [one for one in self._problems if one.code in self.options.codes]
        return sorted((*problems, *left), key=lambda one: (one.span, one.code))

    def source_of(self, finding: Finding) -> Source | None:
        """The text that the position of one of its findings speaks about."""
        return self.after if any(one is finding for one in self._remaining) else self.before

    # --- the steps, in order ---

    def check(self, program: Program) -> list[Finding]:
        """Find what there is to say; returns what is to be fixed."""
        assert self.before is not None
        failure = program.failures.get(self.path)
        if failure is not None:
            self.fail("RM001", *_unparsed(failure))
            return []
        file = program.files.get(self.path)
        if file is None:
            return []  # it has nothing to do with DSPy
        with self._failing("the analysis"):
            every, wanted = _findings(file, self.options)
            self._found = [*wanted]
            if "RM004" in self.options.codes:
                self._found += unchecked(self.before, self.options.triggers)
            return _to_fix(every, wanted, self.options) if self.options.fix else []
        return []

    def edit(self, to_fix: list[Finding]) -> None:
        """Make the edits of `to_fix` in memory."""
        from react_migrate.edit import apply

        assert self.before is not None
        with self._failing("the fix"):
            text = apply(
                self.before.text,
                [edit for finding in to_fix for edit in finding.edits],
                keep_unused=self.path.name == "__init__.py",
                used_elsewhere=self.before.unseen,
            )
            self.after = _rewritten(self.before, text)
            self.fixed = to_fix

    def check_again(self, program: Program) -> None:
        """See that the new text leaves nothing to fix; else the fix was wrong and the file stays."""
        assert self.after is not None
        second = Job.of(self.after, self.options)
        again = second.check(program)
        if again or second.failed:
            codes = ", ".join(sorted({one.code for one in again}))
            why = f"a second run would change the file again ({codes})" if again else second.left[0].message
            self.fail("RM003", _ours("the fix", why))
        else:
            self._remaining = second.left

    def annotate(self) -> None:
        """Say above every place that needs a human what it needs."""
        assert self.after is not None
        found = self._remaining if self.changed else self._found
        with self._failing("the annotation"):
            text, moved = annotate(self.after.text, found, self.after.encoding)
            if text != self.after.text:
                self.comments = len(split_lines(text)) - len(split_lines(self.after.text))
                self.after = _rewritten(self.after, text)
                self._remaining = moved

    def write(self) -> None:
        """Put the new text on disk."""
        assert self.before is not None
        assert self.after is not None
        with self._failing("the write"):
            write(self.path, self.before.raw, self.after.raw)
            self.applied = True

    @contextmanager
    def _failing(self, step: str) -> Iterator[None]:
        """Turn what goes wrong in a step into the file's own problem, so that it is nobody else's."""
        try:
            yield
        except SourceError as error:
            self.fail("RM002", str(error))
        except Exception as error:
            self.fail("RM003", _ours(step, error))

    def fail(self, code: str, message: str, span: Span = _TOP) -> None:
        """The file stays as it was, for this reason."""
        self.after = self.before
        self.fixed = []
        self._problems.append(Finding(code, span, message, Fix.MANUAL))


def _findings(file: AnalysedFile, options: Options) -> tuple[list[Finding], list[Finding]]:
    """All findings of all rules, and those of them that are wanted."""
    concerned = [rule for rule in options.rules.values() if rule.concerns(file)]
    with undisturbed():
        every = [finding for rule in concerned for finding in rule.check(file)]
    every.sort(key=lambda one: (one.span, one.code, one.message))
    lines = split_lines(file.text)
    wanted = [
        one
        for one in every
        if one.code in options.codes and not is_ignored(one.code, lines[one.span.line - 1])
    ]
    return every, wanted


def _to_fix(every: Iterable[Finding], wanted: Iterable[Finding], options: Options) -> list[Finding]:
    """The wanted findings that may be fixed, with all of their group; unwanted ones hold a group back."""
    allowed = {Fix.SAFE, Fix.UNSAFE} if options.unsafe else {Fix.SAFE}
    ready = [one for one in wanted if one.edits and one.fix in allowed]
    ids = {id(one) for one in ready}
    blocked = {one.group for one in every if one.group is not None and id(one) not in ids}
    return [one for one in ready if one.group not in blocked]


def _rewritten(source: Source, text: str) -> Source:
    """The source whose text is `text`, by way of the bytes that its file would have."""
    after = load(source.path, source.restore(text))
    if after.text != text:
        raise SourceError("would not read back as what is to be written to it; save it as UTF-8")
    return after


def _unparsed(failure: Exception) -> tuple[str, Span]:
    line, column = 1, 1
    why = str(failure) or type(failure).__name__
    if isinstance(failure, SyntaxError):
        why, line, column = failure.msg, max(failure.lineno or 1, 1), max(failure.offset or 1, 1)
    elif isinstance(failure, RecursionError | MemoryError):
        why = "it is nested too deeply"
    message = f"{BY_THIS_PYTHON}: {why}; correct it, or run react-migrate with the Python it is written for"
    return message, Span(line, column, line, column)


def _ours(what: str, error: Exception | str) -> str:
    """A message about a mistake of ours, with what is needed to find it."""
    why = error if isinstance(error, str) else f"{type(error).__name__}: {error}{_where(error)}"
    return f"{what} failed, a bug of react-migrate; the file is as it was. Please report it with this: {why}"


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" [{Path(frames[-1].filename).name}:{frames[-1].lineno}]" if frames else ""
