"""The spreadsheet that a rater fills in: question, reference and response, without the judge's verdict.

All cells are written as text, never as formulas, whatever they begin with (OWASP, CSV Injection).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.judge.templates import fill
from hueval_metrics.judges.people.judged import JudgedItem
from hueval_metrics.registry import declared, known_tasks, resolve
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.text.workbook import add_table, fit, table_bytes, workbook_bytes, write_cell
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
_LIST_LIMIT = 255  # characters of a list of allowed values that Excel accepts
_INSTRUCTIONS = Path(__file__).with_name("instructions.txt")


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
        suffix: one of `workbook.SUFFIXES`: `.xlsx`, with instructions on a first sheet and lists of the values
            allowed; or `.csv`, the table alone.
    """
    return _xlsx(items) if suffix == ".xlsx" else table_bytes("", COLUMNS, _rows(items), suffix)


def _rows(items: Mapping[str, JudgedItem]) -> Iterator[list[str]]:
    for name, item in items.items():
        texts = map(fit, (item.prompt, item.reference, item.response))
        yield [name, item.task.partition("_")[2], *texts, " / ".join(scale_of(item.task).words), "", ""]


def _xlsx(items: Mapping[str, JudgedItem]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    book.properties.creator = "hueval"
    book.remove(book.worksheets[0])
    guide = book.create_sheet("Instructions")
    guide.column_dimensions["A"].width = 120
    for number, line in enumerate(instructions(items).splitlines(), start=1):
        cell = write_cell(guide, number, 1, line)
        cell.font = Font(bold=line.isupper())
    ratings = book.create_sheet("Ratings")
    add_table(ratings, COLUMNS, _rows(items))
    _add_lists(ratings, items)
    return workbook_bytes(book)


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
