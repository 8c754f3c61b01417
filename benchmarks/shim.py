"""What `react_shims.ReAct` costs on top of the installed DSPy's own class.

    python benchmarks/shim.py        (where dspy and react-shims can be imported)

Prints the overhead per agent turn, with a model that answers at once: each round times a run of the bare
class and one of the shim's, one right after the other, and the result is the median of the rounds' ratios.
Also the quartiles of the ratios, which say how steady the machine was. Processor time, so that other work
counts as little as possible. Exits with 1 when the overhead is 3 % or more.

DSPy 3.3 costs more than later releases: it looks up the source of every frame on the stack at each call of a
module, and the shim stands there with one.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

import dspy

from react_shims import ReAct
from react_shims.testing import Act, Call, Finish, Script
from react_shims.transition import v2_class

TURNS = 10
ROUNDS = 200
LIMIT = 0.03


def search(query: str) -> str:
    return f"found {query}"


def seconds_per_turn(agent: Any) -> float:
    plan = [Act("look", Call("search", {"query": str(number)})) for number in range(TURNS - 1)]
    script = Script([*plan, Finish("done", {"answer": "x"})])
    with script, dspy.context(adapter=dspy.ChatAdapter(use_native_function_calling=True)):
        start = time.process_time()
        agent(question="why?")
        return (time.process_time() - start) / TURNS


def rounds(bare: Any, shim: Any) -> Sequence[tuple[float, float]]:
    """Times of a bare turn and a shim's turn, alternating which goes first."""
    gc.collect()
    gc.freeze()  # what has been imported: collecting garbage costs what the run itself leaves behind
    pairs = []
    for number in range(ROUNDS):
        gc.collect()
        if number % 2:
            pairs.append((seconds_per_turn(bare), seconds_per_turn(shim)))
        else:
            second = seconds_per_turn(shim)
            pairs.append((seconds_per_turn(bare), second))
    return pairs


def main() -> int:
    bare = v2_class()("question -> answer", tools=[search])  # type: ignore[misc]
    shim = ReAct("question -> answer", tools=[search])
    for agent in (bare, shim):
        seconds_per_turn(agent)  # imports and caches
    pairs = rounds(bare, shim)
    turn = statistics.median(ours for ours, _ in pairs)
    lower, middle, upper = statistics.quantiles((theirs / ours for ours, theirs in pairs), n=4)
    print(
        f"dspy {dspy.__version__}: a bare turn takes {turn * 1e3:.2f} ms; the shim adds {middle - 1:+.1%} "
        f"(quartiles {lower - 1:+.1%} to {upper - 1:+.1%})"
    )
    return 0 if middle - 1 < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
