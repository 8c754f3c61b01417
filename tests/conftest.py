"""The tests in `on_dspy` run on DSPy releases, each in a process of its own: see `test_releases.py`."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("dspy") else ["on_dspy"]
