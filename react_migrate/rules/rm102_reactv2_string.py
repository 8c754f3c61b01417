"""RM102: strings that name `ReActV2`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.index import terminal
from react_migrate.rules.rule import Example, Rule
from react_migrate.rules.versions import switches

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_NAME = re.compile(r"(dspy(\.predict(\.react_v2)?)?\.)?ReActV2(\..*)?|dspy\.predict\.react_v2")
_TAKERS = frozenset(
    (
        *("getattr", "hasattr", "setattr", "delattr", "patch", "object", "import_module", "__import__"),
        *("import_string", "import_object", "importorskip", "locate", "resolve_name"),
    )
)


class ReActV2String(Rule):
    """RM102 reactv2-string.

    A string that names `ReActV2`, for `mock.patch`, `getattr` or `importlib`, stops working in DSPy 3.6, and
    in a way that no type checker sees: a patch of a name that nothing uses any more passes and tests nothing.

    There is no fix: what the string should say depends on what reads it. Where the code under test uses
    `react_shims.ReAct`, patch that name in the module that imports it.
    """

    code = "RM102"
    summary = "a string names dspy.ReActV2, which is gone in DSPy 3.6"
    fix = Fix.MANUAL
    triggers = (b"ReActV2", b"react_v2")
    examples = (
        Example('from unittest import mock\n\nwith mock.patch("dspy.ReActV2"):\n    pass\n'),
        Example('import dspy\n\nif hasattr(dspy, "ReActV2"):\n    print("new")\n'),
        Example('print("ReActV2 is the new engine")\n', finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        chosen = {id(node) for switch in switches(file) for node in ast.walk(switch.node)}
        for text, found in file.index.strings.items():
            if not _NAME.fullmatch(text):
                continue
            for string, _ in found:
                call = file.parents.get(string)
                taker = terminal(call.func) if isinstance(call, ast.Call) else None
                if taker in _TAKERS and id(string) not in chosen:
                    message = f"the string {text!r} names what is deprecated in DSPy 3.5 and gone in 3.6"
                    yield Finding(self.code, file.span(string), message, self.fix)
