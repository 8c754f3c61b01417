"""The tests in `on_dspy` run on DSPy releases, each in a process of its own: see `test_releases.py`."""

import os
from importlib.util import find_spec

from hypothesis import HealthCheck, settings

collect_ignore = [] if find_spec("dspy") else ["on_dspy"]

# A slow machine is no failure. In CI the examples are the same in every run, so that only a change breaks it;
# elsewhere they vary, and what they find is kept in `.hypothesis`.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
