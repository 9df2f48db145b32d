"""The kinds of charts: each is a function of typed data and a theme that returns a matplotlib drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.reports.figures.layout import (
    MARGIN,
    TICKS,
    WIDTH,
    axes_at,
    intervals,
    legend,
    name_room,
    note,
    panel_grid,
    row_grid,
    sheet,
)
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.theme import SMALL, Theme, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from numpy.typing import NDArray

PERCENTILES = (5, 25, 50, 75, 95)  # of a `Spread`

_NUMBER = 0.46  # inches; room for the number right of a bar
_PANEL, _LEGEND = 1.2, 0.28  # inches; height of a panel of 100 %, and of the legend above panels
_RADIUS, _EDGE = 1.6, 0.35  # inches; of a radar, and of the room for its headings
_ENTRY, _LINE = 0.21, 0.6  # inches; height of an entry of its legend, and width of an entry without the name
_RANK, _COLUMN = 0.29, 1.4  # inches; height of a rank, most width of a column of ranks
_TILT = 30  # degrees; of the headings of ranks
_RING = 20  # points of the score between two rings of a radar
_ABREAST = 3  # panels of models side by side


@dataclass(frozen=True)
class BarPanel:
    """A panel of horizontal bars.

    Attributes:
        title: its heading.
        points: one for each model; None where it has no score.
        top: the end of the axis, which begins at 0.
        form: format of the numbers right of the bars.
    """

    title: str
    points: Sequence[Point | None]
    top: float
    form: str = ".1f"


@dataclass(frozen=True)
class Spread:
    """A distribution: its `PERCENTILES`, and the median of another one to compare with."""

    percentiles: Sequence[float]
    other_median: float

    @property
    def median(self) -> float:
        """The 50th percentile."""
        return self.percentiles[PERCENTILES.index(50)]


@dataclass(frozen=True)
class SpreadPanel:
    """A panel of distributions: its heading, and a distribution for each model, None without one."""

    title: str
    spreads: Sequence[Spread | None]


@dataclass(frozen=True)
class LinePanel:
    """A panel of lines over a horizontal axis, for one model.

    Attributes:
        title: its heading.
        series: name → x and a point in percent, in the order of the line; a lone series may have an empty name.
        counts: x → number of items; printed below the axis.
        note: printed in the panel's upper left corner.
    """

    title: str
    series: Mapping[str, Sequence[tuple[float, Point]]]
    counts: Mapping[float, int] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class HistogramPanel:
    """A panel of vertical bars for one model: the percentage of each bar, and a note in its upper left corner."""

    title: str
    percentages: Sequence[float]
    note: str


def bars(panels: Sequence[BarPanel], models: Sequence[str], theme: Theme, *, columns: int = 4) -> Drawing:
    """Horizontal bars with intervals and numbers, with a row for each model."""
    drawing, grid = row_grid([panel.title for panel in panels], models, theme, columns, _NUMBER)
    for axes, panel in zip(grid, panels, strict=True):
        if not any(panel.points):
            axes.set_visible(False)
            continue
        rows = range(len(models))
        ticks = [0, panel.top / 2, panel.top]
        axes.set_xlim(0, panel.top)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.barh(rows, [one.value if one else 0 for one in panel.points], 0.62, color=theme.fill)
        intervals(axes, rows, panel.points, theme)
        for row, one in zip(rows, panel.points, strict=True):
            text = format(one.value, panel.form) if one else "–"
            style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": SMALL, "color": theme.ink}
            at_the_end: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
            axes.annotate(text, (1, row), (72 * _NUMBER, 0), annotation_clip=False, **at_the_end, **style)
    return drawing


def spreads(panels: Sequence[SpreadPanel], models: Sequence[str], theme: Theme, *, columns: int = 3) -> Drawing:
    """Distributions on a logarithmic axis, with a row for each model.

    The thick line is the middle half, the thin one reaches from the 5th to the 95th percentile; a dot is the median, a
    diamond the other one where that differs.
    """
    drawing, grid = row_grid([panel.title for panel in panels], models, theme, columns, 0.24)
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
    return drawing


def lines(panels: Sequence[LinePanel], ticks: Mapping[float, str], theme: Theme, *, diagonal: bool = False) -> Drawing:
    """Lines with intervals over a vertical axis in percent, with a panel for each model.

    Args:
        panels: at least one.
        ticks: x → label.
        theme: the colours.
        diagonal: whether to draw the line on which x and y are equal.
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    looks = {name: line_style(place, theme) for place, name in enumerate(names)}
    foot = -36 if any(panel.counts for panel in panels) else -4
    head = 120 if any(panel.note for panel in panels) else 104
    above = _LEGEND if any(names) else 0
    high = _PANEL * (head - foot) / 100
    drawing, grid = panel_grid([panel.title for panel in panels], high, theme, _ABREAST, before=TICKS, head=above)
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
        if panel.counts:
            axes.text(first - 0.12 * span, foot / 2, "n", fontsize=SMALL, color=theme.soft, ha="right", va="center")
        for x, count in panel.counts.items():
            style: dict[str, Any] = {"fontsize": SMALL, "color": theme.ink, "ha": "center", "va": "center"}
            axes.text(x, foot / 2, str(count), rotation=90, **style)
        note(axes, panel.note, theme)
    if above:
        legend(drawing, looks, theme, len(names), "upper left")
    return drawing


