"""RM704: `CodeAct` and `ProgramOfThought`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from react_migrate.finding import Finding, Fix
from react_migrate.flow.known import canonical
from react_migrate.flow.values import Library
from react_migrate.rules.rule import Example, Rule

if TYPE_CHECKING:
    from react_migrate.flow import AnalysedFile

_GONE = {"dspy.CodeAct": "CodeAct", "dspy.ProgramOfThought": "ProgramOfThought"}


class CodeModules(Rule):
    """RM704 code-modules.

    `dspy.CodeAct` and `dspy.ProgramOfThought` are removed in DSPy 3.5 (3.3.1 and 3.4 warn). A CodeAct
    trajectory (`generated_code_0`, `code_output_0`, ...) looks like ReAct's and is not: it is left alone.

    There is no fix: `dspy.RLM` runs generated code, in a loop of its own and with other limits.
    """

    code = "RM704"
    summary = "dspy.CodeAct and dspy.ProgramOfThought are removed in DSPy 3.5"
    fix = Fix.MANUAL
    triggers = (b"CodeAct", b"ProgramOfThought")
    examples = (
        Example('import dspy\n\nact = dspy.CodeAct("n -> total", tools=[])\n'),
        Example("from dspy import ProgramOfThought\n"),
        Example("class CodeAct:\n    pass\n\n\nCodeAct()\n", finds=False),
    )

    def check(self, file: AnalysedFile) -> Iterator[Finding]:
        for path, name in _GONE.items():
            message = f"`{path}` is removed in DSPy 3.5; `dspy.RLM` is what runs generated code there"
            for statement, _ in file.index.nodes[ast.ImportFrom]:
                assert isinstance(statement, ast.ImportFrom)
                module = statement.module or ""
                ours = not statement.level and file.program.resolve(file, module) is None
                for alias in statement.names if ours else ():
                    if alias.name == name and canonical(f"{module}.{name}") == path:
                        yield Finding(self.code, file.span(alias), message, self.fix)
            for attribute, scope in file.index.attributes.get(name, ()):
                values = file.values(attribute, scope)
                if values and all(isinstance(value, Library) and value.path == path for value in values):
                    yield Finding(self.code, file.span(attribute), message, self.fix)
