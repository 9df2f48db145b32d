"""Short questions: percentages of right (CO), not attempted (NA) and wrong (IN) answers; SimpleQA, Wei et al. 2024."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hueval_metrics.reports.columns import tasks
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import columns_of
from hueval_metrics.reports.figures.units import unit_names, unit_point, units
from hueval_metrics.runs.run import Run

_METRICS = {"CO": "correct", "NA": "not_attempted", "IN": "incorrect"}


def outcomes_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The percentages of each model's answers, for each unit of which a run has all three."""
    lineup = names.lineup(runs)
    for unit in units(tasks(runs)):
        points = [{code: unit_point(run, unit, metric) for code, metric in _METRICS.items()} for run in runs]
        whole = {
            place: {c: one for c, one in row.items() if one} for place, row in enumerate(points) if all(row.values())
        }
        scored = [place for place in lineup.rows if place in whole]
        if not scored:
            continue
        lines = {policy: whole[place] for place, policy in lineup.baselines.items() if place in whole}
        panels = [
            BarPanel(
                code,
                [whole[place][code] for place in scored],
                top=100.0,
                references={policy: line[code] for policy, line in lines.items()},
            )
            for code in _METRICS
        ]
        rows = [
            {"model": runs[place].label, "outcome": code} | columns_of(one)
            for place in whole
            for code, one in whole[place].items()
        ]
        draw = partial(bars, panels, [lineup.names[place] for place in scored])
        yield Figure(f"outcomes-{names.slug(unit)}", "outcomes", rows, draw, {"task": unit_names(unit)})
