"""A preview of DSPy 3.5 and 3.6: an installed 3.4.1 with the changes that 3.5's release note announces.

No 3.5 wheel is at hand, but nearly all of it can be had from 3.4.1: V2 under the name `dspy.ReAct`, `ReActV2`
as a warning alias (3.5) or gone (3.6), CodeAct and ProgramOfThought gone, and `XMLAdapter` with native
function calling as the adapter a program gets when it configures none. Every replaced piece of source must be
there as often as stated, so that a different 3.4.1 stops the build instead of giving a preview of something
else.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

DEFAULT_ADAPTER = "XMLAdapter(use_native_function_calling=True)"

ALIAS_MODULE = '''import warnings

from dspy.predict.react import ReAct


class ReActV2(ReAct):
    """Deprecated alias of `dspy.ReAct`; removed in DSPy 3.6."""

    def __init__(self, *args, **kwargs):
        warnings.warn(
            "`dspy.ReActV2` is deprecated and will be removed in DSPy 3.6. Use `dspy.ReAct`.",
            DeprecationWarning,
            stacklevel=3,
        )
        super().__init__(*args, **kwargs)
'''


def preview_key() -> str:
    """Changes whenever this recipe does, so that a cached preview is never an old one."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:10]


def build_preview(published: Path, folder: Path, version: str) -> None:
    """Write `dspy` of the given version (3.5.x or 3.6.x) into `folder`, from the 3.4.1 in `published`."""
    has_alias = version.startswith("3.5.")
    shutil.copytree(
        published, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "bin")
    )
    dspy = folder / "dspy"
    _set_version(folder, version)
    _rename_the_agent(dspy)
    _remove_the_code_agents(dspy)
    _keep_or_remove_the_alias(dspy, has_alias)
    _change_the_default_adapter(dspy)


def _set_version(folder: Path, version: str) -> None:
    metadata = next(folder.glob("dspy-*.dist-info"))
    _substitute(metadata / "METADATA", r"(?m)^Version: 3\.4\.1$", f"Version: {version}", 1)
    metadata.rename(folder / f"dspy-{version}.dist-info")
    _replace(folder / "dspy/__metadata__.py", '__version__="3.4.1"', f'__version__="{version}"', 1)


def _rename_the_agent(dspy: Path) -> None:
    """V2's source becomes `dspy.predict.react`; prompts and docstrings elsewhere follow the new name."""
    predict = dspy / "predict"
    (predict / "react_v2.py").replace(predict / "react.py")
    _replace(predict / "react.py", "from dspy.utils.annotation import experimental\n", "", 1)
    _replace(predict / "react.py", "@experimental\nclass ReActV2(Module):", "class ReAct(Module):", 1)
    _substitute(predict / "react.py", r"\bReActV2\b", "ReAct", None)
    for path in (
        predict / "rlm.py",
        predict / "flex/ctx.py",
        predict / "flex/primitives_doc.py",
        dspy / "teleprompt/gepa/gepa_flex_utils.py",
        dspy / "teleprompt/gepa/instruction_proposal.py",
    ):
        _substitute(path, r"\bReActV2\b", "ReAct", None)


def _remove_the_code_agents(dspy: Path) -> None:
    predict = dspy / "predict"
    for module, name in (("code_act", "CodeAct"), ("program_of_thought", "ProgramOfThought")):
        (predict / f"{module}.py").unlink()
        _replace(predict / "__init__.py", f"from dspy.predict.{module} import {name}\n", "", 1)
        _replace(predict / "__init__.py", f'    "{name}",\n', "", 1)
    for path in (dspy / "primitives/facade.py", dspy / "primitives/_facade_shim.py"):
        _replace(path, '"CodeAct", "ProgramOfThought", ', "", 1)


def _keep_or_remove_the_alias(dspy: Path, has_alias: bool) -> None:
    predict = dspy / "predict"
    if has_alias:
        (predict / "react_v2.py").write_text(ALIAS_MODULE, encoding="utf-8")
        return
    _replace(predict / "__init__.py", "from dspy.predict.react_v2 import ReActV2\n", "", 1)
    _replace(predict / "__init__.py", '    "ReActV2",\n', "", 1)
    for path in (dspy / "primitives/facade.py", dspy / "primitives/_facade_shim.py"):
        _replace(path, ', "ReActV2"', "", 1)


def _change_the_default_adapter(dspy: Path) -> None:
    """Everywhere that DSPy 3.4.1 writes the default adapter out; the stream listener knows it by name."""
    new = f"settings.adapter or {DEFAULT_ADAPTER}"
    chat_import = "from dspy.adapters.chat_adapter import ChatAdapter\n"
    xml_import = "from dspy.adapters.xml_adapter import XMLAdapter\n"
    for path, places in ((dspy / "predict/predict.py", 2), (dspy / "teleprompt/bootstrap_finetune.py", 1)):
        _replace(path, "settings.adapter or ChatAdapter()", new, places)
        _replace(path, chat_import, xml_import, 1)
    _replace(
        dspy / "predict/refine.py",
        "settings.adapter or dspy.ChatAdapter()",
        f"settings.adapter or dspy.{DEFAULT_ADAPTER}",
        1,
    )
    listener = dspy / "streaming/streaming_listener.py"
    _replace(listener, 'if settings.adapter else "ChatAdapter"', 'if settings.adapter else "XMLAdapter"', 1)
    _replace(
        listener,
        "isinstance(settings.adapter, ChatAdapter) or settings.adapter is None",
        "isinstance(settings.adapter, ChatAdapter)",
        1,
    )
    _replace(
        listener,
        "elif isinstance(settings.adapter, XMLAdapter):",
        "elif isinstance(settings.adapter, XMLAdapter) or settings.adapter is None:",
        1,
    )
    _expect_no_other_default(dspy)


def _expect_no_other_default(dspy: Path) -> None:
    for path in dspy.rglob("*.py"):
        if re.search(r"settings\.adapter or (dspy\.)?ChatAdapter\(", path.read_text(encoding="utf-8")):
            raise RuntimeError(
                f"{path} still makes ChatAdapter the default; the preview recipe does not know it"
            )


def _replace(path: Path, old: str, new: str, times: int) -> None:
    _substitute(path, re.escape(old), new.replace("\\", r"\\"), times)


def _substitute(path: Path, pattern: str, new: str, times: int | None) -> None:
    """Replace a pattern that occurs `times` times (None: at least once); anything else is an error."""
    text, found = re.subn(pattern, new, path.read_text(encoding="utf-8"))
    if found != times and not (times is None and found):
        raise RuntimeError(
            f"cannot build the DSPy preview: {path} has {pattern!r} {found} times, not {times or '1 or more'}"
        )
    path.write_text(text, encoding="utf-8")
