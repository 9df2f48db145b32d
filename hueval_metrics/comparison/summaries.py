"""Numbers over several tasks, as a family declares them (`summary.Summary`): values, intervals, paired items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hueval_metrics.comparison.load import PairedItems, fault
from hueval_metrics.comparison.measures import as_scored
from hueval_metrics.declare import Family
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.confidence import ConfidenceSettings
from hueval_metrics.registry import declared, families
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.composite import (
    Block,
    Clustered,
    Composite,
    Setting,
    blocks,
    composite,
    composite_intervals,
    composite_note,
    n_clusters,
    setting_key,
    values,
)
from hueval_metrics.stats.strata import of_clusters
from hueval_metrics.summary import Summary

Key = tuple[str, Setting | None]  # a task, and the settings that a part of a summary names

_SAME = 1e-9  # scores this close are equal


def summary_scores(run: Run, items: Mapping[str, TaskItems] | None = None) -> list[SummaryScore]:
    """Every summary for which a run has all scores, with its interval where its file has it or its items can be read.

    Args:
        run: the run.
        items: task → its items; None to read them where they are needed.
    """
    scored = [
        (family, summary)
        for family in families().values()
        for summary in family.summaries
        if summary.is_of_one_run and all(run.score(task, metric) is not None for task, metric in summary.terms)
    ]
    if not scored:
        return []
    read = items
    found = []
    for family, summary in scored:
        one = _in_file(run, family, summary)
        if one is None:
            read = _items(run) if read is None else read
            one = _of_items(run, family, summary, read)
        if one is not None:
            found.append(one)
    return found


def with_summaries(run: Run, scores: Sequence[SummaryScore] | None = None) -> Run:
    """The run with the rows of its families' summaries, where its file has none and its items can be read.

    Args:
        run: the run.
        scores: what `summary_scores` gave for it; None to compute them where they are needed.
    """
    lacking = {
        family.name
        for family in families().values()
        if family.name not in run.summaries
        and any(
            len(part.tasks) > 1 and all(task in run.tasks for task in part.tasks)
            for summary in family.summaries
            if summary.is_of_one_run
            for part in summary.parts
        )
    }
    if not lacking:
        return run
    found: dict[str, list[SummaryScore]] = {}
    for one in summary_scores(run) if scores is None else scores:
        if one.family.name in lacking:
            found.setdefault(one.family.name, []).append(one)
    rows = {
        name: TaskResult(
            scores={one.summary.name: one.value for one in own},
            intervals={one.summary.name: one.ci95 for one in own if one.ci95},
            methods={one.summary.name: one.method for one in own if one.method},
            metric_n={one.summary.name: one.n for one in own if one.n is not None},
        )
        for name, own in found.items()
    }
    return replace(run, summaries={**run.summaries, **rows})


def covered_tasks(summaries: Iterable[Summary], paired: Iterable[PairedItems]) -> set[str]:
    """The tasks that a number over the items of all of them stands for: it is compared over the same runs."""
    labels = {one.task: one.labels for one in paired}
    pooled = [one.parts[0].tasks for one in summaries if one.is_pooled]
    whole = [tasks for tasks in pooled if labels.keys() >= set(tasks) and len({labels[task] for task in tasks}) == 1]
    return {task for tasks in whole for task in tasks}


def _in_file(run: Run, family: Family, summary: Summary) -> SummaryScore | None:
    """As the run's file has it; None where it does not, or of other scores than the run's."""
    result, value = run.summary_result(summary), run.summary(summary)
    known = result.scores.get(summary.name)
    if value is None or known is None or not math.isclose(value, known, abs_tol=_SAME):
        return None
    name = summary.name
    ends, n = result.intervals.get(name), result.metric_n.get(name)
    return SummaryScore(family, summary, value, ends, n, result.methods.get(name, ""), result.covers_too_little(name))


def _of_items(run: Run, family: Family, summary: Summary, items: Mapping[str, TaskItems]) -> SummaryScore | None:
    """Computed from the items of a run; without them the mere value, None where only they give it."""
    value = run.summary(summary)
    made = None
    if all(task in items and _is_read(items[task], metric) for task, metric in summary.terms):
        of_one: dict[Key, _Column] = {
            (task, None): _Column(one.clusters, one.dimensions, [one.values], [one.label], [one.confidence])
            for task, one in items.items()
        }
        made = _composite(family, summary, of_one)
    if made is None:
        return None if value is None else SummaryScore(family, summary, value, None, None)
    one, given = made
    if value is None:
        value = float(values(one, given)[0])
    if math.isnan(value):
        return None
    interval, is_narrow = composite_intervals([one], given)[summary.name], composite_note(one, given) is not None
    ends = (interval.low, interval.high) if interval else None
    method = interval.method if interval else ""
    return SummaryScore(family, summary, value, ends, n_clusters(one, given), method, is_narrow and ends is not None)


def _is_read(items: TaskItems, metric: str) -> bool:
    """Whether the items have readable values of a metric, each item once."""
    return metric in items.values and fault(items, {metric: declared(items.task).metrics[metric]}) is None


def _items(run: Run) -> dict[str, TaskItems]:
    """The items of the tasks of a run that are part of a summary and have a file."""
    if run.averaged:  # no single file has the items of a mean
        return {}
    wanted = {task for family in families().values() for summary in family.summaries for task, _ in summary.terms}
    kept = {task: one for task, one in run.tasks.items() if task in wanted and one.source != Path()}
    return run_items(replace(run, tasks=kept), lambda fault: None)


def paired_composite(
    family: Family, summary: Summary, items: Mapping[Key, PairedItems]
) -> tuple[Composite, list[Block]] | None:
    """A summary of several runs over the items that all of them have.

    Args:
        family: whose it is.
        summary: the summary.
        items: task and setting → the items, over the same runs in the same order.

    Returns:
        The summary and the clusters that are drawn together; None where a part is missing.
    """
    return _composite(
        family,
        summary,
        {
            key: _Column(one.clusters, one.dimensions, one.values, one.labels, one.confidences)
            for key, one in items.items()
        },
    )


def _composite(family: Family, summary: Summary, items: Mapping[Key, _Column]) -> tuple[Composite, list[Block]] | None:
    wanted = {(task, setting_key(part.settings), part.metric): None for part in summary.parts for task in part.tasks}
    if any(
        (task, at) not in items or any(name not in model for model in items[task, at].values)
        for task, at, name in wanted
    ):
        return None
    named: dict[Key, list[str]] = {}
    for task, at, name in wanted:
        named.setdefault((task, at), []).append(name)
    tables = {}
    metrics: dict[str, Mapping[str, Metric]] = {}
    for (task, at), names in named.items():
        own = items[task, at]
        metrics[task], _ = as_scored(family.tasks[task].metrics, own.labels, own.confidences)
        if any(name not in metrics[task] for name in names):  # a calibration error, by different bins
            return None
        terms = {
            name: np.stack([metrics[task][name].rows(model[name], own.clusters) for model in own.values])
            for name in names
        }
        ids = list(dict.fromkeys(own.clusters))
        tables[task, at] = Clustered(ids, of_clusters(own.clusters, own.dimensions), terms)
    one = composite(summary, metrics, tables)
    return None if one is None else (one, blocks(tables, by_task=summary.by_task))


@dataclass(frozen=True)
class _Column:
    """Items of one task: their clusters and strata, and of each model metric → values, label, how it was scored."""

    clusters: Sequence[str]
    dimensions: Sequence[str | None]
    values: Sequence[Mapping[str, Sequence[object]]]
    labels: Sequence[str]
    confidences: Sequence[ConfidenceSettings]


@dataclass(frozen=True)
class SummaryScore:
    """A summary of one run.

    Attributes:
        family: that declares it.
        summary: the declaration.
        value: in the unit of its parts.
        ci95: its 95 % interval; None where the items cannot be read, or show no spread.
        n: number of clusters; None where the items cannot be read.
        method: how the interval was made; empty without one.
        is_narrow: whether the interval covers the true value too rarely.
    """

    family: Family
    summary: Summary
    value: float
    ci95: tuple[float, float] | None
    n: int | None
    method: str = ""
    is_narrow: bool = False

    @property
    def is_fraction(self) -> bool:
        """Whether it is on a scale from 0 to 1."""
        task, metric = self.summary.terms[0]
        return self.family.tasks[task].metrics[metric].unit == "fraction"
