"""Lines with intervals over steps such as bins of a length: a line for each model, a panel for each question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hueval_metrics.reports.figures.charts.scale import span, ticks
from hueval_metrics.reports.figures.layout import LEGEND, TICKS, intervals, legend, legend_lines, panel_grid
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.sheet import NUMBER, WIDE, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme, line_style

_HIGH, _LEAST = 2.3, 2.6  # inches; height and least width of a panel
_RADIUS = 6.0  # points around a dot in which its value is shown
_SPREAD = 0.5  # of a step, over which the dots of all models are spread so that their intervals stay apart


@dataclass(frozen=True)
class TrendPanel:
    """A panel.

    Attributes:
        title: its heading.
        steps: labels of the horizontal axis.
        lines: for each model a point at each step; None where it has none.
    """

    title: str
    steps: Sequence[str]
    lines: Sequence[Sequence[Point | None]]


def trends(panels: Sequence[TrendPanel], models: Sequence[Name], theme: Theme, wide: float) -> Sheet:
    """Draw the panels, all on one vertical axis in percent that is cut to the scores.

    Args:
        panels: at least one, with at least one point.
        models: of the lines.
        theme: the colours.
        wide: inches of the drawing.
    """
    names = [name.at(wide) for name in models]
    looks = {name: line_style(place, theme) for place, name in enumerate(names)}
    head = LEGEND * len(legend_lines(names, wide))
    titles = [panel.title for panel in panels]
    sheet, grid = panel_grid(titles, _HIGH, theme, wide, 2, before=TICKS, head=head, least=_LEAST)
    known = [one for panel in panels for line in panel.lines for one in line if one]
    low, high = span(known, (), (0.0, 100.0))
    for axes, panel in zip(grid, panels, strict=True):
        axes.set(xlim=(-0.5, len(panel.steps) - 0.5), ylim=(low, high))
        every = 1 if wide >= WIDE or len(panel.steps) <= 8 else 2
        axes.set_xticks(range(0, len(panel.steps), every), panel.steps[::every])
        axes.set_yticks(ticks(low, high), [f"{tick:g}" for tick in ticks(low, high)])
        for label in axes.get_yticklabels():
            label.set_gid(NUMBER)
            label.set_fontsize(SMALL)
        axes.grid(axis="y", color=theme.line, linewidth=0.6)
        for place, (model, line) in enumerate(zip(models, panel.lines, strict=True)):
            aside = _SPREAD * ((place + 0.5) / len(models) - 0.5)
            found = [(step, one) for step, one in enumerate(line) if one]
            across = [step + aside for step, _ in found]
            intervals(axes, across, [one for _, one in found], theme, vertical=True)
            axes.plot(across, [one.value for _, one in found], zorder=4, **looks[names[place]])
            for x, (step, one) in zip(across, found, strict=True):
                what = f"{panel.title}, {panel.steps[step]}"
                sheet.mark_point(axes, (x, one.value), _RADIUS, model.whole, what, one)
    legend(sheet, looks, 0)
    return sheet
