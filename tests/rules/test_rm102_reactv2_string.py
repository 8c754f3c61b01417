"""RM102: strings by which something looks `ReActV2` up are reported, and never edited."""

from __future__ import annotations

import pytest
from rewriting import check_noop, check_transformed


@pytest.mark.parametrize(
    "use",
    [
        'mock.patch("dspy.ReActV2")',
        'mock.patch("dspy.ReActV2.forward", new=fake)',
        'mock.patch(target="dspy.predict.react_v2.ReActV2")',
        'mocker.patch("dspy.predict.ReActV2", autospec=True)',
        'mock.patch.object(dspy, "ReActV2")',
        '@mock.patch("dspy.ReActV2")\ndef test(fake): ...',
        'monkeypatch.setattr("dspy.ReActV2", fake)',
        'monkeypatch.setattr(dspy, "ReActV2", fake)',
        'getattr(dspy, "ReActV2")(sig)',
        'setattr(dspy, "ReActV2", fake)',
        'delattr(dspy, "ReActV2")',
        'if hasattr(dspy, "ReActV2"):\n    pass',
        'importlib.import_module("dspy.predict.react_v2")',
        '__import__("dspy.predict.react_v2")',
        'pytest.importorskip("dspy.predict.react_v2")',
        'pydoc.locate("dspy.ReActV2")',
        'vars(dspy)["ReActV2"]',
        'dspy.__dict__["ReActV2"]',
        '"ReActV2" in dir(dspy)',
        '"ReActV2" not in dspy.__all__',
        'type(agent).__name__ == "ReActV2"',
        'ENGINES = {"new": "dspy.ReActV2"}',
        'DEFAULT = "dspy.ReActV2"',
        'load(engine="dspy.ReActV2")',
    ],
)
def test_what_looks_it_up(use: str) -> None:
    check_noop(f"import dspy\n{use}\nprint(dspy)\n", "app.py:2 RM102 manual")


@pytest.mark.parametrize(
    "use",
    [
        'print("ReActV2")',
        'print("dspy.ReActV2")',
        'log.info("dspy.ReActV2")',
        'print("dspy.ReActV2 is the new engine")',
        '"dspy.ReActV2"',
        'NAME = "ReActV2"',
        'mode = {"ReActV2": 1}',
        'if mode == "ReActV2":\n    pass',
        'mock.patch("mine.ReActV2")',
        'mock.patch("dspy.ReActV2Mock")',
        'add_argument("--engine", choices=["ReActV2", "ReAct"])',
        'config["ReActV2"]',
        '"ReActV2" in names',
    ],
)
def test_text_and_names_of_other_things(use: str) -> None:
    check_noop(f"import dspy\n{use}\nprint(dspy)\n")


def test_a_docstring() -> None:
    check_noop('def run():\n    """dspy.ReActV2"""\n    return 1\n')


def test_a_type_is_rm101s() -> None:
    check_transformed(
        'import dspy\n\nagent: "dspy.ReActV2"\n',
        'from react_shims import ReAct\n\nagent: "ReAct"\n',
    )


def test_the_projects_own_name_is_left_by_rm101_and_by_its_tests() -> None:
    check_transformed(
        {
            "build.py": "from dspy import ReActV2\n\nagent = ReActV2(sig)\n",
            "test_build.py": 'import build\n\n\ndef test(mp):\n    mp.setattr(build, "ReActV2", 1)\n',
        },
        {"build.py": "from react_shims import ReAct as ReActV2\n\nagent = ReActV2(sig)\n"},
    )
