"""Scores as shaded cells with their numbers: a row for each model, a column for each part, panels side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hueval_metrics.reports.figures.layout import MARGIN, name_room
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point, told
from hueval_metrics.reports.figures.sheet import NUMBER, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme

_ROW, _LINE, _GAP = 0.235, 0.17, 0.16  # inches; of a row, of a line of a heading, between panels
_LEAST, _MOST = 0.3, 0.62  # inches of a column
_FAINT, _FULL = 0.04, 0.55  # opacity of the lowest and the highest value: ink stays readable on either background
_BLANK = "–"


@dataclass(frozen=True)
class HeatPanel:
    """A panel of cells.

    Attributes:
        title: its heading.
        columns: the short heading of each column, and its whole name, told with the values.
        points: for each model one for each column; None where it has no score.
        n_last: how many of the last columns are set apart, as averages are.
    """

    title: str
    columns: Sequence[tuple[str, str]]
    points: Sequence[Sequence[Point | None]]
    n_last: int = 0


def heatmap(
    panels: Sequence[HeatPanel],
    models: Sequence[Name],
    theme: Theme,
    wide: float,
    *,
    bounds: tuple[float, float] = (0.0, 100.0),
    forms: tuple[str, str] = (".1f", ".0f"),
) -> Sheet:
    """Draw the panels, side by side in a wide drawing if there is room, else one below the other.

    The shade says how far up its scale a value is, the same in all panels; every cell has its number as well.

    Args:
        panels: at least one.
        models: of the rows.
        theme: the colours.
        wide: inches of the drawing.
        bounds: of the scale.
        forms: of the numbers, for a drawing of full width and for a narrow one.
    """
    shown = [name.at(wide) for name in models]
    left = MARGIN + name_room(shown) + MARGIN
    room = wide - left - MARGIN
    widths = [len(panel.columns) + 0.3 * bool(panel.n_last) for panel in panels]
    is_beside = room - _GAP * (len(panels) - 1) >= _LEAST * sum(widths)
    across = sum(widths) if is_beside else max(widths)
    own = min(_MOST, (room - _GAP * (len(panels) - 1) * is_beside) / across)
    form = forms[0] if own >= _LEAST else forms[1]
    upright = any(name_room([heading]) - MARGIN > own for panel in panels for heading, _ in panel.columns)
    head = _LINE + (name_room([heading for panel in panels for heading, _ in panel.columns]) if upright else _LINE)
    rows = _ROW * len(models)
    n_down = 1 if is_beside else len(panels)
    sheet = Sheet.of(wide, 2 * MARGIN + n_down * (head + rows) + (n_down - 1) * _GAP, theme)
    x, y = left, MARGIN
    for place, (panel, units) in enumerate(zip(panels, widths, strict=True)):
        if not is_beside or not place:
            for row, name in enumerate(shown):
                sheet.text(left - MARGIN, y + head + _ROW * (row + 0.5), name, ha="right")
        _panel(sheet, panel, models, (x, y, own), head, upright, bounds, form)
        x, y = (x + own * units + _GAP, y) if is_beside else (x, y + head + rows + _GAP)
    return sheet


def _panel(
    sheet: Sheet,
    panel: HeatPanel,
    models: Sequence[Name],
    at: tuple[float, float, float],
    head: float,
    upright: bool,
    bounds: tuple[float, float],
    form: str,
) -> None:
    """Draw one panel; `at` is its left and upper edge and the width of a column."""
    from matplotlib.patches import Rectangle

    left, top, own = at
    theme, n_first = sheet.theme, len(panel.columns) - panel.n_last
    edges = [place + 0.3 * (place >= n_first > 0) for place in range(len(panel.columns))]
    whole = edges[-1] + 1
    axes = sheet.axes(left, top + head, own * whole, _ROW * len(models))
    axes.set(xlim=(0, whole), ylim=(len(models), 0), xticks=[], yticks=[])
    sheet.text(left, top + _LINE / 2, panel.title, fontsize=SMALL + 1, fontweight="bold")
    for edge, (heading, _) in zip(edges, panel.columns, strict=True):
        middle = left + own * (edge + 0.5)
        if upright:
            foot = top + head - MARGIN / 2
            sheet.text(middle, foot, heading, ha="center", va="bottom", rotation=90, color=theme.soft)
        else:
            sheet.text(middle, top + 1.5 * _LINE, heading, ha="center", color=theme.soft)
    low, high = bounds
    for row, (model, points) in enumerate(zip(models, panel.points, strict=True)):
        for edge, (_, name), one in zip(edges, panel.columns, points, strict=True):
            text = _BLANK if one is None else format(one.value, form)
            x, y = left + own * (edge + 0.5), top + head + _ROW * (row + 0.5)
            sheet.text(x, y, text, ha="center", zorder=5, **({} if one is None else {"gid": NUMBER}))
            if one is None or math.isnan(one.value):
                continue
            share = min(1.0, max(0.0, (one.value - low) / (high - low)))
            shade = Rectangle((edge, row), 1, 1, color=theme.fill, alpha=_FAINT + (_FULL - _FAINT) * share, linewidth=0)
            axes.add_patch(shade)
            about = f"{panel.title}, {name}" if panel.title else name
            told_form = forms_of(bounds)
            sheet.mark(axes, (edge, edge + 1), (row, row + 1), model.whole, about, told(one, told_form))


def forms_of(bounds: tuple[float, float]) -> str:
    """The format of numbers on a scale: three decimals on one that ends at 1.

    >>> forms_of((0.0, 100.0)), forms_of((0.0, 1.0))
    ('.1f', '.3f')
    """
    return ".3f" if bounds[1] <= 1 else ".1f"
