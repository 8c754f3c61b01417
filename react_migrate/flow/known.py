"""What DSPy and the standard library do to a value. One table for each question."""

from __future__ import annotations

import sys

# Canonical names: where a class is defined -> where everybody imports it from.
_CANONICAL = {
    "dspy.predict.react.ReAct": "dspy.ReAct",
    "dspy.predict.react_v2.ReActV2": "dspy.ReActV2",
    "dspy.predict.rlm.RLM": "dspy.RLM",
    "dspy.predict.code_act.CodeAct": "dspy.CodeAct",
    "dspy.predict.program_of_thought.ProgramOfThought": "dspy.ProgramOfThought",
    "dspy.predict.predict.Predict": "dspy.Predict",
    "dspy.predict.chain_of_thought.ChainOfThought": "dspy.ChainOfThought",
    "dspy.predict.best_of_n.BestOfN": "dspy.BestOfN",
    "dspy.predict.refine.Refine": "dspy.Refine",
    "dspy.predict.parallel.Parallel": "dspy.Parallel",
    "dspy.primitives.module.Module": "dspy.Module",
    "dspy.primitives.program.Module": "dspy.Module",
    "dspy.primitives.prediction.Prediction": "dspy.Prediction",
    "dspy.evaluate.evaluate.Evaluate": "dspy.Evaluate",
    "dspy.utils.asyncify.asyncify": "dspy.asyncify",
    "dspy.utils.syncify.syncify": "dspy.syncify",
    "dspy.streaming.streamify.streamify": "dspy.streamify",
    "dspy.adapters.types.history.History": "dspy.History",
    "dspy.adapters.History": "dspy.History",
    "dspy.react.ReAct": "dspy.ReAct",
    "react_shims.react.ReAct": "react_shims.ReAct",
    "react_shims.react.ReActV2": "react_shims.ReActV2",
    "react_shims.rlm.module.RLM": "react_shims.RLM",
    "react_shims.truncation.TruncationHook": "react_shims.TruncationHook",
    "react_shims.trajectory.trajectory_of": "react_shims.trajectory_of",
    "react_shims.repl_trajectory.repl_trajectory_of": "react_shims.repl_trajectory_of",
}
# Packages that only pass on what `dspy` itself exports.
_REEXPORTING = ("dspy.predict.", "dspy.primitives.", "dspy.evaluate.", "dspy.teleprompt.", "dspy.streaming.")


def canonical(path: str) -> str:
    """The one name by which a library thing is known here."""
    if path in _CANONICAL:
        return _CANONICAL[path]
    for package in _REEXPORTING:
        if path.startswith(package):
            rest = path[len(package) :]
            if "." not in rest and rest[:1].isupper():
                return f"dspy.{rest}"
    return path


REACT = frozenset(("dspy.ReAct", "dspy.ReActV2", "react_shims.ReAct", "react_shims.ReActV2"))
"""Classes whose predictions have, or had, ReAct's trajectory."""

V1 = "dspy.ReAct"

RLM = frozenset(("dspy.RLM", "react_shims.RLM"))
"""Classes whose predictions have, or had, an RLM's trajectory: a list, never ReAct's."""

RLM_PREDICTS = frozenset(("_extract_fallback", "_aextract_fallback"))
"""Methods of an RLM's loop, which subclasses override and call, that give a prediction."""

RLM_MAY_PREDICT = frozenset(("_process_execution_result", "_execute_iteration", "_aexecute_iteration"))
"""Those that give a prediction in the end, and a `REPLHistory` before."""

_PREDICTORS = ("Predict", "ChainOfThought", "ChainOfThoughtWithHint", "CodeAct", "ProgramOfThought", "Avatar")
_OTHERS = ("Module", "MultiChainComparison", "KNN", "Retrieve", "BestOfN", "Refine", "Parallel")
MODULES = REACT | RLM | {f"dspy.{name}" for name in (*_PREDICTORS, *_OTHERS)}
"""DSPy's modules: calling an instance gives a prediction."""

WRAPPERS = {"dspy.BestOfN": "module", "dspy.Refine": "module"}
"""Modules that return the prediction of another one, by the parameter that takes it (the first)."""

SAME_METHODS = frozenset(
    (
        *("deepcopy", "reset_copy", "copy", "__enter__", "__aenter__", "with_inputs", "set_lm"),
        "map_named_predictors",
    )
)
"""Methods of a module or prediction that give back a thing of the same kind."""

PLAIN_METHODS = frozenset(
    (
        *("dump_state", "load_state", "load", "save", "parameters", "named_parameters", "predictors"),
        *(
            "named_predictors",
            "named_sub_modules",
            "get_lm",
            "inspect_history",
            "get_config",
            "update_config",
        ),
        *("reset", "get_criteria", "set_criteria", "react", "extract", "signature", "truncate_trajectory"),
    )
)
"""Methods and callable parts of DSPy's own modules (3.2 to 3.4) that give something else. Those whose names
begin with an underscore do, too."""

CHANGING_METHODS = frozenset(("model_copy", "_replace"))
"""Methods of records that give a copy with other values in some fields."""

