"""The figures as the page shows them: drawings for two backgrounds, captions in two languages, a table of numbers."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.figure import Figure, caption, svg
from hueval_metrics.reports.figures.theme import DARK, LIGHT
from hueval_metrics.reports.page.words import LANGUAGES

_SIZE = re.compile(r'(width|height)="([\d.]+)pt"')


def picture(figure: Figure) -> Picture:
    """Draw a figure.

    Raises:
        InputError: matplotlib is not installed.
    """
    light, dark = svg(figure, LIGHT), svg(figure, DARK)
    points = {side: float(size) for side, size in _SIZE.findall(light[: light.index(">")])}
    columns = figure.columns
    captions = {language: caption(figure, language) for language in LANGUAGES}
    return Picture(
        light=_uri(light),
        dark=_uri(dark),
        width=round(points["width"] * 4 / 3),
        height=round(points["height"] * 4 / 3),
        title={language: one.title for language, one in captions.items()},
        text={language: one.text for language, one in captions.items()},
        header=columns,
        rows=[[_cell(row.get(key)) for key in columns] for row in figure.rows],
    )


def _uri(drawing: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode('utf-8', 'replace')).decode('ascii')}"


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
        light, dark: the drawing as a data URI.
        width, height: in CSS pixels.
        title, text: its caption by language; the title is also its alternative text.
        header: names of the columns of its numbers.
        rows: its numbers.
    """

    light: str
    dark: str
    width: int
    height: int
    title: Mapping[str, str]
    text: Mapping[str, str]
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
