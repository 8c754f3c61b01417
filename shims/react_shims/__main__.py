"""`python -m react_shims`: where this environment stands in the move from trajectory to history."""

from __future__ import annotations

import argparse
import sys

from react_shims.installation import status


def main() -> int:
    """Print the status. 2 when the installed DSPy cannot be imported."""
    argparse.ArgumentParser(prog="python -m react_shims", description=__doc__).parse_args()
    try:
        print(status())
    except ImportError as error:
        print(f"DSPy is installed and cannot be imported: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
