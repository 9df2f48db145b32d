"""The ratings in sheets that raters have filled in, whatever program saved them.

Columns are found by name and rows by id, so their order does not matter. A CSV may come from an Excel that writes the
regional form: semicolons, and the Windows code page of Central Europe.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from zipfile import ZipFile

from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.judged import JudgedItem
from hueval_metrics.one_line import one_line
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.files import MAX_BYTES, read_bytes
from hueval_metrics.text.workbook import SUFFIXES

_NEEDED = ("id", "rating")
_HEAD_ROWS = 20  # the column names are searched for in so many rows
_REGIONAL = "cp1250"  # Windows, Central Europe
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS = ",;\t"
_MAX_COLUMNS = 100  # Excel has 16,384, and one cell in the last column would fill the whole row

_Cells = Sequence[object]


def read_raters(sheets: Sequence[Path], items: Mapping[str, JudgedItem]) -> tuple[list[Rater], list[str]]:
    """The ratings in some sheets, one rater each, named after its file.

    Args:
        sheets: the files.
        items: id → item, from the key.

    Returns:
        The raters with at least one rating, and a line on each problem.
    """
    raters, problems = [], []
    sheets = list({sheet.resolve(): sheet for sheet in sheets}.values())  # a rater named twice would agree with itself
    stems = Counter(sheet.stem for sheet in sheets)
    for sheet in sheets:
        try:
            rater, found = _read(sheet, sheet.stem if stems[sheet.stem] == 1 else str(sheet), items)
        except InputError as error:
            problems.append(str(error))
            continue
        problems += found
        if rater.ratings:
            raters.append(rater)
        else:
            problems.append(f"{sheet}: no rating in it. Fill in the column rating")
    return raters, problems


def _read(sheet: Path, name: str, items: Mapping[str, JudgedItem]) -> tuple[Rater, list[str]]:
    rows: defaultdict[str, list[SheetRow]] = defaultdict(list)
    for row in read_sheet(sheet):
        rows[row.name].append(row)
    if rows and not rows.keys() & items.keys():
        raise InputError(f"{sheet}: none of its ids is in the key. Name the key that was written with it: --key FILE")
    ratings: dict[str, Rating] = {}
    comments: dict[str, str] = {}
    problems = []
    for key, same in rows.items():
        if comment := " ".join(row.comment for row in same if row.comment):
            comments[key] = comment
        try:
            rating = _rating(same, items.get(key))
        except ValueError as error:
            problems.append(f"{sheet} row {', '.join(str(row.number) for row in same)}: {error}. Left out")
            continue
        if rating is not None:
            ratings[key] = rating
    if missing := len(items.keys() - rows.keys()):
        problems.append(f"{sheet}: {missing} of {len(items)} rows are missing; they count as not rated")
    return Rater(name, ratings, comments), problems


def _rating(rows: Sequence[SheetRow], item: JudgedItem | None) -> Rating | None:
    """The rating in the rows of one id; None where they are empty.

    Raises:
        ValueError: the id is unknown, a value is not allowed, or the rows differ.
    """
    if item is None:
        name = one_line(rows[0].name, 40)
        raise ValueError(f'id "{name}" is not in the key' if name else "no id")
    given = set()
    for row in rows:
        try:
            given.add(scale_of(item.task).read(row.rating))
        except ValueError as error:
            raise ValueError(f'"{one_line(row.rating, 40)}" is {error}') from None
    given.discard(None)
    if len(given) > 1:
        raise ValueError(f"{rows[0].name} is there {len(rows)} times, with different ratings")
    return next(iter(given), None)


def read_sheet(path: Path) -> list[SheetRow]:
    """The non-empty rows of a sheet.

    Raises:
        InputError: the file cannot be read, is damaged or of another type, or has no columns `id` and `rating`.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: not a sheet. Expected the {' or '.join(SUFFIXES)} file that a rater has filled in")
    try:
        content = read_bytes(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        with warnings.catch_warnings(action="ignore"):  # openpyxl's, about features that it does not read
            tables = _xlsx(content) if path.suffix.lower() == ".xlsx" else [_csv(content)]
            for table in tables:
                if (rows := _rated(table)) is not None:
                    return rows
    except Exception as error:  # openpyxl raises many kinds of errors on a damaged file
        problem = f"{type(error).__name__}: {one_line(error, 80)}"
        raise InputError(f"{path}: damaged, or not what its name says ({problem}). Save it anew") from None
    raise InputError(f"{path}: no columns {' and '.join(_NEEDED)}. Keep the first row as it was exported")


def _xlsx(content: bytes) -> Iterator[Iterable[_Cells]]:
    from openpyxl import load_workbook

    with ZipFile(io.BytesIO(content)) as parts:
        if sum(part.file_size for part in parts.infolist()) > MAX_BYTES:  # zipfile reads no more than the stated size
            raise ValueError(f"unpacks to more than {MAX_BYTES // 2**20} MiB")
    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    for page in book.worksheets:
        page.reset_dimensions()  # some programs write wrong ones, and rows beyond them would be skipped
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
    """The rows below the column names; None without them."""
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
    """A row of a sheet: its number, from 1, and its cells in the columns `id`, `rating` and `comment`."""

    number: int
    name: str
    rating: object
    comment: str


@dataclass(frozen=True)
class Rater:
    """One rater.

    Attributes:
        name: of the file, without its suffix.
        ratings: id → rating.
        comments: id → comment.
    """

    name: str
    ratings: Mapping[str, Rating]
    comments: Mapping[str, str]