def histograms(panels: Sequence[HistogramPanel], labels: Sequence[str], theme: Theme) -> Drawing:
    """Vertical bars with their percentages, with a panel for each model, all on one scale."""
    drawing, grid = panel_grid([panel.title for panel in panels], _PANEL, theme, _ABREAST)
    top = 1.35 * max(max(panel.percentages) for panel in panels)
    for axes, panel in zip(grid, panels, strict=True):
        axes.set(ylim=(0, top), yticks=[])
        axes.set_xticks(range(len(labels)), labels)
        drawn = axes.bar(range(len(labels)), panel.percentages, 0.72, color=theme.fill)
        shown = [("" if not value else f"{value:.0f}" if value >= 0.5 else "<1") for value in panel.percentages]
        axes.bar_label(drawn, shown, fontsize=SMALL, color=theme.soft, padding=1)
        axes.axhline(0, color=theme.line, linewidth=0.7)
        note(axes, panel.note, theme)
    return drawing


def radar(headings: Sequence[str], outlines: Mapping[int, tuple[str, Sequence[Point | None]]], theme: Theme) -> Drawing:
    """Outlines of models over at least three spokes; the rings fit the highest score.

    Args:
        headings: of the spokes, clockwise from the top.
        outlines: index of the model in the report → its name, and a point in percent for each spoke.
        theme: the colours.
    """
    highest = max(one.value for _, points in outlines.values() for one in points if one)
    end = min(100, _RING * max(1, math.ceil(highest / _RING)))
    columns = 2 if len(outlines) > 3 else 1
    side = 2 * (_RADIUS + _EDGE)
    names = [name for name, _ in outlines.values()]
    wide, high = (
        max(side + 0.9, columns * (name_room(names) + _LINE)),
        side + _ENTRY * math.ceil(len(outlines) / columns) + 0.1,
    )
    drawing = sheet(wide, high, theme)
    at = ((wide - 2 * _RADIUS) / 2 / wide, 1 - (2 * _RADIUS + _EDGE) / high, 2 * _RADIUS / wide, 2 * _RADIUS / high)
    axes: Any = drawing.add_axes(at, projection="polar", facecolor="none")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction("clockwise")
    axes.set_rlim(0, end)
    turns = [2 * math.pi * spoke / len(headings) for spoke in range(len(headings))]
    axes.set_thetagrids(np.degrees(turns), headings, color=theme.ink, fontweight="bold")
    between = 180 / len(headings)  # degrees; half way to the second spoke, where no outline has its corner
    axes.set_rgrids(range(_RING, end + 1, _RING), angle=between, color=theme.soft, fontsize=SMALL)
    axes.grid(color=theme.line, linewidth=0.7)
    axes.spines["polar"].set_visible(False)
    for place, (_, points) in outlines.items():
        values = [math.nan if one is None else max(0.0, one.value) for one in points]
        axes.plot([*turns, turns[0]], [*values, values[0]], clip_on=False, **line_style(place, theme))
    styles = {name: line_style(place, theme) for place, (name, _) in outlines.items()}
    legend(drawing, styles, theme, columns, "lower center")
    return drawing


