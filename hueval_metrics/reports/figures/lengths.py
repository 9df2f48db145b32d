"""Lengths of the responses with and without their reasoning traces, and the percentage of truncated ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from hueval_metrics.reports import columns
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.charts.scale import top_of
from hueval_metrics.reports.figures.charts.spreads import PERCENTILES, Spread, SpreadPanel, spreads
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData, TaskNumbers
from hueval_metrics.reports.figures.points import columns_of
from hueval_metrics.reports.figures.units import panel_titles, unit_point, unit_words, units
from hueval_metrics.runs.run import Run


def length_figures(data: FigureData, runs: Sequence[Run]) -> Iterator[Figure]:
    """The lengths of responses in characters, and the percentage of truncated ones if there are any, by unit."""
    tasks = units(columns.tasks(runs))
    titles, lineup = panel_titles(tasks), names.lineup(runs)
    models, shown = [runs[place] for place in lineup.rows], [lineup.names[place] for place in lineup.rows]
    found = {task: [data.of(place, task) for place in lineup.rows] for task in tasks}
    lengths = {task: [_spread(one) for one in row] for task, row in found.items()}
    known = {task: row for task, row in lengths.items() if any(row)}
    if known:
        rows = [
            {"task": task, "model": run.label, "n": len(numbers.response_length)}
            | {f"p{share}": number for share, number in zip(PERCENTILES, one.percentiles, strict=True)}
            | {"median_with_reasoning": one.other_median}
            for task, row in known.items()
            for run, one, numbers in zip(models, row, found[task], strict=True)
            if one
        ]
        panels = [SpreadPanel(titles[task], row) for task, row in known.items()]
        words = unit_words(tasks)
        yield Figure("response-length", "lengths", rows, partial(spreads, panels, shown), words=words)
    truncated = {task: [unit_point(run, task, "truncated_rate") for run in models] for task in tasks}
    top = top_of(one for row in truncated.values() for one in row)
    bar_panels = [BarPanel(titles[task], row, top) for task, row in truncated.items() if any(row)]
    if any(one and one.value for row in truncated.values() for one in row):
        rows = [
            {"task": task, "model": run.label, **columns_of(one)}
            for task, row in truncated.items()
            for run, one in zip(models, row, strict=True)
            if one
        ]
        draw = partial(bars, bar_panels, shown, columns=3)
        yield Figure("truncated-responses", "truncation", rows, draw, words=unit_words(tasks))


def _spread(numbers: TaskNumbers) -> Spread | None:
    """The lengths of the responses, and the median of the whole replies."""
    if not numbers.response_length:
        return None
    percentiles = np.percentile(np.frombuffer(numbers.response_length, np.uintc), PERCENTILES)
    other = float(np.median(np.frombuffer(numbers.whole_length, np.uintc)))
    return Spread(tuple(map(float, percentiles)), other, len(numbers.response_length))
