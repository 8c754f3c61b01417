"""Tests in this folder run on real DSPy: once for every release in `tests/releases.py`.

`@pytest.mark.dspy(">=3.3")` (on a test, a class, or a module's `pytestmark`) names the releases a test is
about, by major and minor version; on other releases it is not selected. Skipping is not allowed here:
`test_releases.py` fails on a skipped test, because a skip hides that nothing ran.
"""

from __future__ import annotations

import dspy
import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

MARKER = "dspy(specifier): the DSPy releases that this test is about, such as '>=3.3' or '<3.5'"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_report_header() -> str:
    return f"dspy {dspy.__version__} from {dspy.__file__}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    version = Version(dspy.__version__).base_version  # a pre-release behaves as its release
    about = {
        item: all(SpecifierSet(mark.args[0]).contains(version) for mark in item.iter_markers("dspy"))
        for item in items
    }
    items[:] = [item for item in items if about[item]]
    config.hook.pytest_deselected(items=[item for item, selected in about.items() if not selected])
