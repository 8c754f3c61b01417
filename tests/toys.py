"""Small rules with every outcome a rule can have, to try the engine and the reports with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from react_migrate.edit import Names
from react_migrate.finding import Edit, Finding, Fix
from react_migrate.flow import AnalysedFile
from react_migrate.rules import Rule
from react_migrate.rules.rm001_syntax import DoesNotParse
from react_migrate.rules.rm002_unreadable import CannotBeRead
from react_migrate.rules.rm003_internal import OurBug
from react_migrate.rules.rule import FileProblem


class Toy(Rule):
    """Finds every `x.<word>` and does to it what its subclass says."""

    word: str
    fix = Fix.SAFE
    examples = ()
    group: object = None

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Attribute) and node.attr == self.word:
                span = file.span(node)
                edits = () if self.fix is Fix.MANUAL else (Edit(span, "Attribute", self.rewrite),)
                yield Finding(self.code, span, f"`{self.word}` is old", self.fix, edits, group=self.group)

    @staticmethod
    def rewrite(node: cst.CSTNode, names: Names) -> cst.CSTNode:
        return cst.Call(names.node("trajectory_of"), [cst.Arg(cst.ensure_type(node, cst.Attribute).value)])


def toy(code: str, word: str, **what: object) -> Rule:
    about = {
        "code": code,
        "word": word,
        "summary": word,
        "triggers": (word.encode(),),
        "__doc__": f"{code} {word}.",
        **what,
    }
    return type(f"Toy{code}", (Toy,), about)()


def _broken(self: Rule, file: AnalysedFile) -> Iterator[Finding]:
    if "broken" in file.text:
        raise ZeroDivisionError("oh")
    return iter(())


def _endless(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    return cst.parse_expression("x.endless.endless")


def _invalid(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    return cst.Name("while")


def _unencodable(node: cst.CSTNode, names: Names) -> cst.CSTNode:
    return cst.SimpleString("'→'")


RULES: dict[str, Rule] = {
    **{rule.code: rule for rule in (DoesNotParse(), CannotBeRead(), OurBug())},
    "RM901": toy("RM901", "safe"),
    "RM902": toy("RM902", "risky", fix=Fix.UNSAFE),
    "RM903": toy("RM903", "manual", fix=Fix.MANUAL),
    "RM904": toy("RM904", "guard", group="pair"),
    "RM905": toy("RM905", "guarded", fix=Fix.UNSAFE, group="pair"),
    "RM906": toy("RM906", "broken", check=_broken),
    "RM907": toy("RM907", "endless", rewrite=staticmethod(_endless)),
    "RM908": toy("RM908", "invalid", rewrite=staticmethod(_invalid)),
    "RM909": toy("RM909", "unencodable", rewrite=staticmethod(_unencodable)),
}
assert FileProblem not in RULES.values()
