"""The headline scores of all models with their intervals: the first figure of the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from hueval_metrics import registry
from hueval_metrics.reports.columns import Headline, families_of, headlines
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.dots import DotPanel, dots
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import Point, columns_of, point
from hueval_metrics.reports.figures.units import summary_point
from hueval_metrics.reports.table_words import CHANCE
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.ranks import ranks
from hueval_metrics.words.texts import ENGLISH, by_english, each

SCORES = "scores"  # name of the figure
_FORMS = {"%": ".1f"}  # unit → format of its scores


def scores_figure(runs: Sequence[Run]) -> Figure | None:
    """A panel for each column of the overview that a model has a score in, with a row for each model, the best first.

    The rows are in one order in all panels, by the mean of the models' places.
    """
    lineup = names.lineup(runs)
    columns = headlines(families_of(runs), runs)
    found = {place: [_point(runs[place], column) for column in columns] for place in range(len(runs))}
    shown = [at for at, _ in enumerate(columns) if any(found[place][at] for place in lineup.rows)]
    rows = [place for place in lineup.rows if any(found[place])]
    if not rows:
        return None
    places = _mean_places([found[place] for place in rows], columns)
    order = [place for _, place in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]
    families = {columns[at].family.title for at in shown}
    panels = []
    for at in shown:
        column = columns[at]
        group = f"{column.family.title}: {column.group}".removesuffix(": ") if len(families) > 1 else column.group
        declared = registry.metric(*column.terms[0])
        lines = {policy: one for place, policy in lineup.baselines.items() if (one := found[place][at])}
        chances = {column.chance(runs[place]) for place in order} if lineup.models else set()
        if len(chances) == 1 and (chance := chances.pop()) is not None:
            lines[CHANCE[ENGLISH]] = Point(chance)
        points, form = [found[place][at] for place in order], _FORMS.get(declared.unit if declared else "%", ".3f")
        bounds = _bounds(column, declared.bounds if declared else (0.0, 100.0))
        better = column.better if lineup.models else None  # baselines do not lead
        panels.append(DotPanel(group, column.heading, points, lines, better, bounds, form, CHANCE[ENGLISH]))
    numbers = [
        {"task": columns[at].task, "column": columns[at].title, "model": runs[place].label} | columns_of(one)
        for at in shown
        for place in (*order, *lineup.baselines)
        if (one := found[place][at])
    ]
    draw = partial(dots, panels, [lineup.names[place] for place in order])
    about = {"models": len(order) > 1 and bool(lineup.models), "baselines": bool(lineup.baselines)}
    about["chance"] = any(CHANCE[ENGLISH] in panel.references for panel in panels)
    headings = [each(columns[at].heading_in) for at in shown]
    words = by_english(one for one in (*headings, CHANCE) if len(set(one.values())) > 1)
    return Figure(SCORES, "scores", numbers, draw, about, lead=True, words=words)


def _point(run: Run, column: Headline) -> Point | None:
    """A run's score in a column; that of a summary has an interval where the run's file has one."""
    family = registry.families().get(column.task)
    if family is not None:
        return summary_point(run, family, column.metric)
    return point(run, column.task, column.metric_of(run))


def _bounds(column: Headline, of_parts: tuple[float, float]) -> tuple[float, float]:
    """The ends of a column's scale; a summary of which neither end is better is a difference, and may be negative."""
    low, high = of_parts
    is_difference = column.task in registry.families() and column.better is None
    return (low - high, high - low) if is_difference else of_parts


def _mean_places(found: Sequence[Sequence[Point | None]], columns: Sequence[Headline]) -> list[float]:
    """The mean place of each row over the columns that have an order and that it has a score in."""
    signs = [
        {"higher": 1.0, "lower": -1.0}.get(one.better or "", np.nan) if one.has_order else np.nan for one in columns
    ]
    scores = [[sign * one.value if one else np.nan for one, sign in zip(row, signs, strict=True)] for row in found]
    places = ranks(np.array(scores).T)
    known = np.isfinite(places)
    total = np.where(known, places, 0).sum(axis=0)
    means = np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.inf)
    return [float(one) for one in means]
