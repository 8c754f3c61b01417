"""Records in a Parquet file, with the trajectory in one of its columns: as JSON text, or as Arrow's own
nested type. All other columns are written as they were read.

Arrow gives every row the fields of all rows: a short run has null for the steps that longer runs have, and a
tool's arguments have null for those of other tools. Nulls of that kind are left out of the history. The
file's schema is remembered in the history column's metadata, and `--reverse` restores it.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from react_migrate.stored.columns import RowConverter
from react_migrate.stored.errors import RejectedError, StoredError
from react_migrate.stored.lines import LinesResult, Reject
from react_migrate.stored.opening import Input
from react_migrate.stored.output import Output
from react_migrate.stored.report import UNCHANGED
from react_migrate.stored.settings import Settings
from react_shims.wire import group_steps, has_step_keys

_PART = 8 << 20  # bytes of a batch in memory, about
_MOST_ROWS = 1 << 16
_SCHEMA = b"react_migrate.schema"  # of the file in which the trajectory was, as Arrow serializes it


def convert_parquet(
    source: Input, output: Output, settings: Settings, on_result: Callable[[LinesResult], None]
) -> None:
    """Convert a file batch by batch; rejects count rows.

    Raises:
        StoredError: pyarrow is missing, the file cannot be read as Parquet, or the output cannot be written.
    """
    arrow, parquet = _pyarrow(source.name)
    if source.plain_path is None:
        raise StoredError(f"{source.name} is Parquet, which can only be read from a file that is not packed")
    if output.plain_path is None:
        raise StoredError(f"{source.name} is Parquet, which can only be written to a file, named .parquet")
    try:
        with parquet.ParquetFile(source.plain_path, pre_buffer=False, buffer_size=1 << 20) as file:
            _Conversion(arrow, parquet, file, settings, output, on_result).run()
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise StoredError(f"{source.name} cannot be read as Parquet: {error}") from error
    except OSError as error:
        raise StoredError(f"{source.name} or {output.name}: {error}") from error


def _pyarrow(name: str) -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise StoredError(
            f"{name} is Parquet, which needs pyarrow: pip install 'react-migrate[parquet]'"
        ) from error


class _Conversion:
    """One file's conversion. The output's schema is known once a row is converted."""

    def __init__(
        self,
        arrow: Any,
        parquet: Any,
        file: Any,
        settings: Settings,
        output: Output,
        on_result: Callable[[LinesResult], None],
    ) -> None:
        self._arrow, self._parquet, self._file = arrow, parquet, file
        self._schema = file.schema_arrow
        self._settings = settings
        self._output = output
        self._on_result = on_result
        self._rows = RowConverter(settings)
        self._names = list(self._schema.names)
        self._read = {field.name for field in self._schema if _is_json(arrow.types, field.type)}
        self._writer: Any = None
        self._place: int | None = None  # of the column that is converted, once a row is

    def run(self) -> None:
        _check_columns(self._names, self._read, self._settings)
        try:
            for batch in self._batches():
                result = LinesResult(lines=batch.num_rows)
                self._write(self._converted(batch, result))
                self._on_result(result)
            if self._writer is None:
                self._write(self._schema.empty_table())
        finally:
            if self._writer is not None:
                self._writer.close()

    def _batches(self) -> Iterator[Any]:
        metadata = self._file.metadata
        size = sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
        rows = _PART * metadata.num_rows // max(size, 1)
        yield from self._file.iter_batches(batch_size=max(1, min(rows, _MOST_ROWS)))

    def _converted(self, batch: Any, result: LinesResult) -> Any:
        """The batch as a table with the converted column, without rejected rows."""
        read = {name: batch.column(name).to_pylist() for name in self._read}
        kept: list[bool] = []
        cells: list[Any] = []
        for at in range(batch.num_rows):
            # Columns that are not read keep their place: the order of columns tells inputs from outputs.
            row = {name: read[name][at] if name in read else None for name in self._names}
            try:
                converted = self._rows.convert({name: _without_nulls(value) for name, value in row.items()})
            except RejectedError as error:
                raw = json.dumps(row, default=str).encode()
                result.rejects.append(Reject(at, str(error), raw))
                kept.append(False)
                continue
            kept.append(True)
            result.reports[converted.report] += 1
            if converted.report.kind != UNCHANGED:
                self._place = self._changed_place()
                cells.append(converted.record[self._columns[self._place]])
        table = self._arrow.Table.from_batches([batch])
        if not all(kept):
            table = table.filter(self._arrow.array(kept, self._arrow.bool_()))
        return table if self._place is None else self._with_cells(table, cells)

    @property
    def _columns(self) -> list[str]:
        return self._rows.columns or self._names

    def _changed_place(self) -> int:
        pairs = enumerate(zip(self._names, self._columns, strict=True))
        renamed = (at for at, (before, after) in pairs if before != after)
        return (
            next(renamed, -1)
            if self._names != self._columns
            else self._names.index(self._settings.history_field)
        )

    def _with_cells(self, table: Any, cells: list[Any]) -> Any:
        assert self._place is not None
        field, original = self._new_field()
        if _is_text(self._arrow.types, field.type):
            cells = [cell if isinstance(cell, str) or cell is None else json.dumps(cell) for cell in cells]
        else:
            cells = [json.loads(cell) if isinstance(cell, str) else cell for cell in cells]
        column = self._arrow.array(cells, field.type)
        table = table.set_column(self._place, field, column)
        return table.replace_schema_metadata(self._metadata(field.name, original))

    def _new_field(self) -> tuple[Any, Any]:
        """The field of the converted column, and the schema that is to be restored, if any."""
        assert self._place is not None
        arrow, name = self._arrow, self._columns[self._place]
        before = self._schema.field(self._place)
        stored = (before.metadata or {}).get(_SCHEMA)
        if self._settings.reverse and stored is not None:
            schema = arrow.ipc.read_schema(arrow.py_buffer(stored))
            if name in schema.names:
                return schema.field(name), schema
        kind = before.type if _is_text(arrow.types, before.type) else arrow.string()
        metadata = None if self._settings.reverse else {_SCHEMA: self._schema.serialize().to_pybytes()}
        return arrow.field(name, kind, metadata=metadata), None

    def _metadata(self, name: str, original: Any) -> dict[bytes, bytes] | None:
        """The table's metadata, in which pandas and others have the names of columns."""
        if original is not None:
            return dict(original.metadata or {})
        assert self._place is not None
        metadata = dict(self._schema.metadata or {})
        metadata.pop(b"huggingface", None)  # the types of all columns
        if b"pandas" in metadata:
            metadata[b"pandas"] = _renamed(metadata[b"pandas"], self._names[self._place], name)
        return metadata

    def _write(self, table: Any) -> None:
        if self._writer is None:
            metadata = self._file.metadata
            codec = "snappy"
            if metadata.num_row_groups and metadata.num_columns:
                codec = metadata.row_group(0).column(0).compression
            self._writer = self._parquet.ParquetWriter(
                self._output.plain_path,
                table.schema,
                compression="none" if codec == "UNCOMPRESSED" else codec,
            )
        self._writer.write_table(table)


