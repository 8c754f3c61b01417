"""The installed RLM: which class it is, whether it has a history itself, and what of it is relied on.

What is private to DSPy, or promised by no release, is named here and looked at before it is used.
"""

from __future__ import annotations

import importlib
from typing import Any

from react_shims.transition import require_dspy
from react_shims.wire.repl import ITERATION, VARIABLES_INFO

dspy = require_dspy()


def _dspys_repl_types() -> Any:
    """The module of `REPLEntry` and `REPLVariable`, which DSPy does not export."""
    try:
        return importlib.import_module("dspy.primitives.repl_types")
    except ModuleNotFoundError as error:
        if error.name != "dspy.primitives.repl_types":
            raise  # DSPy is there and misses something itself
        raise ImportError(
            f"react_shims.RLM does not know the RLM of DSPy {dspy.__version__}: it has no "
            f"{error.name}. Update react-shims (or, on DSPy before 3.2, DSPy).",
            name="dspy",
        ) from error


repl_types = _dspys_repl_types()

ACTION = (
    "generate_action"  # the predictor that thinks and writes code: its attribute, its name in saved state
)
EXTRACT = "extract"  # the predictor that is asked for the outputs when the iterations run out

REPL_HISTORY = "repl_history"  # the input by which both get the run so far, up to DSPy 3.4
HISTORY = "history"

ACTION_INPUTS = (VARIABLES_INFO, REPL_HISTORY, ITERATION)
ACTION_OUTPUTS = ("reasoning", "code")

JSON_RETRY = "_make_json_adapter_fallback"  # makes the adapter with which ChatAdapter asks again
REPLAY = "format_conversation_history"  # makes messages of a history


def require_rlm() -> type[Any]:
    """The installed `dspy.RLM`. Raises ImportError, saying what to install, if it cannot be built upon."""
    found = getattr(dspy, "RLM", None)
    if found is None or not hasattr(dspy, "ToolCallResults"):
        raise ImportError(
            "react_shims.RLM needs an RLM and histories that hold more than a chat, and DSPy "
            f"{dspy.__version__} does not have both: pip install 'dspy>=3.3'.",
            name="dspy",
        )
    rlm: type[Any] = found
    return rlm


def has_own_history(rlm: type[Any]) -> bool:
    """Whether RLMs of this class show their model a `dspy.History`, as DSPy's do from 3.5 on.

    Asked of an instance, which is cheap to make; the version says nothing about forks and pre-releases.
    Raises ImportError where the shim would have to add the history and does not know the class.
    """
    made = rlm("question -> answer")
    signature = getattr(getattr(made, ACTION, None), "signature", None)
    if signature is not None and history_field_in(signature) is not None:
        return True
    _check_what_is_relied_on(made, signature)
    return False


def history_field_in(signature: Any) -> str | None:
    """The name of the first input that is a `dspy.History`; adapters tell it by its annotation, too."""
    for name, field in signature.input_fields.items():
        if field.annotation is dspy.History:
            return str(name)
    return None


def default_adapter() -> Any:
    """The adapter of a program that configures none.

    DSPy writes it out where a predictor needs it: `ChatAdapter()` up to 3.4, and from 3.5 on
    `XMLAdapter(use_native_function_calling=True)`.
    """
    predict = importlib.import_module("dspy.predict.predict")
    if hasattr(predict, "ChatAdapter"):
        return predict.ChatAdapter()
    if hasattr(predict, "XMLAdapter"):
        return predict.XMLAdapter(use_native_function_calling=True)
    raise RuntimeError(
        f"react_shims.RLM does not know the default adapter of DSPy {dspy.__version__}. "
        "Configure one, as in dspy.configure(adapter=dspy.ChatAdapter()), and update react-shims."
    )


def _check_what_is_relied_on(made: Any, signature: Any) -> None:
    missing = [f"the predictor {name!r}" for name in (ACTION, EXTRACT) if not hasattr(made, name)]
    if signature is not None:
        missing += [f"its input {name!r}" for name in ACTION_INPUTS if name not in signature.input_fields]
        missing += [f"its output {name!r}" for name in ACTION_OUTPUTS if name not in signature.output_fields]
    if not hasattr(dspy.Adapter, REPLAY):
        missing.append(f"Adapter.{REPLAY}")
    if not hasattr(dspy.ChatAdapter, JSON_RETRY):
        missing.append(f"ChatAdapter.{JSON_RETRY}")
    if missing:
        raise ImportError(
            f"react_shims.RLM does not know the RLM of DSPy {dspy.__version__}: it has not "
            f"{', '.join(missing)}. Update react-shims.",
            name="dspy",
        )
