"""Where the analysis is started from makes no difference to it: paths may be relative, to any folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_migrate.engine import Options, run
from react_migrate.rules import all_rules

PACKAGE = {
    "__init__.py": "from .agents import build\nfrom . import show\n\nshow.steps(build()(q=1))\n",
    "agents.py": 'import dspy\n\n\ndef build():\n    return dspy.ReAct("q -> a", tools=[])\n',
    "show.py": "def steps(run):\n    return run.trajectory\n",
    "deep/__init__.py": "from ..agents import build\n",
    "deep/down.py": "from news.deep import build\n\nprint(build()(q=1).trajectory)\n",
}


@pytest.mark.parametrize("start", ["..", ".", "news", "news/deep"])
def test_a_package_is_analysed_from_any_folder(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From inside the package too, where `__init__.py` is all there is of its path. That once did not end."""
    package = tmp_path / "project/news"
    for name, text in PACKAGE.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    monkeypatch.chdir(package.parent / start)
    relative = {"..": "project", ".": "", "news": "", "news/deep": ".."}[start]
    result = run([Path(relative)], Options(frozenset(all_rules())))
    found = {
        f"{job.path.name}:{one.span.line} {one.code} {one.fix.value}"
        for job in result.jobs
        for one in job.left
    }
    assert found == {"show.py:2 RM201 safe", "down.py:3 RM201 safe"}
