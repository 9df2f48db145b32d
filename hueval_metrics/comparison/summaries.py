"""Numbers over several tasks, as a family declares them (`summary.Summary`): their values, intervals and differences.

A summary is a metric whose statistics are those of its parts, concatenated, with a row for each cluster of any of the
tasks. So one draw of clusters serves all parts, and a cluster that two tasks share (a question in two languages) is
drawn for both. Clusters are stratified by the tasks they belong to, so that each task keeps its size.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.comparison.load import PairedItems, fault
from hueval_metrics.declare import Family, Metric
from hueval_metrics.registry import declared, families
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.intervals import interval
from hueval_metrics.summary import Summary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_Items = tuple[TaskItems | PairedItems, Mapping[str, Sequence[Any]]]


def summary_scores(run: Run, items: Mapping[str, TaskItems] | None = None) -> list[SummaryScore]:
    """Every summary for which a run has all scores, with its interval where the items can be read.

    Args:
        run: the run.
        items: task → its items; None to read them.
    """
    scored = [
        (family, summary, value)
        for family in families().values()
        for summary in family.summaries
        if (value := run.summary(summary)) is not None
    ]
    if not scored:
        return []
    read = _items(run) if items is None else items
    found = []
    for family, summary, value in scored:
        ends = n = None
        is_read = all(task in read and _is_read(read[task], metric) for task, metric in summary.terms)
        if is_read and (table := _table(family, summary, {task: (one, one.values) for task, one in read.items()})):
            metric, rows, strata = table
            made = interval(metric, rows, strata=strata)
            ends, n = (made.low, made.high) if made else None, int(metric.applies(rows).sum())
        found.append(SummaryScore(family, summary, value, ends, n))
    return found


def _is_read(items: TaskItems, metric: str) -> bool:
    """Whether the items have readable values of a metric, each item once."""
    return metric in items.values and fault(items, {metric: declared(items.task).metrics[metric]}) is None


def _items(run: Run) -> dict[str, TaskItems]:
    """The items of the tasks of a run that are part of a summary and have a file."""
    if run.prompts:  # no single file has the items of a mean
        return {}
    wanted = {task for family in families().values() for summary in family.summaries for task, _ in summary.terms}
    kept = {task: one for task, one in run.tasks.items() if task in wanted and one.source != Path()}
    return run_items(replace(run, tasks=kept), lambda fault: None)


def paired_table(
    family: Family, summary: Summary, items: Mapping[str, PairedItems]
) -> tuple[Metric, Numbers, list[Hashable]] | None:
    """A summary of several runs over the items that all of them have.

    Args:
        family: whose it is.
        summary: the summary.
        items: task → the items, over the same runs in the same order.

    Returns:
        The summary as a metric, the rows of each run, shape (runs, clusters, k), and each cluster's stratum; None where
        a part is missing.
    """
    if any(task not in items for task, _ in summary.terms):
        return None
    n_runs = len(next(iter(items.values())).labels)
    tables = [
        _table(family, summary, {task: (one, one.values[place]) for task, one in items.items()})
        for place in range(n_runs)
    ]
    known = [table for table in tables if table is not None]
    if len(known) < n_runs:
        return None
    metric, _, strata = known[0]
    return metric, np.stack([rows for _, rows, _ in known]), strata


def _table(
    family: Family, summary: Summary, items: Mapping[str, _Items]
) -> tuple[Metric, Numbers, list[Hashable]] | None:
    """A summary as a metric, its rows, and the stratum of each row; None where a part has no values.

    Args:
        family: whose it is.
        summary: the summary.
        items: task → its items, and metric → their values in one run.
    """
    if not summary.is_of_one_run:
        return None
    if not all(task in items and metric in items[task][1] for task, metric in summary.terms):
        return None
    tasks = dict.fromkeys(task for task, _ in summary.terms)
    named = {
        task: [(task if summary.by_task else "", cluster) for cluster in items[task][0].clusters] for task in tasks
    }
    clusters = {cluster: place for place, cluster in enumerate(dict.fromkeys(c for t in tasks for c in named[t]))}
    strata: list[list[Hashable]] = [[] for _ in clusters]
    for task in tasks:
        own = items[task][0]
        for cluster, stratum in dict(zip(named[task], own.dimensions, strict=True)).items():
            strata[clusters[cluster]].append((task, stratum))
    parts = [family.tasks[part.tasks[0]].metrics[part.metric] for part in summary.parts]
    blocks = []
    for part, metric in zip(summary.parts, parts, strict=True):
        block = np.zeros((len(clusters), metric.width))
        for task in part.tasks:
            own, values = items[task]
            places = [clusters[cluster] for cluster in dict.fromkeys(named[task])]
            block[places] += metric.rows(values[part.metric], own.clusters)
        blocks.append(block)
    return combined_metric(summary, parts), np.hstack(blocks), [tuple(one) for one in strata]


def combined_metric(summary: Summary, parts: Sequence[Metric]) -> Metric:
    """A summary as a metric over the concatenated statistics of its parts."""
    ends = np.cumsum([0, *(part.width for part in parts)]).tolist()
    places = [slice(start, end) for start, end in pairwise(ends)]

    def combined(sums: Numbers) -> Numbers:
        values = [part.compute(sums[..., place]) for part, place in zip(parts, places, strict=True)]
        return summary.combine(np.stack(values, axis=-1))

    def size(sums: Numbers) -> Numbers:
        return np.sum([part.size(sums[..., place]) for part, place in zip(parts, places, strict=True)], axis=0)

    lowest, highest = parts[0].bounds
    width = highest - lowest
    return Metric(
        summary.name,
        lambda values: (0.0,) * ends[-1],
        combined,
        size=size,
        is_mean=False,
        bounds=(-width, width) if summary.better is None else (lowest, highest),
        better=summary.better,
        unit=parts[0].unit,
    )


@dataclass(frozen=True)
class SummaryScore:
    """A summary of one run.

    Attributes:
        family: that declares it.
        summary: the declaration.
        value: in the unit of its parts.
        ci95: its 95 % interval; None where the items cannot be read, or show no spread.
        n: number of clusters; None where the items cannot be read.
    """

    family: Family
    summary: Summary
    value: float
    ci95: tuple[float, float] | None
    n: int | None
