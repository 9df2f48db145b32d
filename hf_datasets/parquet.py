"""Parquet: an Arrow schema from a pydantic model, rows to a file, and rows from an untrusted file.

The same rows give the same bytes with one version of pyarrow, which writes its own name into the file. A file of a few
hundred bytes may decompress to terabytes, since compression and dictionaries store a repeated value once. The footer
has the decompressed size of each row group, which bounds its longest value; the size after dictionary decoding is known
only when the rows are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from hf_datasets.repo import Row, canonical
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import open_file

if TYPE_CHECKING:
    import pyarrow as pa

# A row group is written when either is reached, so that memory does not grow with the file.
GROUP_ROWS = 10_000
GROUP_BYTES = 8 * 2**20  # of JSON; Python objects and Arrow columns of it come to several times that
MAX_GROUP = 2**29  # bytes of a row group, decompressed; the largest data set has 200 MB in all
MAX_ROWS = 2_000_000  # the largest has 80,614
MAX_GROWTH = 100  # size of the rows relative to that of the file, beyond the first _BATCH bytes; long articles reach 10
_BATCH, _BATCH_ROWS = 2**25, 1024  # bytes and rows in memory at a time, at most


def schema_of(model: type[BaseModel]) -> pa.Schema:
    """The Arrow schema of a model's rows, as `model_dump` gives them; every column is nullable.

    Raises:
        TypeError: a field is of a type that has no fixed columns, such as a dict.
    """
    import pyarrow as pa

    return pa.schema(_fields(model))


def write_rows(rows: Iterable[Row], model: type[BaseModel], path: Path) -> tuple[int, str]:
    """Write rows as a Parquet file, with one row group of them in memory.

    Args:
        rows: each with exactly the fields of the model.
        model: their schema.
        path: the file, which is incomplete after an error: write into a folder that is renamed at the end.

    Returns:
        The number of rows, and their `repo.content_hash`.

    Raises:
        DataError: a row does not fit the schema or cannot be stored as Parquet (the message has its number, counted
            from 1), or the file cannot be written.
    """
    import pyarrow.parquet as pq

    schema = schema_of(model)
    content = hashlib.sha256()
    count = 0
    options = {"version": "2.6", "compression": "zstd", "compression_level": 3}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file, pq.ParquetWriter(file, schema, **options) as writer:
            for group in _groups(rows):
                table, json_lines = _table(group, schema, count, path)
                writer.write_table(table)
                content.update(json_lines)
                count += len(group)
    except OSError as error:
        raise DataError(f"cannot write {path} ({error.strerror}). Free some space or choose another folder") from None
    return count, content.hexdigest()


def parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, in bounded memory.

    Raises:
        pyarrow.ArrowException: it is not valid Parquet, or too large for a data set; the iterator too.
        OSError: it cannot be read.
        UnicodeDecodeError: a text in it is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_file(path) as source, pq.ParquetFile(source) as file:
        groups = [file.metadata.row_group(n) for n in range(file.metadata.num_row_groups)]
        if (largest := max((group.total_byte_size for group in groups), default=0)) > MAX_GROUP:
            raise pa.ArrowInvalid(f"a row group of {largest:,} bytes, which no data set has")
        left = _BATCH + MAX_GROWTH * path.stat().st_size
        rows = 0
        for batch in file.iter_batches(batch_size=min(_BATCH_ROWS, max(1, _BATCH // max(1, largest)))):
            left, rows = left - batch.nbytes, rows + batch.num_rows
            if left < 0 or rows > MAX_ROWS:
                raise pa.ArrowInvalid("a small file that unpacks to more than any data set has")
            yield from batch.to_pylist()


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


def _groups(rows: Iterable[Row]) -> Iterator[list[tuple[Row, bytes]]]:
    """The rows in row groups, each row with its bytes for `content_hash`."""
    group: list[tuple[Row, bytes]] = []
    size = 0
    for row in rows:
        group.append((row, canonical(row)))
        size += len(group[-1][1])
        if len(group) == GROUP_ROWS or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _table(group: list[tuple[Row, bytes]], schema: pa.Schema, before: int, path: Path) -> tuple[pa.Table, bytes]:
    """A table from which exactly the same rows can be read: Arrow drops, fills in and casts silently."""
    import pyarrow as pa

    json_lines = b"".join(line for _, line in group)
    try:
        table = pa.Table.from_pylist([row for row, _ in group], schema=schema)
        if b"".join(map(canonical, table.to_pylist())) == json_lines:
            return table, json_lines
        fault = f"does not have the fields and types of the schema ({', '.join(schema.names)})"
    except UnicodeEncodeError:
        fault = "contains an unpaired surrogate, expected Unicode text"
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        fault = f"does not fit the schema ({one_line(error, 120)})"
    if len(group) > 1:  # find the faulty row
        for number, entry in enumerate(group):
            _table([entry], schema, before + number, path)
    raise DataError(f"{'/'.join(path.parts[-2:])} row {before + 1}: {fault}. Fix the row in the source file")
