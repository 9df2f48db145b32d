"""Two models side by side: a row for each part of a benchmark, in it a dot with its interval for either model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hueval_metrics.reports.figures.charts.scale import span, ticks
from hueval_metrics.reports.figures.layout import (
    LEGEND,
    MARGIN,
    ROW,
    TICKS,
    intervals,
    legend,
    name_room,
    number_labels,
)
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.sheet import WIDE, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme

_TITLE, _GAP = 0.22, 0.12  # inches; of a heading, between panels
_RADIUS = 4.5  # points around a dot in which its value is shown
_APART = 0.17  # of a row, by which the two dots leave its middle: their intervals do not cover one another


@dataclass(frozen=True)
class PairPanel:
    """Rows that belong together.

    Attributes:
        title: their heading.
        rows: their names.
        points: for each row the points of the two models.
    """

    title: str
    rows: Sequence[Name]
    points: Sequence[tuple[Point, Point]]


def pairs(panels: Sequence[PairPanel], models: tuple[Name, Name], theme: Theme, wide: float) -> Sheet:
    """Draw the panels below one another, in a wide drawing in two columns; the axis is cut to the scores.

    Args:
        panels: at least one, each with at least one row.
        models: the two models.
        theme: the colours.
        wide: inches of the drawing.
    """
    columns = _columns(panels, 2 if wide >= WIDE else 1)
    left = MARGIN + name_room([row.at(wide) for panel in panels for row in panel.rows])
    own = wide / len(columns)
    high = max(sum(map(_height, column)) for column in columns)
    sheet = Sheet.of(wide, 2 * MARGIN + 2 * LEGEND + high, theme)
    low, most = span([one for panel in panels for pair in panel.points for one in pair], (), (0.0, 100.0))
    looks: list[dict[str, Any]] = [
        {"color": theme.fill, "marker": "o", "markersize": 4.5, "linestyle": ""},
        {"color": theme.colors[1], "marker": "D", "markersize": 4.0, "linestyle": ""},
    ]
    legend(sheet, {name.at(wide): look for name, look in zip(models, looks, strict=True)}, MARGIN)
    for across, column in enumerate(columns):
        top = MARGIN + 2 * LEGEND
        for panel in column:
            sheet.text(across * own + left, top + _TITLE / 2, panel.title, fontsize=SMALL + 1, fontweight="bold")
            rows = ROW * len(panel.rows)
            axes = sheet.axes(across * own + left, top + _TITLE, own - left - 2 * MARGIN, rows)
            axes.set(xlim=(low, most), ylim=(len(panel.rows) - 0.5, -0.5), yticks=[])
            number_labels(sheet, axes, ticks(low, most))
            axes.grid(axis="x", color=theme.line, linewidth=0.6)
            for down, row in enumerate(panel.rows):
                middle = top + _TITLE + ROW * (down + 0.5)
                sheet.text(across * own + left - MARGIN, middle, row.at(wide), ha="right")
            for side, (model, look) in enumerate(zip(models, looks, strict=True)):
                found = [pair[side] for pair in panel.points]
                down_at = [place + _APART * (2 * side - 1) for place in range(len(found))]
                intervals(axes, down_at, found, theme)
                axes.plot([one.value for one in found], down_at, zorder=4, clip_on=False, **look)
                for row, at, one in zip(panel.rows, down_at, found, strict=True):
                    what = f"{panel.title}, {row.whole}"
                    sheet.mark_point(axes, (one.value, at), _RADIUS, model.whole, what, one)
            top += _height(panel)
    return sheet


def _height(panel: PairPanel) -> float:
    """Inches of a panel, with its axis."""
    return _TITLE + ROW * len(panel.rows) + TICKS + _GAP


def _columns(panels: Sequence[PairPanel], n: int) -> list[list[PairPanel]]:
    """The panels in so many columns of similar height, in their order."""
    columns: list[list[PairPanel]] = [[]]
    whole, used = sum(map(_height, panels)), 0.0
    for panel in panels:
        if columns[-1] and len(columns) < n and used + _height(panel) / 2 > whole * len(columns) / n:
            columns.append([])
        columns[-1].append(panel)
        used += _height(panel)
    return columns
