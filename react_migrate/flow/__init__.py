"""What may this expression be? Origins of values, across functions and files.

`Program` holds the files, `AnalysedFile.values(node, scope)` answers, `judge` gives the verdict.
How a value travels: `names` (bindings), `attributes` and `classes` (what objects hold), `calls` and
`arguments` (into and out of functions), `containers`, `library` (what DSPy and the standard library do).
"""

from react_migrate.flow.judge import Judgement, Verdict, judge
from react_migrate.flow.program import AnalysedFile, Program

__all__ = ["AnalysedFile", "Judgement", "Program", "Verdict", "judge"]
