"""A line for each model through its ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hueval_metrics.reports.figures.layout import MARGIN, name_room
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.sheet import WIDE, Sheet
from hueval_metrics.reports.figures.theme import Theme, line_style

_RANK = 0.27  # inches; height of a rank
_LEAST, _MOST = 0.32, 1.4  # inches of a column of ranks
_LINE, _GAP = 0.165, 0.2  # inches; of a line of a heading, between blocks of columns
_BOLD = 1.15  # how much wider a bold heading is
_CIRCLE = 14.0  # points

Heading = tuple[str, str]  # of a column: two lines, of which the first may be empty


def slopes(
    ranks: NDArray[np.float64], headings: Sequence[Heading], models: Sequence[Name], theme: Theme, wide: float
) -> Sheet:
    """Draw the lines, with the names of the models at their left end, in a wide drawing at both.

    Models that share a rank are drawn one below the other, with the same number; the name of one without a rank in the
    outermost column is below the others. Headings are vertical where a column
    is too narrow for them; columns that do not fit side by side go into another block below.

    Args:
        ranks: shape (headings, models), 1 for the best; NaN without one. At least two headings, and one rank.
        headings: of the columns.
        models: their names.
        theme: the colours.
        wide: inches of the drawing.
    """
    shown = [name.at(wide) for name in models]
    ranked = np.flatnonzero(np.isfinite(ranks).any(axis=0)).tolist()
    names = name_room([shown[place] for place in ranked]) + 2 * MARGIN
    right = names if wide >= WIDE else 2 * MARGIN
    room = wide - names - right
    widest = _BOLD * max(name_room([text]) for heading in headings for text in heading)
    most = max(2, int(room / _LEAST) + 1)  # columns of a block
    blocks = math.ceil(len(headings) / most)
    most = math.ceil(len(headings) / blocks)
    step = min(_MOST, room / max(1, most - 1))
    lies = step >= widest and widest / 2 <= names
    head = 2 * _LINE + MARGIN if lies else widest + MARGIN
    rows = _RANK * len(ranked)
    sheet = Sheet.of(wide, blocks * (head + rows + _GAP) - _GAP + 2 * MARGIN, theme)
    for block in range(blocks):
        part = slice(block * most, (block + 1) * most)
        at = (names, MARGIN + block * (head + rows + _GAP), step)
        _block(sheet, ranks[part], headings[part], (models, shown), at, (head, rows), lies, wide >= WIDE)
    return sheet


def _block(
    sheet: Sheet,
    ranks: NDArray[np.float64],
    headings: Sequence[Heading],
    names: tuple[Sequence[Name], Sequence[str]],
    at: tuple[float, float, float],
    heights: tuple[float, float],
    lies: bool,
    both_ends: bool,
) -> None:
    """Columns side by side."""
    (models, shown), (left, top, step), (head, rows), theme = names, at, heights, sheet.theme
    ranked = np.isfinite(ranks).any(axis=0)
    rest = np.where(np.isfinite(ranks), ranks, np.inf)
    places, sides, last = _heights(ranks), _heights(np.where(ranked, rest, np.nan)), len(headings) - 1
    axes = sheet.axes(left, top + head, max(step * last, step / 2), rows)
    axes.set(xlim=(0, max(last, 0.5)), ylim=(rows / _RANK + 0.5, 0.5), xticks=[], yticks=[])
    for model in np.flatnonzero(ranked).tolist():
        style = line_style(model, theme) | {"marker": "o", "markersize": _CIRCLE, "markerfacecolor": theme.paper}
        axes.plot(places[:, model], clip_on=False, **style)
        stops = np.flatnonzero(np.isfinite(places[:, model])).tolist()
        for stop in stops:
            middle = top + head + _RANK * (places[stop, model] - 0.5)
            number = f"{ranks[stop, model]:.0f}"
            sheet.text(left + stop * step, middle, number, ha="center", zorder=5)
            box = (stop - 0.14 / step, stop + 0.14 / step), (places[stop, model] - 0.5, places[stop, model] + 0.5)
            sheet.mark(axes, *box, models[model].whole, " ".join(headings[stop]).strip(), number)
        for stop, away, align in ((0, -0.15, "right"), (last, 0.15, "left"))[: 1 + both_ends]:
            middle = top + head + _RANK * (sides[stop, model] - 0.5)
            sheet.text(left + stop * step + away, middle, shown[model], ha=align, zorder=5)
    for column, (group, heading) in enumerate(headings):
        x, foot = left + column * step, top + head - MARGIN
        for text, back, bold in ((group, 1.5, "normal"), (heading, 0.5, "bold")):
            if lies:
                sheet.text(x, foot - back * _LINE, text, ha="center", fontweight=bold)
            else:
                away = x + (1 - back) * _LINE
                sheet.text(away, foot, text, ha="center", va="bottom", rotation=90, fontweight=bold)


def _heights(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """The height of each rank: the rank, or below equal ranks of earlier models; NaN for NaN."""
    heights = np.full_like(ranks, np.nan)
    for column, own in zip(ranks, heights, strict=True):
        ordered = np.argsort(column, kind="stable")  # NaN comes last
        n = (~np.isnan(column)).sum()
        own[ordered[:n]] = np.arange(1, n + 1)
    return heights
