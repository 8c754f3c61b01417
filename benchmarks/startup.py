"""How fast the two distributions start: `--help` against click alone, `import react_shims` against nothing.

    python benchmarks/startup.py [--rounds N]

Each round runs all commands once, in turn, and the medians are compared: a busy machine slows both sides.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

NOTHING = ("-c", "pass")
CLICK = ("-c", "import click")
HELP = (
    "-c",
    "import sys; sys.argv = ['react-migrate', '--help']; from react_migrate.cli import main; main()",
)
SHIMS = ("-c", "import react_shims")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    median = measured([NOTHING, CLICK, HELP, SHIMS], rounds)
    print(f"react-migrate --help / import click: {median[HELP] / median[CLICK]:.2f} (bound: 3)")
    print(f"import react_shims - bare Python: {1000 * (median[SHIMS] - median[NOTHING]):.1f} ms (bound: 15)")


def measured(commands: list[tuple[str, ...]], rounds: int) -> dict[tuple[str, ...], float]:
    """The median seconds of each command; the first round, which fills the caches, does not count."""
    seconds: dict[tuple[str, ...], list[float]] = {command: [] for command in commands}
    for _ in range(rounds + 1):
        for command in commands:
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
            seconds[command].append(time.perf_counter() - start)
    return {command: statistics.median(times[1:]) for command, times in seconds.items()}


if __name__ == "__main__":
    main()
