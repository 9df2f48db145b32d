"""Read blanks from a row of a table: one blank a row, one a column, or one option a row with its blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hueval_metrics.answers.blanks.blank import Asked, Range
from hueval_metrics.answers.blanks.filled import is_own
from hueval_metrics.answers.blanks.names import Name, named_by
from hueval_metrics.answers.blanks.values import fill
from hueval_metrics.answers.names import folded
from hueval_metrics.languages.load import pattern

_WORD = re.compile(r"[^\W_]")
Filled = tuple[tuple[int, int, int], tuple[bool]]  # id, start, end; whether the id is a plain number


@dataclass(slots=True)
class Header:
    """The first row of a table, and the blanks that its columns name, if it names several."""

    cells: list[str] = field(default_factory=list)
    columns: dict[int, Name] = field(default_factory=dict)


def of_row(text: str, at: int, end: int, found: Sequence[Name], header: Header, asked: Asked) -> Iterator[Filled]:
    """What a row fills; the header is noted in `header`.

    Args:
        text: the text of which the row is a line.
        at, end: its range.
        found: the names of blanks in it.
        header: of the table; changed by its first row.
        asked: the question.
    """
    cells = [match.span() for match in re.finditer(r"[^|]+", text[at:end])]
    cells = [(at + a, at + b) for a, b in cells if a or text[at:end][:1] != " " or _WORD.search(text[at + a : at + b])]
    if not any(_WORD.search(text[a:b]) for a, b in cells):
        return
    named = {place: name for place, (a, b) in enumerate(cells) if (name := named_by(text[a:b], asked))}
    is_header = not header.cells
    if is_header:
        header.cells = [text[a:b] for a, b in cells]
    if len(named) > 1 and len(named) >= len(cells) - 1 and len(found) != 1 and not header.columns:
        header.columns, header.cells = named, [text[a:b] for a, b in cells]
        return
    if header.columns:
        if len(cells) == len(header.cells) and _rank(text[slice(*cells[0])], asked) < 3:
            spans = {place: fill(text, *cells[place], asked) for place in header.columns}
            if all(spans.values()):
                for place, name in header.columns.items():
                    if span := spans[place]:
                        yield (name.id, *span), (name.is_numbered,)
                header.columns = {}
        return
    places = {place for place, (a, b) in enumerate(cells) if any(a <= name.start < b for name in found)}
    if not found and named and not is_header:
        places, found = {min(named)}, [named[min(named)]]
    if not found or len(places) != 1:
        return
    rest = sorted(set(range(len(cells))) - places, key=lambda place: _rank(_cell(header.cells, place), asked))
    for place in rest:
        cell = text[slice(*cells[place])]
        span = None if is_own(cell, asked) and not asked.options else fill(text, *cells[place], asked)
        if span:
            yield from (((name.id, *span), (name.is_numbered,)) for name in found)
            return


def _cell(cells: Sequence[str], place: int) -> str:
    return cells[place] if place < len(cells) else ""


def _rank(heading: str, asked: Asked) -> int:
    """The rank of a column by its heading; the column with the lowest rank contains the answer."""
    low = folded(heading)
    if pattern("therefore right", asked.languages).search(low):
        return 0
    if pattern("wrong because aside question confidence", asked.languages).search(low):
        return 3
    return 1 if pattern("answer option", asked.languages).search(low) else 2


__all__ = ["Filled", "Header", "Range", "of_row"]
