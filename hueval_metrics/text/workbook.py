"""Tables for spreadsheets, as .xlsx or .csv, in which no text is evaluated as a formula (OWASP, CSV Injection)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hueval_metrics.text.spreadsheet import csv_text

SUFFIXES = (".xlsx", ".csv")
CELL_LIMIT = 32_767  # longest text of an Excel cell, in UTF-16 code units
_NOTE_ROOM = 60
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not allowed in XML 1.0


def fit(text: str) -> str:
    """The text as a cell can contain it: cut, with a note, where it is too long."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = _NO_XML.sub("", lines)
    units = clean.encode("utf-16-le")
    if len(units) <= 2 * CELL_LIMIT:
        return clean
    start = units[: 2 * (CELL_LIMIT - _NOTE_ROOM)].decode("utf-16-le", "ignore")
    return f"{start}\n[… levágva / cut here: +{len(clean) - len(start)}]"


def table_bytes(name: str, columns: Mapping[str, int], rows: Iterable[Sequence[str | float]], suffix: str) -> bytes:
    """A table as a file.

    Args:
        name: of the sheet, in .xlsx.
        columns: heading → width in characters.
        rows: texts that `fit`, and finite numbers.
        suffix: one of `SUFFIXES`; .csv is in UTF-8 with a byte order mark, without which Excel misreads ő and ű.
    """
    if suffix == ".csv":
        return csv_text([tuple(columns), *rows], line_end="\r\n").encode("utf-8-sig")
    from openpyxl import Workbook

    book = Workbook()
    book.properties.creator = "hueval"
    book.worksheets[0].title = name
    add_table(book.worksheets[0], columns, rows)
    return workbook_bytes(book)


def workbook_bytes(book: Any) -> bytes:
    """A workbook of openpyxl as a file."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def add_table(page: Any, columns: Mapping[str, int], rows: Iterable[Sequence[str | float]]) -> None:
    """Fill an empty sheet of openpyxl with a table, its headings fixed and with filters; arguments as for a file."""
    from openpyxl.styles import Font

    for column, (name, width) in enumerate(columns.items(), start=1):
        write_cell(page, 1, column, name).font = Font(bold=True)
        page.column_dimensions[page.cell(1, column).column_letter].width = width
    for number, row in enumerate(rows, start=2):
        for column, value in enumerate(row, start=1):
            write_cell(page, number, column, value)
    page.freeze_panes = "B2"
    page.auto_filter.ref = page.dimensions


def write_cell(page: Any, row: int, column: int, value: str | float) -> Any:
    """Write a text, never as a formula, or a number; the cell."""
    from openpyxl.styles import Alignment

    cell = page.cell(row, column)
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    if value != "":
        cell.value = value
    if isinstance(value, str) and value:
        cell.data_type = "s"  # openpyxl reads = at the start as a formula, and #N/A as an error
        cell.quotePrefix = True  # so does Excel once the cell is edited
    return cell
