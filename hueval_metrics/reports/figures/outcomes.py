"""Short questions: percentages of right (CO), not attempted (NA) and wrong (IN) answers; SimpleQA, Wei et al. 2024."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hueval_metrics.reports.columns import tasks
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts import BarPanel, bars
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import columns_of, point
from hueval_metrics.runs.run import Run

_METRICS = {"CO": "correct", "NA": "not_attempted", "IN": "incorrect"}


def outcomes_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The percentages of each model's answers, for each task of which a run has all three."""
    shown = names.short_names([run.label for run in runs])
    for task in tasks(runs):
        points = [{code: point(run, task, metric) for code, metric in _METRICS.items()} for run in runs]
        scored = [place for place, row in enumerate(points) if all(row.values())]
        if not scored:
            continue
        panels = [BarPanel(code, [points[place][code] for place in scored], top=100.0) for code in _METRICS]
        rows = [
            {"model": runs[place].label, "outcome": code} | columns_of(one)
            for place in scored
            for code, one in points[place].items()
        ]
        draw = partial(bars, panels, [shown[place] for place in scored])
        yield Figure(f"outcomes-{names.slug(task)}", "outcomes", rows, draw, {"task": names.task_name(task)})
