"""Scores by stratum of the items: a radar of a few models, bars of all models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hueval_metrics.registry import declared, known_tasks, strata
from hueval_metrics.reports.columns import tasks
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.charts.radar import radar
from hueval_metrics.reports.figures.charts.scale import top_of
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import columns_of, point
from hueval_metrics.reports.figures.units import is_part, unit_of
from hueval_metrics.runs.run import Run

MOST_ON_RADAR = 6  # models; more outlines are hard to distinguish


def dimension_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """For each metric by stratum the bars of all models, and with three strata or more a radar of a few models.

    Baselines are lines through the bars; the first bars lead, those of the most strata.
    """
    lineup = names.lineup(runs)
    divided = _divided(runs)
    lead = True
    for task, metric, codes in divided:
        points = [[point(run, task, f"{metric}_{code}") for code in codes] for run in runs]
        scored = [place for place in lineup.rows if any(points[place])]
        baselines = {place: name for place, name in lineup.baselines.items() if any(points[place])}
        rows = [
            {"task": task, "metric": metric, "dimension": code.upper(), "model": runs[place].label} | columns_of(one)
            for place in (*scored, *baselines)
            for code, one in zip(codes, points[place], strict=True)
        ]
        if not scored:
            continue
        is_one_of_several = [other for other, _, _ in divided].count(task) > 1
        title = names.task_name(task) + f", {metric}" * is_one_of_several
        about = {"task": title, "dimensions": _meanings(task, codes)}
        slug = names.slug(task) + f"-{metric.replace('_', '-')}" * is_one_of_several
        headings = [code.upper() for code in codes]
        on_radar = [place for place in scored if place in lineup.models][:MOST_ON_RADAR]
        if len(codes) > 2 and on_radar:
            yield Figure(
                name=f"dimensions-radar-{slug}",
                kind="dimensions-radar",
                rows=rows[: len(on_radar) * len(codes)],
                draw=partial(radar, headings, {place: (lineup.names[place], points[place]) for place in on_radar}),
                parameters=about | {"shown": len(on_radar), "left_out": len(scored) - len(on_radar)},
            )
        top = top_of(one for row in points for one in row)
        panels = [
            BarPanel(
                head,
                [points[place][i] for place in scored],
                top,
                references={name: one for place, name in baselines.items() if (one := points[place][i])},
            )
            for i, head in enumerate(headings)
        ]
        yield Figure(
            name=f"dimensions-bars-{slug}",
            kind="dimensions-bars",
            rows=rows,
            draw=partial(bars, panels, [lineup.names[place] for place in scored]),
            parameters=about | {"baselines": len(baselines)},
            lead=lead,
        )
        lead = False


def _divided(runs: Sequence[Run]) -> list[tuple[str, str, list[str]]]:
    """(task, metric, codes) of each metric that a task declares by stratum; those with most strata first."""
    found: dict[tuple[str, str], list[str]] = {}
    for task in tasks(runs):
        if is_part(unit_of(task)):  # too many for a figure each
            continue
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
