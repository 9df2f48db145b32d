"""Distributions on a logarithmic axis, with a row for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hueval_metrics.reports.figures.layout import row_grid
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.sheet import Sheet
from hueval_metrics.reports.figures.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PERCENTILES = (5, 25, 50, 75, 95)  # of a `Spread`


@dataclass(frozen=True)
class Spread:
    """A distribution: its `PERCENTILES`, the median of another one to compare with, and n."""

    percentiles: Sequence[float]
    other_median: float
    n: int

    @property
    def median(self) -> float:
        """The 50th percentile."""
        return self.percentiles[PERCENTILES.index(50)]


@dataclass(frozen=True)
class SpreadPanel:
    """A panel of distributions: its heading, and a distribution for each model, None without one."""

    title: str
    spreads: Sequence[Spread | None]


def spreads(
    panels: Sequence[SpreadPanel], models: Sequence[Name], theme: Theme, wide: float, *, columns: int = 3
) -> Sheet:
    """Draw the panels.

    The thick line is the middle half, the thin one reaches from the 5th to the 95th percentile; a dot is the median, a
    diamond the other one where that differs.
    """
    titles, shown = [panel.title for panel in panels], [name.at(wide) for name in models]
    sheet, grid = row_grid(titles, shown, theme, wide, columns, 0.24)
    for axes, panel in zip(grid, panels, strict=True):
        rows = [row for row, one in enumerate(panel.spreads) if one]
        known = [one for one in panel.spreads if one]
        _log_axis(axes, [value for one in known for value in (*one.percentiles, one.other_median)])
        for low, high, thick in ((0, 4, 1.2), (1, 3, 5.0)):  # indices of PERCENTILES
            starts, ends = ([_positive(one.percentiles[end]) for one in known] for end in (low, high))
            axes.hlines(rows, starts, ends, color=theme.fill, linewidth=thick)
        marks: dict[str, Any] = {"linestyle": "", "markersize": 4, "clip_on": False, "zorder": 3}
        others = [math.nan if one.other_median == one.median else _positive(one.other_median) for one in known]
        axes.plot(others, rows, marker="D", color=theme.colors[1], **marks)
        medians = [_positive(one.median) for one in known]
        axes.plot(medians, rows, marker="o", color=theme.ink, markeredgecolor=theme.paper, **marks)
        for row, one in zip(rows, known, strict=True):
            middle_half = f"[{one.percentiles[1]:.0f}, {one.percentiles[3]:.0f}]"
            text = f"{one.median:.0f} {middle_half}, n = {one.n}"
            sheet.mark(axes, axes.get_xlim(), (row - 0.5, row + 0.5), models[row].whole, panel.title, text)
    return sheet


def _positive(value: float) -> float:
    """A value for a logarithmic axis, which has no 0."""
    return max(1.0, value)


def _log_axis(axes: Axes, values: Sequence[float]) -> None:
    """A horizontal axis in powers of ten for these values."""
    first = math.floor(math.log10(_positive(min(values))))
    last = math.ceil(math.log10(_positive(max(values))))
    ticks = [10**power for power in range(first, max(last, first + 1) + 1)]
    axes.set(xscale="log", xlim=(ticks[0], ticks[-1]))
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick // 1000}k" if tick >= 1000 else str(tick) for tick in ticks])
