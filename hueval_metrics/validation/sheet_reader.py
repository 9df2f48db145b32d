"""The rows of a sheet that a rater has filled in, whatever program saved it.

Columns are found by their names, rows by their ids, so that neither order matters. A CSV may come from an Excel that
writes the regional form: semicolons, and the code page of Windows for Central Europe.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from zipfile import ZipFile

from hueval_metrics.records import InputError
from hueval_metrics.text.files import MAX_BYTES, read_bytes
from hueval_metrics.text.one_line import one_line
from hueval_metrics.validation.sheet import SUFFIXES

_NEEDED = ("id", "rating")
_HEAD_ROWS = 20  # rows that may stand above the names of the columns
_REGIONAL = "cp1250"  # Windows, Central Europe
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS = ",;\t"
_MAX_COLUMNS = 100  # Excel has 16,384, and a cell in the last one makes the whole row

_Cells = Sequence[object]


def read_sheet(path: Path) -> list[SheetRow]:
    """The rows of a sheet that are not empty.

    Raises:
        InputError: the file cannot be read, is damaged or of another kind, or has no columns `id` and `rating`.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: not a sheet. Expected the {' or '.join(SUFFIXES)} file that a rater has filled in")
    try:
        content = read_bytes(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        with warnings.catch_warnings(action="ignore"):  # openpyxl's, of what it does not need to understand
            tables = _xlsx(content) if path.suffix.lower() == ".xlsx" else [_csv(content)]
            for table in tables:
                if (rows := _rated(table)) is not None:
                    return rows
    except Exception as error:  # openpyxl lets through whatever it trips over in a damaged file
        problem = f"{type(error).__name__}: {one_line(error, 80)}"
        raise InputError(f"{path}: damaged, or not what its name says ({problem}). Save it anew") from None
    raise InputError(f"{path}: no columns {' and '.join(_NEEDED)}. Keep the first row as it was exported")


def _xlsx(content: bytes) -> Iterator[Iterable[_Cells]]:
    from openpyxl import load_workbook

    with ZipFile(io.BytesIO(content)) as parts:
        if sum(part.file_size for part in parts.infolist()) > MAX_BYTES:  # which zipfile reads no further than
            raise ValueError(f"unpacks to more than {MAX_BYTES // 2**20} MiB")
    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    for page in book.worksheets:
        page.reset_dimensions()  # some programs write wrong ones, and rows beyond them would be lost
        yield page.iter_rows(max_col=_MAX_COLUMNS, values_only=True)


def _csv(content: bytes) -> Iterator[_Cells]:
    text = _decoded(content)
    head = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=head.count)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _decoded(content: bytes) -> str:
    if content.startswith(_UTF16):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode(_REGIONAL, "replace")


def _rated(table: Iterable[_Cells]) -> list[SheetRow] | None:
    """The rows below the names of the columns; None without such names."""
    numbered = enumerate(iter(table), start=1)
    for _, cells in islice(numbered, _HEAD_ROWS):
        names = [_text(cell).lower() for cell in cells]
        if all(name in names for name in _NEEDED):
            break
    else:
        return None
    places = [names.index(name) if name in names else None for name in (*_NEEDED, "comment")]
    rows = []
    for number, cells in numbered:
        name, rating, comment = (cells[place] if place is not None and place < len(cells) else None for place in places)
        if _text(name) or _text(rating):
            rows.append(SheetRow(number, _text(name), rating, _text(comment)))
    return rows


def _text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row as the rater left it: its number in the sheet, from 1; what stands in the columns it is read for."""

    number: int
    name: str
    rating: object
    comment: str
