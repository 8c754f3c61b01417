"""A preview is built from the 3.4.1 that its recipe knows, or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from preview import build_preview
from releases import NEWEST, release_path


@pytest.fixture
def published(tmp_path: Path) -> Path:
    copy = tmp_path / "published"
    shutil.copytree(release_path(NEWEST)[0], copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def changed(published: Path, file: str, old: str, new: str) -> Path:
    path = published / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return published


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("dspy/__metadata__.py", '__version__="3.4.1"', '__version__="3.4.2"'),
        ("dspy/predict/react_v2.py", "@experimental\n", ""),
        ("dspy/predict/__init__.py", '    "CodeAct",\n', ""),
        ("dspy/predict/predict.py", "settings.adapter or ChatAdapter()", "settings.adapter or default()"),
        ("dspy/predict/rlm.py", "import ", "settings.adapter or ChatAdapter()\nimport "),
        ("dspy/streaming/streaming_listener.py", 'else "ChatAdapter"', "else None"),
    ],
)
def test_an_unknown_source_stops_the_build(
    file: str, old: str, new: str, published: Path, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match="preview"):
        build_preview(changed(published, file, old, new), tmp_path / "preview", "3.5.0")


def test_the_known_source_builds(published: Path, tmp_path: Path) -> None:
    build_preview(published, tmp_path / "preview", "3.6.0")
    assert not (tmp_path / "preview/dspy/predict/react_v2.py").exists()
    assert "class ReAct(Module):" in (tmp_path / "preview/dspy/predict/react.py").read_text(encoding="utf-8")
