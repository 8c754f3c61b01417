"""A few mutants are run: before the rewrite on DSPy 3.4.1, after it on 3.6, where the old names are gone.

They must print what the program prints that they are mutants of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from client import Release
from invariants import check_rewrite
from mutants import PROGRAMS, mutant_of, originals
from mutate_format import FORMATS, form_feed
from profiles import TIMES
from programs import Program, all_programs

OLD, NEW = "3.4.1", "3.6.0"
SLOW = {"archive", "observatory"}
KEPT = tuple(one for one in FORMATS if one is not form_feed)  # of which libcst cannot edit all
RUNS = [
    pytest.param(program, seed, id=f"{program}-{seed}")
    for seed in range(TIMES)
    for program in all_programs()[:: 1 if TIMES > 1 else 2]
    if program.name not in SLOW
]


@pytest.fixture(scope="module")
def releases() -> Iterator[dict[str, Release]]:
    with ExitStack() as stack:
        yield {version: stack.enter_context(Release(version)) for version in (OLD, NEW)}


@pytest.mark.parametrize(("program", "seed"), RUNS)
def test_a_mutant_does_the_same(
    program: Program, seed: int, releases: dict[str, Release], tmp_path: Path
) -> None:
    mutant = mutant_of(originals()[program.name], Random(f"{program} {seed}"), KEPT)
    rewritten = check_rewrite(mutant, unsafe=program.unsafe)
    assert not rewritten.failed
    expected = releases[OLD].run(program, PROGRAMS)
    before = releases[OLD].run(program, _written(program, mutant, tmp_path / "before"))
    after = releases[NEW].run(program, _written(program, rewritten.files, tmp_path / "after"))
    assert (expected.code, before.code, after.code) == (0, 0, 0), f"{before}\n{after}"
    assert before.output == expected.output
    assert after.output == expected.output


def _written(program: Program, files: dict[str, bytes], folder: Path) -> Path:
    for name, raw in files.items():
        path = folder / (program.name if program.is_folder else "") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return folder
