"""Mutants of the fixture programs: several changes, one on top of the other, and none to what they do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from invariants import compiles
from mutate_code import CODE, split
from mutate_format import FORMATS, Mutation, as_bytes
from mutate_names import NAMES, read_otherwise

PROGRAMS = Path(__file__).parents[2] / "fixtures/programs"


def originals() -> dict[str, dict[str, str]]:
    """The files of every fixture program, by the program's name."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(PROGRAMS.iterdir()):
        if path.suffix == ".py":
            found[path.stem] = {path.name: path.read_text(encoding="utf-8")}
        elif path.name != "__pycache__":
            files = sorted(path.rglob("*.py"))
            found[path.name] = {f.relative_to(path).as_posix(): f.read_text(encoding="utf-8") for f in files}
    return found


def mutated(text: str, random: Random, changes: Sequence[Mutation], most: int) -> str:
    """A text after up to so many of these changes."""
    for _ in range(random.randint(0, most)):
        new = random.choice(changes)(text, random)
        if new is not None and compiles(new):  # some do not go together: tabs in one block, blanks in another
            text = new
    return text


def mutant_of(
    files: dict[str, str], random: Random, formats: Sequence[Mutation] = FORMATS
) -> dict[str, bytes]:
    """A program, some of whose files are changed; one of a single file may have two afterwards."""
    texts = dict(files)
    for name in random.sample(sorted(texts), min(len(texts), 3)):
        changes = (*CODE, *NAMES) if len(texts) == 1 else (*CODE, read_otherwise)  # others know its names
        texts[name] = mutated(texts[name], random, changes, 5)
    if len(texts) == 1 and random.random() < 0.5:
        [(name, text)] = texts.items()
        halves = split(text, random)
        texts = texts if halves is None else {"first_half.py": halves[0], name: halves[1]}
    return {name: as_bytes(mutated(text, random, formats, 3), random) for name, text in texts.items()}
