"""The layout of a drawing: panels with sizes in inches, names, intervals, notes and legends.

The room for names is computed from their characters, not with matplotlib's font: the browser may use another one, and
matplotlib's lacks some scripts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hueval_metrics.reports.figures.names import width
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.theme import SMALL, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

WIDTH, MARGIN = 8.0, 0.08  # inches; the width is 768 CSS pixels
TICKS = 0.28  # inches of the labels of an axis
_TITLE, _GAP, _ROW = 0.26, 0.2, 0.2  # inches; of a title, between lines of panels, of a model's row
_CHARACTER = 0.073  # inches that a small letter takes


def sheet(wide: float, high: float, theme: Theme) -> Drawing:
    """An empty drawing; sizes in inches."""
    from matplotlib.figure import Figure as Drawing

    return Drawing(figsize=(wide, high), facecolor=theme.paper)


def axes_at(drawing: Drawing, theme: Theme, left: float, top: float, wide: float, high: float) -> Axes:
    """Axes without a frame; inches from the left and the upper edge."""
    whole_width, whole_height = drawing.get_size_inches()
    at = (left / whole_width, 1 - (top + high) / whole_height, wide / whole_width, high / whole_height)
    axes = drawing.add_axes(at, facecolor="none")
    axes.spines[:].set_visible(False)
    axes.tick_params(bottom=False, left=False, pad=3, colors=theme.soft, labelsize=SMALL)
    axes.set_axisbelow(True)
    return axes


def panel_grid(
    titles: Sequence[str],
    high: float,
    theme: Theme,
    columns: int,
    *,
    names: float = 0,
    before: float = 0,
    after: float = 0,
    head: float = 0,
) -> tuple[Drawing, list[Axes]]:
    """A drawing with a panel for each title; a single one takes half the width.

    Args:
        titles: at least one.
        high: inches of a panel.
        theme: the colours.
        columns: panels side by side, at most.
        names, head: inches left free at the left and at the top of the drawing.
        before, after: inches left free at the left and the right of each panel.
    """
    columns = min(columns, len(titles))
    line = _TITLE + high + TICKS + _GAP
    wide = (WIDTH - 2 * MARGIN - names) / max(2, columns)
    whole = 2 * MARGIN + math.ceil(len(titles) / columns) * line - _GAP + head
    drawing = sheet(2 * MARGIN + names + columns * wide, whole, theme)
    grid = []
    for place, title in enumerate(titles):
        down, across = divmod(place, columns)
        left, top = MARGIN + names + across * wide + before, MARGIN + head + _TITLE + down * line
        axes = axes_at(drawing, theme, left, top, wide - before - after - 2 * MARGIN, high)
        axes.set_title(title, loc="left", fontsize=SMALL + 1, fontweight="bold", color=theme.ink, pad=4)
        grid.append(axes)
    return drawing, grid


def row_grid(
    titles: Sequence[str], models: Sequence[str], theme: Theme, columns: int, after: float
) -> tuple[Drawing, list[Axes]]:
    """Panels with a row for each model, and the models' names at the left of each line of panels."""
    columns = min(columns, len(titles))
    drawing, grid = panel_grid(titles, _ROW * len(models), theme, columns, names=name_room(models), after=after)
    for place, axes in enumerate(grid):
        axes.set_ylim(len(models) - 0.5, -0.5)
        if place % columns:
            axes.set_yticks([])
        else:
            axes.set_yticks(range(len(models)), models, color=theme.ink)
        axes.grid(axis="x", color=theme.line, linewidth=0.6)
    return drawing, grid


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


def note(axes: Axes, text: str, theme: Theme) -> None:
    """Print a text in the upper left corner of a panel."""
    axes.text(0.01, 1, text, transform=axes.transAxes, fontsize=SMALL, color=theme.ink, ha="left", va="top")


def legend(drawing: Drawing, styles: Mapping[str, Mapping[str, Any]], theme: Theme, columns: int, place: Any) -> None:
    """Names beside their lines, in the margin of the drawing; `place` is matplotlib's `loc`."""
    from matplotlib.lines import Line2D

    # matplotlib leaves out a name that begins with an underscore; a hair space before it is invisible.
    names = ["\u200a" + name if name.startswith("_") else name for name in styles]
    drawing.legend(
        [Line2D([], [], **style) for style in styles.values()],
        names,
        loc=place,
        ncols=columns,
        frameon=False,
        labelcolor=theme.ink,
        fontsize=SMALL,
        handlelength=2.6,
        borderaxespad=0.6,
    )
