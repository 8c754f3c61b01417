"""`import react_shims` costs nothing, needs nothing, and offers everything."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import react_shims

PACKAGE = Path(react_shims.__file__).parent


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = [{str(PACKAGE.parent)!r}]\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_the_package_itself_imports_nothing() -> None:
    """This is why it is fast; how fast, the benchmarks say."""
    code = "before = set(sys.modules); import react_shims; print(*sorted(set(sys.modules) - before))"
    assert run(code).split() == ["__future__", "react_shims"]


def test_reading_and_converting_plain_data_imports_no_dspy() -> None:
    code = """
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("dspy", "pydantic", "pydantic_core"):
            raise AssertionError(name)
sys.meta_path.insert(0, Refuse())
from react_shims import trajectory_of, steps_of, dump_history, repl_trajectory_of
from react_shims.wire import to_events, to_repl_events, keep_steps
events = to_events({"tool_name_0": "a", "tool_args_0": {}, "observation_0": 1.5}, {"q": 1}, {"a": None})
dump_history(events)
rlms = to_repl_events([{"code": "c", "output": "o"}], {"q": 1}, {"a": None})
assert repl_trajectory_of(dump_history(rlms)) == [{"code": "c", "output": "o"}]
print(trajectory_of(events), len(list(steps_of(events))), len(keep_steps(events, {}).events))
"""
    assert run(code) == "{'tool_name_0': 'a', 'tool_args_0': {}, 'observation_0': 1.5} 1 1"


def test_no_module_of_the_conversion_names_dspy_in_an_import() -> None:
    names = ("trajectory.py", "repl_trajectory.py", "stored_trajectory.py", "recorded.py")
    for path in [*PACKAGE.glob("wire/*.py"), *map(PACKAGE.joinpath, names)]:
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(module.split(".")[0] == "dspy" for module in modules), path


@pytest.mark.parametrize("name", ["to_history", "load_history", "history_of"])
def test_what_needs_dspy_says_so(name: str) -> None:
    code = f"""
import react_shims
try:
    react_shims.{name}({{"messages": []}})
except ImportError as error:
    print(error.name, error)
"""
    assert run(code).startswith("dspy a dspy.History needs DSPy, which is not installed here: pip install")


def test_every_name_is_offered_and_no_other() -> None:
    assert set(react_shims.__all__) <= set(dir(react_shims))
    with pytest.raises(AttributeError, match="module 'react_shims' has no attribute 'nothing'"):
        react_shims.nothing  # noqa: B018
    assert react_shims.trajectory_of is react_shims.trajectory.trajectory_of


def test_static_checkers_see_the_same_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.name: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    assert imported == {name: f"react_shims.{home}" for name, home in react_shims._HOMES.items()}
    assert set(imported) == set(react_shims.__all__)
