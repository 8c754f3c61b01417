"""What every rule is: a code, a sentence, examples that are its tests and its documentation, and a check."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from react_migrate.finding import Finding, Fix

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile


@dataclass(frozen=True)
class Example:
    """A program before and after `rewrite`; `after=None` means it is reported (or left) and never edited.

    `unsafe=True` means the edit needs `--unsafe`. `finds=False` means the rule says nothing at all.
    """

    before: str
    after: str | None = None
    unsafe: bool = False
    finds: bool = True


class Rule(abc.ABC):
    """One rule, in one file of this package; the file's existence registers it.

    The class docstring is what `react-migrate explain CODE` prints: first line `CODE name.`, then why the old
    code breaks, what the fix does, and when it is not safe.
    """

    code: ClassVar[str]
    summary: ClassVar[str]
    fix: ClassVar[Fix]  # the strongest fix it can offer
    triggers: ClassVar[tuple[bytes, ...]]  # a file without any of these bytes cannot have a finding
    examples: ClassVar[tuple[Example, ...]]

    def concerns(self, file: AnalysedFile) -> bool:
        """Whether the file has one of the triggers: the others need no check."""
        return any(trigger.decode() in file.text for trigger in self.triggers)

    @abc.abstractmethod
    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        """The findings in one file, in any order."""


class FileProblem(Rule):
    """Why a whole file was left alone. The engine reports it; there is no code to check for it."""

    fix = Fix.MANUAL
    triggers = ()
    examples = ()

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        """Nothing: a file that can be checked has no such problem."""
        return iter(())
