"""Which findings are wanted: codes and prefixes of codes on the command line, and comments in the code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

_COMMENT = re.compile(r"#\s*react-migrate:\s*ignore(?:\s*\[([^\]]*)\])?", re.IGNORECASE)


class UnknownCodeError(ValueError):
    """A code that no rule has; the message names the closest that one has."""


def select(known: Collection[str], chosen: Iterable[str], ignored: Iterable[str]) -> frozenset[str]:
    """The codes of `known` that start with one of `chosen` (all, when there is none) and none of `ignored`.

    A file's own problems (RM0..) are always among the chosen, for a run that hides them would be misread.
    """
    wanted = [_checked(known, code) for code in chosen]
    unwanted = [_checked(known, code) for code in ignored]
    return frozenset(
        code
        for code in known
        if (not wanted or code.startswith(("RM0", *wanted))) and not code.startswith(tuple(unwanted))
    )


def one_code(known: Collection[str], code: str) -> str:
    """`code` as the registry spells it. Raises `UnknownCodeError`."""
    spelled = _checked(known, code)
    if spelled in known:
        return spelled
    family = [one for one in known if one.startswith(spelled)]
    raise UnknownCodeError(f"{spelled} stands for {', '.join(family)}; name one of them.")


def _checked(known: Collection[str], code: str) -> str:
    spelled = code.strip().upper()
    if spelled and any(one.startswith(spelled) for one in known):
        return spelled
    prefixes = {one[:length] for one in known for length in range(3, len(one) + 1)}
    close = difflib.get_close_matches(spelled, sorted(prefixes, key=len, reverse=True), 1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else f"the codes are {', '.join(known)}."
    raise UnknownCodeError(f"no rule has the code {code.strip()!a}; {hint} See `react-migrate rules`.")


def is_ignored(code: str, line: str) -> bool:
    """Whether a comment in this line of code says `react-migrate: ignore`, for this code or for all."""
    for found in _COMMENT.finditer(line):
        prefixes = None if found[1] is None else tuple(split_codes([found[1].upper()]))
        if prefixes is None or code.startswith(prefixes):
            return True
    return False


def split_codes(values: Sequence[str]) -> list[str]:
    """`("RM1,RM201", "RM3")` as single codes."""
    return [code.strip() for value in values for code in value.split(",") if code.strip()]
