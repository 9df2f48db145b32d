"""What raters said of the items of a key, and what of their sheets could not be taken."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hueval_metrics.records import InputError
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.one_line import one_line
from hueval_metrics.validation.judged import JudgedItem
from hueval_metrics.validation.scales import scale_of
from hueval_metrics.validation.sheet_reader import SheetRow, read_sheet


def read_raters(sheets: Sequence[Path], items: Mapping[str, JudgedItem]) -> tuple[list[Rater], list[str]]:
    """The ratings in some sheets, one rater each, named after its file.

    Args:
        sheets: the files.
        items: id → item, from the key.

    Returns:
        The raters who rated anything, and a line on everything that could not be taken.
    """
    raters, problems = [], []
    stems = Counter(sheet.stem for sheet in sheets)
    for sheet in dict.fromkeys(sheets):
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
        ValueError: with what is wrong.
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
