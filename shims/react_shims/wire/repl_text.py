"""What DSPy 3.2 to 3.4 shows an RLM's model of its run: all that dumps of a `REPLHistory` keep.

=== Step 1 ===
Reasoning: (only if there is any)
Code:
```python
(code)
```
Output (12,345 chars):
(output; of a long one the beginning and the end)
=== Step 2 ===
...
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

NOTHING_YET = "You have not interacted with the REPL environment yet."

_FIRST_STEP = "=== Step 1 ===\n"
_REASONING, _CODE = "Reasoning: ", "Code:\n```python\n"
_NUMBER = r"(0|[1-9][0-9]{0,2}(?:,[0-9]{3}){0,5})"
_OUTPUT = re.compile(rf"\n```\nOutput \({_NUMBER} chars\):(?=\n)")
_OMITTED = re.compile(rf"\n\n\.\.\. \({_NUMBER} characters omitted\) \.\.\.(?=\n\n)")
_BEGINNING = re.compile(rf"\n=== Step [0-9]+ ===\n(?:{_REASONING}|{_CODE})")
_MOST_TRIES = 200_000  # of texts that are made to look like what separates steps


class ShownEntry(NamedTuple):
    """An entry as a text shows it. length: of the whole output, of which a long one's middle is left out."""

    reasoning: str
    code: str
    output: str
    length: int


def looks_like_repl_text(x: Any) -> bool:
    """Whether `x` begins as the text of a `REPLHistory` does."""
    return isinstance(x, str) and (x.startswith(_FIRST_STEP) or x == NOTHING_YET)


def entries_in_text(text: str) -> list[ShownEntry] | None:
    """The entries that a `REPLHistory`'s text shows; None if the text is not one, in full.

    What is in an entry may look like what separates entries. The lengths of the outputs decide then; between
    reasoning and code the last possible border is taken. A text in which a length is wrong, because somebody
    edited it, would still be one of fewer and larger entries: so none may have another's beginning in its
    reasoning or code. `text_of_entries` gives the text again.
    """
    if text == NOTHING_YET:
        return []
    if not text.startswith(_FIRST_STEP):
        return None
    outputs, omissions = list(_OUTPUT.finditer(text)), list(_OMITTED.finditer(text))
    tries = iter(range(_MOST_TRIES))
    # Each level has the entry tried for one step, and those that are left to try if it leads nowhere.
    found: list[tuple[ShownEntry, int]] = []
    left = [_candidates(text, 1, len(_FIRST_STEP), outputs, omissions, tries)]
    dead: set[tuple[int, int]] = set()
    while left:
        candidate = next(left[-1], None)
        if candidate is None:
            left.pop()
            if found:
                dead.add((len(found), found.pop()[1]))
            continue
        entry, end = candidate
        if end == len(text):
            return [*(entry for entry, _ in found), entry]
        if (len(found) + 1, end) in dead:
            continue
        found.append((entry, end))
        step = len(found) + 1
        left.append(_candidates(text, step, end + len(_heading(step)), outputs, omissions, tries))
    return None


def text_of_entries(entries: Sequence[Mapping[str, Any]], lengths: Mapping[int, int] | None = None) -> str:
    """The text for entries, as DSPy formats them; nothing is left out.

    lengths: those of outputs of which something was left out before, by the position of the entry.
    """
    if not entries:
        return NOTHING_YET
    steps = []
    for position, entry in enumerate(entries):
        length = (lengths or {}).get(position, len(entry["output"]))
        reasoning = f"{_REASONING}{entry['reasoning']}\n" if entry["reasoning"] else ""
        steps.append(
            f"=== Step {position + 1} ===\n{reasoning}{_CODE}{entry['code']}\n```\n"
            f"Output ({length:,} chars):\n{entry['output']}"
        )
    return "\n".join(steps)


def _heading(step: int) -> str:
    return f"\n=== Step {step} ===\n"


def _candidates(
    text: str,
    step: int,
    start: int,
    outputs: Sequence[re.Match[str]],
    omissions: Sequence[re.Match[str]],
    tries: Iterator[int],
) -> Iterator[tuple[ShownEntry, int]]:
    """Entries that may begin at `start`, each with where it ends: at the next heading, or with the text."""
    another = _BEGINNING.search(text, start)
    for header in outputs[bisect_left(outputs, start, key=_start) :]:
        if another is not None and another.end() <= header.start():
            return
        if next(tries, None) is None:
            return
        length, begin = _number_in(header), header.end() + 1
        for end in _ends(length, begin, omissions, tries):
            if end != len(text) and not text.startswith(_heading(step + 1), end):
                continue
            thought = _reasoning_and_code(text[start : header.start()])
            if thought is not None:
                yield ShownEntry(*thought, text[begin:end], length), end


def _ends(length: int, begin: int, omissions: Sequence[re.Match[str]], tries: Iterator[int]) -> Iterator[int]:
    """Where an output of that length may end: with a note in the place of its middle, or whole.

    A note that stands where it has to is one: by chance a whole output, too, may end where a step does.
    """
    for note in omissions[bisect_left(omissions, begin, key=_start) :]:
        if note.start() > begin + length or next(tries, None) is None:
            break
        kept = length - _number_in(note)
        head = kept // 2
        if note.start() != begin + head:
            continue
        # Before DSPy 3.4 the end was as long as the beginning. Where nothing is to be kept, all of it is.
        for tail in dict.fromkeys((kept - head, head, *(() if head else (length,)))):
            yield note.end() + len("\n\n") + tail
    yield begin + length


def _reasoning_and_code(part: str) -> tuple[str, str] | None:
    """What stands between a heading and the fence that closes the code."""
    if part.startswith(_CODE):
        return "", part[len(_CODE) :]
    border = part.rfind("\n" + _CODE)
    if not part.startswith(_REASONING) or border <= len(_REASONING):
        return None
    return part[len(_REASONING) : border], part[border + 1 + len(_CODE) :]


def _start(match: re.Match[str]) -> int:
    return match.start()


def _number_in(match: re.Match[str]) -> int:
    return int(match[1].replace(",", ""))
