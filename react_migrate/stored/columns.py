"""Tables have the same columns in every row: where the trajectory's column becomes the history's."""

from __future__ import annotations

from typing import Any

from react_migrate.report.escape import printable
from react_migrate.stored.errors import RejectedError
from react_migrate.stored.jsontext import Parsed
from react_migrate.stored.lines import convert_record
from react_migrate.stored.report import Converted
from react_migrate.stored.settings import Settings


class RowConverter:
    """Converts rows as records, and sees to it that all of them get the same columns."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.columns: list[str] | None = None  # of converted rows, once there is one

    def convert(self, row: dict[str, Any]) -> Converted:
        """Raises `RejectedError`."""
        converted = convert_record(Parsed(row), self._settings)
        columns = list(converted.record) if isinstance(converted.record, dict) else []
        if len(columns) != len(row):
            raise RejectedError(
                "has the steps of its trajectory in columns of their own; a table is converted if one column "
                "has the trajectory as JSON"
            )
        if self.columns is None:
            self.columns = columns
        if columns != self.columns:
            others = ", ".join(printable(column[:40]) for column in columns)
            raise RejectedError(f"would get other columns than the rows before it: {others}")
        return converted