def _check_columns(names: list[str], read: set[str], settings: Settings) -> None:
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise StoredError(f"the Parquet file has two columns of one name, {sorted(repeated)[0]!a}")
    for name in (*(settings.inputs or ()), *(settings.outputs or ())):
        if name in names and name not in read:
            raise StoredError(f"column {name!a} has a type that JSON has not; cast it to text first")


def _is_json(types: Any, kind: Any) -> bool:
    """Whether the values of a column can be in a history, or be a trajectory."""
    if types.is_struct(kind):
        return all(_is_json(types, kind.field(at).type) for at in range(kind.num_fields))
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_json(types, kind.value_type)
    return bool(
        _is_text(types, kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _without_nulls(value: Any) -> Any:
    """A nested value without the fields that are null because other rows have them."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    if not has_step_keys(value):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    steps, others = group_steps(value)
    taken = {number for number, fields in steps.items() if fields.get("tool_name") is not None}
    return {
        key: _without_nulls(item)
        for key, item in value.items()
        if item is not None or (key not in others and int(key.rpartition("_")[2]) in taken)
    }


def _renamed(pandas: bytes, before: str, after: str) -> bytes:
    """pandas' own metadata with another name for a column."""
    try:
        content = json.loads(pandas)
        for column in content["columns"]:
            if column["field_name"] == before:
                column.update(name=after, field_name=after, pandas_type="unicode", numpy_type="object")
    except (ValueError, KeyError, TypeError):
        return pandas  # not pandas' after all
    return json.dumps(content).encode()
