"""How much is fuzzed: little and always the same, so that no run fails by chance; or a lot, for a hunt.

`REACT_MIGRATE_FUZZ=50` makes fifty times as many examples, other ones each time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, settings

TIMES = int(os.environ.get("REACT_MIGRATE_FUZZ", "1"))


def fuzzed(examples: int) -> Callable[[Any], Any]:
    """Settings for a test with about so many examples."""
    phases = [Phase.explicit, Phase.generate, *([Phase.shrink] if TIMES > 1 else [])]
    return settings(
        max_examples=examples * TIMES,
        derandomize=TIMES == 1,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
