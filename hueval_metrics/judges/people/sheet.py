"""The spreadsheet that a rater fills in: question, reference and response, without the judge's verdict.

All cells are written as text, never as formulas, whatever they begin with (OWASP, CSV Injection).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.judge.templates import fill
from hueval_metrics.judges.people.judged import JudgedItem
from hueval_metrics.registry import declared, known_tasks, resolve
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.text.spreadsheet import csv_text
from hueval_metrics.words.texts import each

COLUMNS = {
    "id": 14,
    "task": 14,
    "question": 60,
    "reference": 40,
    "response": 70,
    "allowed": 18,
    "rating": 18,
    "comment": 40,
}
SUFFIXES = (".xlsx", ".csv")
CELL_LIMIT = 32_767  # longest text of an Excel cell, in UTF-16 code units
_LIST_LIMIT = 255  # characters of a list of allowed values that Excel accepts
_NOTE_ROOM = 60
_INSTRUCTIONS = Path(__file__).with_name("instructions.txt")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not allowed in XML 1.0


def instructions(items: Mapping[str, JudgedItem]) -> str:
    """Instructions in Hungarian and English, with the meaning of the values of these items' rubrics."""
    judged = {item.task for item in items.values()}
    tasks = [task for task in known_tasks() if task in judged]
    meanings = each(lambda language: dict.fromkeys(_meaning(task, language) for task in tasks))
    text = _INSTRUCTIONS.read_text(encoding="utf-8")
    return fill(text, {lang: "\n".join(paragraphs) for lang, paragraphs in meanings.items()})


def _meaning(task: str, lang: str) -> str:
    """The meaning of the values of a task's rubric (`RATER`); the values alone where the rubric has none."""
    texts = getattr(resolve(declared(task).rubric or ""), "RATER", {})
    return texts.get(lang) or f"{' / '.join(scale_of(task).words)} ({declared(task).title})"


def sheet_bytes(items: Mapping[str, JudgedItem], suffix: str) -> bytes:
    """A sheet with a row an item, in the order given.

    Args:
        items: opaque id → item.
        suffix: one of `SUFFIXES`: `.xlsx`, with instructions on a first sheet and lists of the values allowed; or
            `.csv`, in UTF-8 with a byte order mark, without which Excel misreads ő and ű.
    """
    return _xlsx(items) if suffix == ".xlsx" else _csv(items)


def _rows(items: Mapping[str, JudgedItem]) -> Iterator[list[str]]:
    for name, item in items.items():
        texts = map(_fit, (item.prompt, item.reference, item.response))
        yield [name, item.task.partition("_")[2], *texts, " / ".join(scale_of(item.task).words), "", ""]


def _fit(text: str) -> str:
    """The text as a cell can contain it: cut, with a note, where it is too long."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = _NO_XML.sub("", lines)
    units = clean.encode("utf-16-le")
    if len(units) <= 2 * CELL_LIMIT:
        return clean
    start = units[: 2 * (CELL_LIMIT - _NOTE_ROOM)].decode("utf-16-le", "ignore")
    return f"{start}\n[… levágva / cut here: +{len(clean) - len(start)}]"


def _csv(items: Mapping[str, JudgedItem]) -> bytes:
    return csv_text([tuple(COLUMNS), *_rows(items)], line_end="\r\n").encode("utf-8-sig")


def _xlsx(items: Mapping[str, JudgedItem]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font

    book = Workbook()
    book.properties.creator = "hueval"
    book.remove(book.worksheets[0])
    guide = book.create_sheet("Instructions")
    guide.column_dimensions["A"].width = 120
    for number, line in enumerate(instructions(items).splitlines(), start=1):
        cell = _write(guide, number, 1, line)
        cell.font = Font(bold=line.isupper())
    ratings = book.create_sheet("Ratings")
    for column, (name, width) in enumerate(COLUMNS.items(), start=1):
        ratings.column_dimensions[ratings.cell(1, column).column_letter].width = width
        _write(ratings, 1, column, name).font = Font(bold=True)
    for number, row in enumerate(_rows(items), start=2):
        for column, text in enumerate(row, start=1):
            _write(ratings, number, column, text)
    for cell in (cell for page in (guide, ratings) for row in page.iter_rows() for cell in row):
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    ratings.freeze_panes = "B2"
    ratings.auto_filter.ref = ratings.dimensions
    _add_lists(ratings, items)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _write(page: Any, row: int, column: int, text: str) -> Any:
    cell = page.cell(row, column)
    if text:
        cell.value = text
        cell.data_type = "s"  # openpyxl reads = at the start as a formula, and #N/A as an error
        cell.quotePrefix = True  # so does Excel once the cell is edited
    return cell


def _add_lists(page: Any, items: Mapping[str, JudgedItem]) -> None:
    """Add a drop-down list of the allowed values to every rating cell."""
    from openpyxl.worksheet.datavalidation import DataValidation

    column = list(COLUMNS).index("rating") + 1
    lists: dict[str, Any] = {}
    for number, item in enumerate(items.values(), start=2):
        words = ",".join(scale_of(item.task).words)
        if len(words) > _LIST_LIMIT:
            continue
        if words not in lists:
            lists[words] = DataValidation("list", formula1=f'"{words}"', allow_blank=True, showErrorMessage=True)
            page.add_data_validation(lists[words])
        lists[words].add(page.cell(number, column))
