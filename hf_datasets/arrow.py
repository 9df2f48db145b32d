"""From a pydantic model to an Arrow schema, and from rows to a Parquet file: same rows, same bytes.

The bytes are the same for one version of pyarrow, which writes its own name into the file.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from hf_datasets.repo import Row, canonical
from hueval_metrics.records import DataError
from hueval_metrics.text.files import whole_file
from hueval_metrics.text.one_line import one_line

if TYPE_CHECKING:
    import pyarrow as pa

# A row group is written when either is reached: what one group takes in memory does not grow with the file.
GROUP_ROWS = 10_000
GROUP_BYTES = 8 * 2**20  # of JSON; Python objects and Arrow columns of it come to several times that


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        rows: how many.
        content: their `repo.content_hash`.
        sha256: of the file.
    """

    rows: int
    content: str
    sha256: str


def schema_of(model: type[BaseModel]) -> pa.Schema:
    """The Arrow schema of a model's rows, as `model_dump` gives them; every column may hold nulls.

    Raises:
        TypeError: a field is of a type that has no fixed columns, such as a dict.
    """
    import pyarrow as pa

    return pa.schema(_fields(model))


def write_rows(rows: Iterable[Row], model: type[BaseModel], path: Path) -> Written:
    """Write rows as a Parquet file, whole or not at all, holding one row group of them in memory.

    Args:
        rows: each with exactly the fields of the model.
        model: their schema.
        path: the file; an older one is replaced.

    Raises:
        DataError: a row does not fit the schema or holds what Parquet cannot, told with its number, counted from 1; or
            the file cannot be written. Nothing is left under its name then.
    """
    import pyarrow.parquet as pq

    schema = schema_of(model)
    content = hashlib.sha256()
    count = 0
    with whole_file(path, DataError) as write:
        sink = _Sink(write)
        with pq.ParquetWriter(sink, schema, version="2.6", compression="zstd", compression_level=3) as writer:
            for group, json_lines in _groups(rows):
                writer.write_table(_table(group, json_lines, schema, count, path))
                content.update(json_lines)
                count += len(group)
    return Written(count, content.hexdigest(), sink.sha256.hexdigest())


def _fields(model: type[BaseModel]) -> list[pa.Field]:
    import pyarrow as pa

    return [
        pa.field(name, _type(field.annotation, f"{model.__name__}.{name}"))
        for name, field in model.model_fields.items()
    ]


def _type(annotation: Any, place: str) -> pa.DataType:
    import pyarrow as pa

    simple = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in simple:
        return simple[annotation]
    if origin is Annotated:
        return _type(arguments[0], place)
    if origin is list:
        return pa.list_(_type(arguments[0], place))
    if origin is Literal and len(kinds := {type(value) for value in arguments}) == 1:
        return _type(kinds.pop(), place)
    if origin in (Union, UnionType) and len(given := [option for option in arguments if option is not NoneType]) == 1:
        return _type(given[0], place)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return pa.struct(_fields(annotation))
    raise TypeError(f"{place}: {annotation} has no Arrow type. Take str, int, float, bool, list or a model")


def _groups(rows: Iterable[Row]) -> Iterator[tuple[list[Row], bytes]]:
    """The rows in row groups, each with its part of what `content_hash` hashes."""
    group: list[Row] = []
    lines: list[bytes] = []
    size = 0
    for row in rows:
        group.append(row)
        lines.append(canonical(row))
        size += len(lines[-1])
        if len(group) == GROUP_ROWS or size >= GROUP_BYTES:
            yield group, b"".join(lines)
            group, lines, size = [], [], 0
    if group:
        yield group, b"".join(lines)


def _table(group: list[Row], json_lines: bytes, schema: pa.Schema, before: int, path: Path) -> pa.Table:
    """The group as a table; a row that cannot be written is told with its number."""
    try:
        return _exact(group, json_lines, schema)
    except _FaultError as first:
        faults = ((number, _fault(row, schema)) for number, row in enumerate(group, start=before + 1))
        number, fault = next(((number, fault) for number, fault in faults if fault), (before + 1, str(first)))
        raise DataError(f"{'/'.join(path.parts[-2:])} row {number}: {fault}. Fix the row in the source file") from None


def _exact(group: list[Row], json_lines: bytes, schema: pa.Schema) -> pa.Table:
    """The table that gives back the very same rows: Arrow would drop, fill in and cast silently."""
    import pyarrow as pa

    try:
        table = pa.Table.from_pylist(group, schema=schema)
    except UnicodeEncodeError:
        raise _FaultError("contains an unpaired surrogate, expected Unicode text") from None
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise _FaultError(f"does not fit the schema ({one_line(error, 120)})") from None
    if b"".join(canonical(row) for row in table.to_pylist()) != json_lines:
        raise _FaultError(f"does not have the fields and types of the schema ({', '.join(schema.names)})")
    return table


def _fault(row: Row, schema: pa.Schema) -> str | None:
    try:
        _exact([row], canonical(row), schema)
    except _FaultError as fault:
        return str(fault)
    return None


class _FaultError(Exception):
    """Why rows cannot be written."""


class _Sink(io.RawIOBase):
    """What pyarrow writes into: passes the bytes on, and hashes them on the way."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.sha256 = hashlib.sha256()
        self._write = write
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, content: Any) -> int:
        piece = bytes(content)
        self._write(piece)
        self.sha256.update(piece)
        self._size += len(piece)
        return len(piece)
