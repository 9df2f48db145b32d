"""Scores by stratum of the items: a radar of a few models, bars of all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hueval_metrics.registry import declared, known_tasks, strata
from hueval_metrics.reports.columns import tasks
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import Panel, axes, bar_panels, legend, sheet, top_of
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import Point, columns_of, point
from hueval_metrics.reports.figures.theme import SMALL, Theme, line_style
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

MOST_ON_RADAR = 6  # models; the outlines of more cannot be told apart
_RADIUS, _EDGE, _ENTRY = 1.6, 0.35, 0.21  # inches: of the radar, around it for the codes, of a legend's line
_RING = 20  # points of the score between two rings


def dimension_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """For each metric by stratum the bars of all models; a radar of a few where there are three strata or more."""
    shown_names = names.short_names([run.label for run in runs])
    for task, metric, codes in _divided(runs):
        points = [[point(run, task, f"{metric}_{code}") for code in codes] for run in runs]
        scored = [place for place, row in enumerate(points) if any(row)]
        rows = [
            {"task": task, "metric": metric, "dimension": code.upper(), "model": runs[place].label} | columns_of(one)
            for place in scored
            for code, one in zip(codes, points[place], strict=True)
        ]
        if not scored:
            continue
        about = {"task": names.task_name(task), "dimensions": _meanings(task, codes)}
        slug, headings = names.slug(task), [code.upper() for code in codes]
        on_radar = scored[:MOST_ON_RADAR]
        if len(codes) > 2:
            yield Figure(
                name=f"dimensions-radar-{slug}",
                kind="dimensions-radar",
                rows=rows[: len(on_radar) * len(codes)],
                draw=partial(_radar, headings, {place: (shown_names[place], points[place]) for place in on_radar}),
                parameters=about | {"shown": len(on_radar), "left_out": len(scored) - len(on_radar)},
            )
        top = top_of(one for row in points for one in row)
        panels = [Panel(head, [points[place][i] for place in scored], top) for i, head in enumerate(headings)]
        yield Figure(
            name=f"dimensions-bars-{slug}",
            kind="dimensions-bars",
            rows=rows,
            draw=partial(bar_panels, panels, [shown_names[place] for place in scored]),
            parameters=about,
        )


def _divided(runs: Sequence[Run]) -> list[tuple[str, str, list[str]]]:
    """(task, metric, codes) of each metric that a task declares by stratum; those with most strata first."""
    found: dict[tuple[str, str], list[str]] = {}
    for task in tasks(runs):
        for name, metric in declared(task).metrics.items() if task in known_tasks() else ():
            if metric.stratum is not None:
                found.setdefault((task, name.removesuffix(f"_{metric.stratum}")), []).append(metric.stratum)
    return sorted(((*key, codes) for key, codes in found.items()), key=lambda one: -len(one[2]))


def _meanings(task: str, codes: Sequence[str]) -> dict[str, str]:
    """What the codes mean, by language."""
    titles = strata(task)
    return {
        language: "; ".join(f"{code.upper()}: {titles[code][language]}" for code in codes)
        for language in next(iter(titles.values()))
    }


def _radar(headings: Sequence[str], models: Mapping[int, tuple[str, Sequence[Point | None]]], theme: Theme) -> Drawing:
    """The outlines of models, given as place in the report → name and points; the rings fit the highest score."""
    highest = max(one.value for _, points in models.values() for one in points if one)
    end = min(100, _RING * max(1, math.ceil(highest / _RING)))
    across = 2 * (_RADIUS + _EDGE)
    columns = 2 if len(models) > 3 else 1
    drawing = sheet(across + _ENTRY * math.ceil(len(models) / columns) + 0.1, theme, across + 0.9)
    made = axes(drawing, theme, 0.45, 0, across, across)
    _web(made, headings, end, theme)
    turns = [i / len(headings) for i in range(len(headings) + 1)]
    for place, (_, points) in models.items():
        values = [math.nan if one is None else max(0.0, one.value) for one in [*points, points[0]]]
        corners = [_corner(turn, value) for turn, value in zip(turns, values, strict=True)]
        made.plot(*zip(*corners, strict=True), **line_style(place, theme))
    styles = {name: line_style(place, theme) for place, (name, _) in models.items()}
    legend(drawing, styles, theme, columns, "lower center")
    return drawing


def _web(made: Axes, headings: Sequence[str], end: int, theme: Theme) -> None:
    """Rings, spokes and the headings at their ends."""
    outside = end * (_RADIUS + _EDGE) / _RADIUS
    made.set(xlim=(-outside, outside), ylim=(-outside, outside), xticks=[], yticks=[])
    turns = [i / len(headings) for i in range(len(headings) + 1)]
    for ring in range(_RING, end + 1, _RING):
        made.plot(*zip(*(_corner(turn, ring) for turn in turns), strict=True), color=theme.line, linewidth=0.7)
        made.text(0, ring, f" {ring}", fontsize=SMALL, color=theme.soft, va="bottom", zorder=3)
    for turn, heading in zip(turns, headings, strict=False):
        x, y = _corner(turn, end)
        made.plot([0, x], [0, y], color=theme.line, linewidth=0.7)
        x, y = _corner(turn, (end + outside) / 2)
        made.text(x, y, heading, color=theme.ink, fontweight="bold", ha="center", va="center")


def _corner(turn: float, value: float) -> tuple[float, float]:
    """Where a value stands on a spoke; turns run clockwise from the top."""
    return value * math.sin(2 * math.pi * turn), value * math.cos(2 * math.pi * turn)
