"""How much of a REPL's output the model is shown."""

from __future__ import annotations


def shortened(output: str, limit: int) -> str:
    """At most `limit` characters of the output: its head and its tail, and how many are missing between them.

    The form of stanfordnlp/dspy#10387. DSPy up to 3.4 also puts the length before it, which told a model
    little beside the number that is left out.
    """
    limit = max(limit, 0)
    omitted = len(output) - limit
    if omitted <= 0:
        return output
    head = limit // 2
    tail = limit - head
    return f"{output[:head]}\n... ({omitted:,} characters omitted) ...\n{output[len(output) - tail :]}"
