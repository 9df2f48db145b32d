"""Rows of a Parquet file that anyone may have written: a few hundred bytes of one can stand for terabytes.

Compression and dictionaries make a value that is repeated nearly free. The footer says what a row group takes once it
is decompressed, which bounds its longest value; what dictionaries make of it shows only as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hueval_metrics.text.files import open_file

MAX_GROUP = 2**29  # bytes of a row group, decompressed; the largest data set has 200 MB in all
MAX_ROWS = 2_000_000  # the largest has 80,614
MAX_GROWTH = 100  # times the file that its rows may take, beyond the first _BATCH bytes; long articles take some 10
_BATCH, _BATCH_ROWS = 2**25, 1024  # bytes and rows that are held at a time, at most


def parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, in bounded memory.

    Raises:
        pyarrow.ArrowException: it is no sound Parquet, or holds more than a data set can; the iterator too.
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
