"""The mutants that are run need what runs programs, in `tests/proof`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "proof"))