RUN_METHODS = frozenset(("__call__", "forward", "acall", "aforward"))
"""Methods of a module that run it."""

SAME_FIRST: dict[str, str | None] = {
    "copy.copy": None,
    "copy.deepcopy": None,
    "dspy.asyncify": "program",
    "dspy.syncify": "program",
    "asyncio.run": "main",
    "asyncio.wait_for": "fut",
    "asyncio.shield": None,
    "contextlib.nullcontext": None,
    "contextlib.closing": None,
    "contextlib.aclosing": None,
    "functools.lru_cache": None,
    "functools.cache": None,
}
"""Functions that give back their first argument or the same kind of thing, and the keyword it may come by."""

TASKS = {
    "asyncio.create_task": "coro",
    "asyncio.ensure_future": "coro_or_future",
    "asyncio.run_coroutine_threadsafe": "coro",
}
"""Functions that give a future of their first argument, and the keyword it may come by."""

EVENT_LOOPS = frozenset(
    ("asyncio.get_event_loop", "asyncio.get_running_loop", "asyncio.new_event_loop", "asyncio.TaskGroup")
)
"""Functions that give an object with asyncio's methods: `create_task`, `run_until_complete`."""

TYPE_FIRST = frozenset(("typing.cast", "typing_extensions.cast"))
"""Functions that give back their second argument."""

TO_ITEMS = frozenset(
    f"builtins.{name}" for name in ("tuple", "frozenset", "sorted", "reversed", "iter", "aiter")
) | frozenset(
    (
        *("asyncio.as_completed", "concurrent.futures.as_completed", "itertools.islice"),
        *("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.asyncio.tqdm", "tqdm.notebook.tqdm", "rich.progress.track"),
        "itertools.cycle",
    )
)
"""Functions whose result has the elements of their first argument."""

LISTS = frozenset(("builtins.list", "builtins.set", "collections.deque"))
"""Containers that are made of the elements of an argument, and added to later."""

QUEUES = frozenset(
    (
        *("queue.Queue", "queue.SimpleQueue", "queue.LifoQueue", "queue.PriorityQueue"),
        *("asyncio.Queue", "asyncio.LifoQueue", "multiprocessing.Queue"),
    )
)
"""Containers that are empty at first."""

DICTS = frozenset(("builtins.dict", "collections.OrderedDict", "collections.defaultdict"))
"""Containers with keys."""

ONE_OF = frozenset(("builtins.max", "builtins.min", "random.choice", "builtins.next", "builtins.anext"))
"""Functions that give one element of their first argument."""

STAND_INS = frozenset(
    (
        *("dspy.Prediction", "dspy.Example", "types.SimpleNamespace", "argparse.Namespace"),
        *("unittest.mock.Mock", "unittest.mock.MagicMock", "unittest.mock.AsyncMock", "mock.Mock"),
    )
)
"""What users build instead of a prediction: it carries its own trajectory."""

STREAMS = frozenset(("dspy.streamify", "dspy.streaming.streaming_response"))
"""Functions that make a program stream: of what it yields, only the prediction has a trajectory."""

MAPPERS = {
    "builtins.map": "map",
    "builtins.filter": "filter",
    "asyncio.to_thread": "thread",
    "anyio.to_thread.run_sync": "thread",
}
"""Functions that call their first argument: with the elements of the others, or with the others."""

CALLER_METHODS = {
    **dict.fromkeys(("submit", "map", "apply_async", "starmap", "imap", "add_task", "start_soon"), 1),
    **dict.fromkeys(("call_soon", "call_soon_threadsafe"), 1),
    **dict.fromkeys(("run_in_executor", "call_later", "call_at"), 2),
}
"""Methods of executors and pools that call an argument, by how many arguments are their own."""

SORTERS = frozenset(("builtins.sorted", "builtins.max", "builtins.min"))
"""Functions that call their `key=` with the elements of the first argument."""

METRIC_KEYWORDS = frozenset(("metric", "reward_fn"))
"""Keywords under which DSPy takes a function that it calls with a prediction."""


_PASSING_ON = frozenset(
    (
        *("asyncio", "collections", "concurrent", "contextlib", "contextvars", "copy", "functools", "heapq"),
        *("importlib", "itertools", "multiprocessing", "operator", "pickle", "queue", "random", "shelve"),
        *("threading", "types", "typing", "unittest", "weakref"),
    )
)


def keeps_nothing(path: str) -> bool:
    """Whether a library function gives back nothing of what it is handed: `len`, `json.dumps`."""
    top = path.partition(".")[0]
    return (top == "builtins" or top in sys.stdlib_module_names) and top not in _PASSING_ON


def is_dspy(path: str) -> bool:
    """Whether a library path is DSPy's or the shim's."""
    return path.split(".", 1)[0] in {"dspy", "react_shims"}


def is_foreign(path: str) -> bool:
    """Whether a library path is neither DSPy's nor the standard library's: it may be a part of the project
    that these files do not include."""
    root = path.split(".", 1)[0]
    return root not in sys.stdlib_module_names and root != "builtins" and not is_dspy(path)
