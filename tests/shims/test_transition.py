"""Which DSPy is here, without importing it, and what the transition changes."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from react_shims.transition import CHANGES, InstalledDSPy, installed, release_of, require_dspy


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that can be imported from, and no dspy imported yet."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "dspy", raising=False)
    return tmp_path


def add_distribution(site: Path, name: str, version: str, top_level: str = "dspy") -> None:
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "top_level.txt").write_text(top_level)


@pytest.mark.parametrize("name", ["dspy", "dspy-ai", "dspy-of-the-house"])
def test_metadata_tells_the_version_under_any_distribution_name(site: Path, name: str) -> None:
    add_distribution(site, name, "3.4.1")
    assert installed() == InstalledDSPy("3.4.1", (3, 4), imported=False)


def test_dspys_own_distribution_goes_before_its_old_name(site: Path) -> None:
    add_distribution(site, "dspy-ai", "3.3.0")
    add_distribution(site, "dspy", "3.4.1")
    found = installed()
    assert found is not None
    assert found.release == (3, 4)


def test_an_imported_dspy_states_its_version_itself(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_distribution(site, "dspy", "3.4.1")
    dspy = ModuleType("dspy")
    dspy.__version__ = "3.5.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dspy", dspy)
    assert installed() == InstalledDSPy("3.5.0", (3, 5), imported=True)


def test_a_module_called_dspy_without_a_version_leaves_the_hint(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_distribution(site, "dspy", "3.4.1")
    monkeypatch.setitem(sys.modules, "dspy", ModuleType("dspy"))
    assert installed() == InstalledDSPy("3.4.1", (3, 4), imported=False)


def test_without_dspy_there_is_none(site: Path) -> None:
    add_distribution(site, "numpy", "2.0", top_level="numpy")
    assert installed() is None
    with pytest.raises(
        ImportError, match=r"need DSPy, which is not installed here: pip install 'dspy>=3\.3'"
    ):
        require_dspy()


def test_a_dspy_that_misses_something_itself_says_what(site: Path) -> None:
    (site / "dspy.py").write_text("import something_dspy_needs")
    with pytest.raises(ModuleNotFoundError, match="something_dspy_needs"):
        require_dspy()


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("3.4.1", (3, 4)),
        ("3.5.0rc1", (3, 5)),
        ("3.5.0.dev3", (3, 5)),
        ("3.5", (3, 5)),
        ("4", (4, 0)),
        ("3.4.1+acme.2", (3, 4)),
        ("3.4.1-acme-fork", (3, 4)),
        ("v3.10.0", (3, 10)),
        ("nightly", None),
    ],
)
def test_a_pre_release_counts_as_the_release_it_announces(
    version: str, release: tuple[int, int] | None
) -> None:
    assert release_of(version) == release


def test_every_change_names_its_rule_and_what_to_write_instead() -> None:
    rules = Path(__file__).parents[2] / "react_migrate" / "rules"
    codes = {path.name[:5].upper() for path in rules.glob("rm[0-9][0-9][0-9]_*.py")}
    for name, change in CHANGES.items():
        assert change.name == name
        assert change.rule in codes
        assert change.instead


def test_what_rewrite_emits_never_warns_before_3_6() -> None:
    emitted = ("ReAct", "trajectory_of", "has_trajectory", "TruncationHook")
    for change in CHANGES.values():
        if change.name.removeprefix("react_shims.").startswith(emitted) and change.name != "ReActV2":
            assert change.warns_from is None or change.warns_from >= (3, 6)
