"""Reading CSV as spreadsheets and pandas write it: quoted fields with line breaks, a BOM, CRLF; in bounded memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hf_datasets.text_files import refuse, text_lines
from hueval_metrics.text.one_line import one_line


def csv_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    r"""The rows of a CSV file with a header, each with its place, such as `row 3 (line 7)`.

    Line breaks in a field come out as `\n` however they are written, so that the same table saved on another system
    gives the same rows. Empty lines are passed over.

    Args:
        path: the file.
        columns: those to read; their letter case does not matter, nor their order, nor which others there are.

    Yields:
        Place and cells by column, spelled as in `columns`.

    Raises:
        DataError: the file cannot be read, is not CSV, lacks a column, or a row has too many or too few cells.
    """
    reader = csv.reader(text_lines(path), strict=True)
    records = _records(path, reader)
    header = next(records, None)
    if header is None:
        refuse(path, f"is empty, expected a table with the columns {', '.join(columns)}")
    place_of = _places(path, header, columns)
    number = 0
    for number, cells in enumerate(records, start=1):
        place = f"row {number} (line {reader.line_num})"
        if len(cells) != len(header):
            refuse(path, f"{place} has not {len(header)} cells as the header has but {len(cells)}")
        yield place, {column: cells[at].replace("\r\n", "\n") for column, at in place_of.items()}
    if not number:
        refuse(path, "has a header and no rows, expected at least one")


def _records(path: Path, reader: Any) -> Iterator[list[str]]:
    """The records that are not empty; what the reader cannot read is told by the last line that it could."""
    before = 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as problem:
            fault = f"what follows line {before} is not CSV ({one_line(problem, 80)})"
            refuse(path, fault, "Look for a quotation mark that is not closed or not doubled, or take a fresh copy")
        if cells is None:
            return
        before = reader.line_num
        if cells:
            yield cells


def _places(path: Path, header: Sequence[str], columns: Sequence[str]) -> dict[str, int]:
    """Where each column stands."""
    found = [name.strip().casefold() for name in header]
    for column in columns:
        if (count := found.count(column.casefold())) != 1:
            found_count = f"{count} columns" if count else "no column"
            names = one_line(", ".join(header), 80)
            refuse(path, f'has {found_count} called "{column}" (it has {names}), expected {", ".join(columns)}')
    return {column: found.index(column.casefold()) for column in columns}
