"""The layout of a drawing: panels with sizes in inches, names, intervals, notes and legends.

The room for names is computed from their characters, not with matplotlib's font: the browser may use another one, and
matplotlib's lacks some scripts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from hueval_metrics.reports.figures.names import width
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.sheet import NUMBER, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGIN = 0.08  # inches
TICKS, LEGEND = 0.28, 0.2  # inches of the labels of an axis, and of a line of a legend
ROW = 0.2  # inches of a model's row
_TITLE, _GAP = 0.26, 0.2  # inches; of a title, between lines of panels
_CHARACTER = 0.073  # inches that a small letter takes
_BOLD = 1.15  # how much wider a bold heading is
_OUTSIDE = 0.04  # inches by which the label of a tick may leave its axis
_SAMPLE = 0.36  # inches of the line beside a name of a legend


def panel_grid(
    titles: Sequence[str],
    high: float,
    theme: Theme,
    wide: float,
    columns: int,
    *,
    names: float = 0,
    before: float = 0,
    after: float = 0,
    head: float = 0,
    least: float = 1.0,
) -> tuple[Sheet, list[Axes]]:
    """A drawing with a panel for each title; a single one takes half the width of a wide drawing.

    Args:
        titles: at least one.
        high: inches of a panel.
        theme: the colours.
        wide: inches of the drawing.
        columns: panels side by side, at most; fewer where the titles need more room.
        names, head: inches left free at the left and at the top of the drawing.
        before, after: inches left free at the left and the right of each panel.
        least: inches of a panel, at least.
    """
    room = wide - 2 * MARGIN - names
    needed = max(least, before + _BOLD * name_room(titles) + MARGIN)
    columns = max(1, min(columns, len(titles), int(room / needed)))
    line = _TITLE + high + TICKS + _GAP
    own = room / max(columns, min(2, int(room / needed)))
    whole = 2 * MARGIN + math.ceil(len(titles) / columns) * line - _GAP + head
    sheet = Sheet.of(wide, whole, theme)
    grid = []
    for place, title in enumerate(titles):
        down, across = divmod(place, columns)
        left, top = MARGIN + names + across * own + before, MARGIN + head + _TITLE + down * line
        axes = sheet.axes(left, top, own - before - after - 2 * MARGIN, high)
        axes.set_title(title, loc="left", fontsize=SMALL + 1, fontweight="bold", color=theme.ink, pad=4)
        grid.append(axes)
    return sheet, grid


def row_grid(
    titles: Sequence[str],
    models: Sequence[str],
    theme: Theme,
    wide: float,
    columns: int,
    after: float,
    head: float = 0,
) -> tuple[Sheet, list[Axes]]:
    """Panels with a row for each model, and the models' names at the left of each line of panels."""
    names, high = name_room(models), ROW * len(models)
    sheet, grid = panel_grid(titles, high, theme, wide, columns, names=names, after=after, head=head)
    lefts = [axes.get_position().x0 for axes in grid]
    for axes, left in zip(grid, lefts, strict=True):
        axes.set_ylim(len(models) - 0.5, -0.5)
        if left > min(lefts):
            axes.set_yticks([])
        else:
            axes.set_yticks(range(len(models)), models, color=theme.ink)
        axes.grid(axis="x", color=theme.line, linewidth=0.6)
    return sheet, grid


def name_room(names: Sequence[str]) -> float:
    """Inches that the longest name takes."""
    return _CHARACTER * max(map(width, names), default=0) + MARGIN


def intervals(
    axes: Axes, places: Iterable[float], points: Sequence[Point | None], theme: Theme, *, vertical: bool = False
) -> None:
    """Draw the intervals of points at these positions, as one line with gaps: many SVG paths take more bytes."""
    ends, sides = [], []
    for place, one in zip(places, points, strict=True):
        if one is not None and one.low is not None and one.high is not None:
            ends += [one.low, one.high, math.nan]
            sides += [place, place, math.nan]
    x, y = (sides, ends) if vertical else (ends, sides)
    axes.plot(x, y, color=theme.ink, linewidth=1.1, solid_capstyle="butt", zorder=3)


def number_labels(sheet: Sheet, axes: Axes, across: Sequence[float]) -> None:
    """Ticks of a horizontal axis, written as numbers.

    Those at its ends keep clear of the next panel's. Where two would meet, only every second, third, … is kept.
    """
    low, high = axes.get_xlim()
    inches = axes.get_position().width * sheet.drawing.get_size_inches()[0] / (high - low)
    placed: list[tuple[float, Literal["left", "center", "right"], float, float]] = []  # with its ends, in inches
    for tick in across:
        at, own = (tick - low) * inches, name_room([f"{tick:g}"]) - MARGIN
        is_first, is_last = at < own / 2 - _OUTSIDE, (high - tick) * inches < own / 2 - _OUTSIDE
        start = at if is_first else at - own if is_last else at - own / 2
        placed.append((tick, "left" if is_first else "right" if is_last else "center", start, start + own))
    kept = next(
        some
        for some in (placed[(len(placed) - 1) % step :: step] for step in range(1, len(placed) + 1))
        if all(one[3] + MARGIN <= other[2] for one, other in pairwise(some))
    )
    axes.set_xticks([tick for tick, *_ in kept], [f"{tick:g}" for tick, *_ in kept])
    for (_, aligned, *_), label in zip(kept, axes.get_xticklabels(), strict=True):
        label.set_gid(NUMBER)
        label.set_horizontalalignment(aligned)


def note(axes: Axes, text: str, theme: Theme) -> None:
    """Print a text of numbers in the upper left corner of a panel."""
    style: dict[str, Any] = {"fontsize": SMALL, "color": theme.ink, "ha": "left", "va": "top", "gid": NUMBER}
    axes.text(0.01, 1, text, transform=axes.transAxes, **style)


def legend_lines(names: Sequence[str], wide: float) -> list[list[str]]:
    """The names of a legend in lines that fit into this width."""
    lines: list[list[str]] = []
    room = 0.0
    for name in names:
        own = _entry(name)
        if not lines or own > room:
            lines.append([])
            room = wide - 2 * MARGIN
        lines[-1].append(name)
        room -= own
    return lines


def legend(sheet: Sheet, styles: Mapping[str, Mapping[str, Any]], top: float) -> None:
    """Names beside their lines; `top` is in inches from the upper edge."""
    from matplotlib.lines import Line2D

    wide, high = sheet.drawing.get_size_inches()
    for down, names in enumerate(legend_lines(list(styles), wide)):
        left, middle = MARGIN, top + (down + 0.5) * LEGEND
        for name in names:
            ends = [left / wide, (left + _SAMPLE / 2) / wide, (left + _SAMPLE) / wide]
            line = Line2D(ends, [1 - middle / high] * 3, markevery=[1], **styles[name])
            line.set_transform(sheet.drawing.transFigure)
            sheet.drawing.add_artist(line)
            sheet.text(left + _SAMPLE + MARGIN, middle, name)
            left += _entry(name)


def _entry(name: str) -> float:
    """Inches of an entry of a legend."""
    return _SAMPLE + 2 * MARGIN + name_room([name])
