"""Judges of a bench: agreement with the reference, with its interval, against the cost of 1,000 verdicts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.errors import InputError
from hueval_metrics.judges.bench.measure import JudgeMeasures, TaskMeasures
from hueval_metrics.reports.figures.figure import Figure, svg
from hueval_metrics.reports.figures.layout import LEGEND, legend, legend_lines, panel_grid
from hueval_metrics.reports.figures.names import short_names, task_name
from hueval_metrics.reports.figures.points import Point, columns_of
from hueval_metrics.reports.figures.sheet import Sheet
from hueval_metrics.reports.figures.theme import LIGHT, SMALL, Theme, line_style
from hueval_metrics.text.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGH, _BELOW, _LEFT = 2.3, 0.22, 0.42  # inches; panel, title of the axis, its numbers
_ABREAST, _DODGE = 2, 7.0  # panels side by side; points between judges of equal cost
_UNKNOWN = "not known"  # the tick of judges without a price


def write_figure(tasks: Sequence[TaskMeasures], file: Path) -> None:
    """Write the figure as SVG.

    Raises:
        InputError: the file is no `.svg` or cannot be written, or no judge was held against a reference.
    """
    if file.suffix.lower() != ".svg":
        raise InputError(f"--figure {file}: the figure is an SVG. Name a file that ends in .svg")
    write_whole(file, svg(judge_bench_figure(tasks), LIGHT).encode())


def judge_bench_figure(tasks: Sequence[TaskMeasures]) -> Figure:
    """The figure, with a panel for each task.

    Raises:
        InputError: no judge was held against a reference.
    """
    points = {task.task: {judge.judge: found for judge in task.shown if (found := _point(judge))} for task in tasks}
    points = {task: found for task, found in points.items() if found}
    if not points:
        raise InputError("--figure: no judge is held against a reference. Name one: --reference JUDGE|RUN|SHEET")
    usd = {(task.task, judge.judge): judge.usd for task in tasks for judge in task.shown}
    rows: list[Mapping[str, object]] = [
        {"task": task, "judge": judge, "usd_per_1000": usd[task, judge], **columns_of(one)}
        for task, found in points.items()
        for judge, one in found.items()
    ]
    return Figure("judge-bench", "judge-bench", rows, partial(_draw, points, usd))


def _point(judge: JudgeMeasures) -> Point | None:
    found = judge.against and judge.against.agreement
    return Point(found.value, *(found.ci95 or (None, None))) if found else None


def _draw(
    points: Mapping[str, Mapping[str, Point]], usd: Mapping[tuple[str, str], float | None], theme: Theme, wide: float
) -> Sheet:
    judges = list(dict.fromkeys(judge for found in points.values() for judge in found))
    styles = {
        name: {**line_style(place, theme), "linestyle": "none", "markersize": 6}
        for place, name in enumerate(short_names(judges))
    }
    by_judge = dict(zip(judges, styles.values(), strict=True))
    head = LEGEND * len(legend_lines(list(styles), wide))
    titles = [task_name(task) for task in points]
    sheet, grid = panel_grid(titles, _HIGH + _BELOW, theme, wide, _ABREAST, before=_LEFT, head=head)
    for axes, (task, found) in zip(grid, points.items(), strict=True):
        box = axes.get_position()
        below = _BELOW / sheet.drawing.get_size_inches()[1]
        axes.set_position((box.x0, box.y0 + below, box.width, box.height - below))
        _panel(axes, found, {judge: usd[task, judge] for judge in found}, by_judge, theme)
    legend(sheet, styles, 0)
    return sheet


def _panel(
    axes: Axes,
    points: Mapping[str, Point],
    usd: Mapping[str, float | None],
    styles: Mapping[str, Mapping[str, Any]],
    theme: Theme,
) -> None:
    from matplotlib.transforms import ScaledTranslation

    places, ticks = _places(usd)
    axes.set_xlim(-0.5, max(ticks) + 0.5)
    axes.set_xticks(list(ticks), list(ticks.values()))
    lowest = min(one.value if one.low is None else one.low for one in points.values())
    floor = 20 * math.floor(lowest / 20)
    axes.set_ylim(floor, 100)
    axes.set_yticks(range(floor, 101, 20 if floor < 60 else 10))
    axes.grid(axis="y", color=theme.line, linewidth=0.6)
    axes.set_xlabel("$ per 1,000 verdicts", fontsize=SMALL, color=theme.soft, labelpad=2)
    axes.set_ylabel("agreement, %", fontsize=SMALL, color=theme.soft, labelpad=2)
    shared, seen = Counter(places.values()), defaultdict[float, int](int)
    for judge, one in points.items():
        place = places[judge]
        aside = (seen[place] - (shared[place] - 1) / 2) * _DODGE / 72
        seen[place] += 1
        transform = axes.transData + ScaledTranslation(aside, 0, axes.figure.dpi_scale_trans)
        if one.low is not None and one.high is not None:
            axes.plot([place, place], [one.low, one.high], color=theme.ink, linewidth=1.1, transform=transform)
        axes.plot([place], [one.value], transform=transform, zorder=4, clip_on=False, **styles[judge])


def _places(usd: Mapping[str, float | None]) -> tuple[dict[str, float], dict[float, str]]:
    """Where each judge is on the axis, and the ticks: free ones, decades, those of unknown price."""
    known = [value for value in usd.values() if value]
    first = math.floor(math.log10(min(known))) if known else 0
    last = max(math.ceil(math.log10(max(known))), first + 1) if known else -1
    start = 1.0 if any(value == 0 for value in usd.values()) else 0.0
    ticks = {0.0: "0"} if start else {}
    ticks |= {start + power - first: f"{10.0**power:g}" for power in range(first, last + 1)}
    end = max(ticks, default=-1.0) + 1
    if None in usd.values():
        ticks[end] = _UNKNOWN
    places = {
        judge: end if value is None else start + math.log10(value) - first if value else 0.0
        for judge, value in usd.items()
    }
    return places, ticks