def slopes(ranks: NDArray[np.float64], headings: Sequence[str], models: Sequence[str], theme: Theme) -> Drawing:
    """A line for each model through its ranks, with its name at both ends.

    Models that share a rank are drawn one below the other, with the same number.

    Args:
        ranks: shape (headings, models), 1 for the best; NaN without one. At least two headings, and one rank.
        headings: of the columns.
        models: their names.
        theme: the colours.
    """
    heights = _heights(ranks)
    ranked = np.flatnonzero(np.isfinite(ranks).any(axis=0)).tolist()
    names, lowest = name_room([models[place] for place in ranked]) + 2 * MARGIN, int(np.nanmax(heights))
    tilt = math.radians(_TILT)
    head = 0.25 + name_room(headings) * math.sin(tilt)
    after = max(names, name_room(headings[-1:]) * math.cos(tilt))
    wide = min(WIDTH - names - after, _COLUMN * (len(headings) - 1))
    drawing = sheet(names + wide + after, head + _RANK * lowest, theme)
    axes = axes_at(drawing, theme, names, head, wide, _RANK * lowest)
    axes.set(xlim=(0, len(headings) - 1), ylim=(lowest + 0.5, 0.5), xticks=[], yticks=[])
    text: dict[str, Any] = {"fontsize": SMALL, "color": theme.ink}
    beside: dict[str, Any] = text | {"textcoords": "offset points", "annotation_clip": False}
    for place in ranked:
        style = line_style(place, theme) | {"marker": "o", "markersize": 14, "markerfacecolor": theme.paper}
        axes.plot(heights[:, place], clip_on=False, **style)
        stops = np.flatnonzero(np.isfinite(heights[:, place])).tolist()
        for stop in stops:
            axes.text(stop, heights[stop, place], f"{ranks[stop, place]:.0f}", ha="center", va="center", **text)
        for stop, side, shift in ((stops[0], "right", -10), (stops[-1], "left", 10)):
            at = (stop, heights[stop, place])
            axes.annotate(models[place], at, (shift, 0), ha=side, va="center_baseline", **beside)
    for column, heading in enumerate(headings):
        tilted: dict[str, Any] = {"rotation": _TILT, "rotation_mode": "anchor", "fontweight": "bold"}
        axes.annotate(heading, (column, 0.4), (0, 0), ha="left", va="baseline", **tilted, **beside)
    return drawing


def round_up(value: float) -> float:
    """The end of an axis for values up to this one, such that half of it is a round number too.

    >>> round_up(3.4), round_up(0.02), round_up(0)
    (4.0, 0.02, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if value <= step * power * (1 + 1e-9))


def top_of(points: Iterable[Point | None]) -> float:
    """The end of an axis for points and their intervals."""
    return round_up(max((one.high or one.value for one in points if one), default=100.0))


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


def _heights(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """The height of each rank: the rank, or below equal ranks of earlier models; NaN without a rank."""
    heights = np.full_like(ranks, np.nan)
    for column, own in zip(ranks, heights, strict=True):
        ordered = np.argsort(column, kind="stable")  # NaN comes last
        n = np.isfinite(column).sum()
        own[ordered[:n]] = np.arange(1, n + 1)
    return heights
