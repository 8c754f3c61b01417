"""The two ways in which a conversion can fail."""

from __future__ import annotations


class StoredError(Exception):
    """The job cannot be done: nothing is written. The message says what, where, and what to do."""


class RejectedError(Exception):
    """One record cannot be converted; the others can. The message says why, as a predicate of the record."""
