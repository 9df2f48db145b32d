"""Lines with intervals over a vertical axis in percent, with a panel for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.reports.figures.layout import LEGEND, TICKS, intervals, legend, legend_lines, note, panel_grid
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.sheet import Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme, line_style

_ABREAST = 3  # panels side by side
_HIGH, _LEAST = 1.2, 2.2  # inches; height of a panel of 100 %, least width of a panel
_RADIUS = 8.0  # points around a dot in which its value is shown


@dataclass(frozen=True)
class LinePanel:
    """A panel of lines over a horizontal axis, for one model.

    Attributes:
        model: its heading.
        series: name → x and a point in percent, in the order of the line; a lone series may have an empty name.
        counts: x → number of items; printed below the axis.
        note: numbers printed in the panel's upper left corner.
    """

    model: Name
    series: Mapping[str, Sequence[tuple[float, Point]]]
    counts: Mapping[float, int] = field(default_factory=dict)
    note: str = ""


def lines(
    panels: Sequence[LinePanel], ticks: Mapping[float, str], theme: Theme, wide: float, *, diagonal: bool = False
) -> Sheet:
    """Draw the panels.

    Args:
        panels: at least one.
        ticks: x → label.
        theme: the colours.
        wide: inches of the drawing.
        diagonal: whether to draw the line on which x and y are equal.
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    looks = {name: line_style(place, theme) for place, name in enumerate(names)}
    foot = -36 if any(panel.counts for panel in panels) else -4
    head = 120 if any(panel.note for panel in panels) else 104
    above = LEGEND * len(legend_lines(names, wide)) if any(names) else 0
    titles = [panel.model.at(wide) for panel in panels]
    high = _HIGH * (head - foot) / 100
    sheet, grid = panel_grid(titles, high, theme, wide, _ABREAST, before=TICKS, head=above, least=_LEAST)
    first, last = min(ticks), max(ticks)
    span = last - first
    for axes, panel in zip(grid, panels, strict=True):
        axes.set(xlim=(first - 0.06 * span, last + 0.06 * span), ylim=(foot, head))
        axes.set_xticks(list(ticks), list(ticks.values()))
        axes.set_yticks((0, 50, 100))
        axes.grid(axis="y", color=theme.line, linewidth=0.6)
        if diagonal:
            axes.plot([0, 100], [0, 100], color=theme.soft, linewidth=0.8, dashes=(3, 2))
        for name, points in panel.series.items():
            shift = 0.03 * span * (names.index(name) - (len(names) - 1) / 2)
            across = [x + shift for x, _ in points]
            intervals(axes, across, [one for _, one in points], theme, vertical=True)
            axes.plot(across, [one.value for _, one in points], zorder=4, **looks[name])
            for drawn, (x, one) in zip(across, points, strict=True):
                what = f"{name} {ticks[x]}" if x in ticks else name
                sheet.mark_point(axes, (drawn, one.value), _RADIUS, panel.model.whole, what.strip(), one)
        if panel.counts:
            axes.text(first - 0.12 * span, foot / 2, "n", fontsize=SMALL, color=theme.soft, ha="right", va="center")
        for x, count in panel.counts.items():
            style: dict[str, Any] = {"fontsize": SMALL, "color": theme.ink, "ha": "center", "va": "center"}
            axes.text(x, foot / 2, str(count), rotation=90, **style)
        note(axes, panel.note, theme)
    if above:
        legend(sheet, looks, 0)
    return sheet
