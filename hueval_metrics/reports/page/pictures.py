"""The figures as the page shows them: drawings in two widths, captions in two languages, a table of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.figure import Figure, caption
from hueval_metrics.reports.figures.sheet import NARROW, WIDE
from hueval_metrics.reports.page.inline import inline_svg
from hueval_metrics.words.texts import each

if TYPE_CHECKING:
    from markupsafe import Markup


def picture(figure: Figure) -> Picture:
    """Draw a figure.

    Raises:
        InputError: matplotlib is not installed.
    """
    columns = figure.columns
    captions = each(partial(caption, figure))
    return Picture(
        name=figure.name,
        wide=inline_svg(figure, WIDE, f"{figure.name}-wide-"),
        narrow=inline_svg(figure, NARROW, f"{figure.name}-narrow-"),
        title={language: one.title for language, one in captions.items()},
        text={language: one.text for language, one in captions.items()},
        header=columns,
        rows=[[_cell(row.get(key)) for key in columns] for row in figure.rows],
        lead=figure.lead,
        section=figure.section,
    )


def _cell(value: object) -> Cell:
    if isinstance(value, float):
        return Cell(f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}", is_number=True)
    if value is None or isinstance(value, int):
        return Cell("" if value is None else str(value), is_number=True)
    return Cell(escape.plain(str(value)))


@dataclass(frozen=True)
class Cell:
    """A cell of the numbers below a figure."""

    text: str
    is_number: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure in the page.

    Attributes:
        name: unique in the page.
        wide, narrow: the drawing as SVG for a screen and for a phone; the style sheet shows one.
        title, text: its caption by language.
        header: names of the columns of its numbers.
        rows: its numbers.
        lead: whether it is shown at once.
        section: heading under which it is shown with its like; empty for one among all others.
    """

    name: str
    wide: Markup
    narrow: Markup
    title: Mapping[str, str]
    text: Mapping[str, str]
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    lead: bool
    section: str
