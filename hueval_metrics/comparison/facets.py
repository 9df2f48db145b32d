"""Intervals of the means over several prompts and repeats, from draws of items that all of these runs share.

Items are the clusters, whatever the number of runs: replies to one item depend on each other. The interval is of other
items, not of other prompts: those are the ones that were run, however far apart their scores. How far replies vary from
draw to draw is in it, since each item has its own. From three prompts on there is a second interval, of prompts
like these (`stats.crossed`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.comparison.check import differences, refusal
from hueval_metrics.comparison.load import PairedItems, fault, pair_up
from hueval_metrics.errors import InputError
from hueval_metrics.metric import Metric
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature
from hueval_metrics.registry import declared
from hueval_metrics.runs.facets import PROMPT, REPEAT, mean_of
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.crossed import crossed_interval
from hueval_metrics.stats.intervals import Interval, coverage_note, intervals
from hueval_metrics.stats.strata import of_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


def with_intervals(run: Run) -> Run:
    """A run with the intervals of its means, where the items can be read and all of its runs have the same."""
    if not run.averaged:
        return run
    items = [run_items(one, lambda fault: None) for one in run.averaged]
    results = {}
    for task, result in run.tasks.items():
        own = [(one, found[task]) for one, found in zip(run.averaged, items, strict=True) if task in found]
        paired = _paired(task, [found for _, found in own]) if len(own) > 1 else None
        prompts = [Signature.parse(one.result(task).signature).parts.get(PROMPT, "") for one, _ in own]
        results[task] = _with_intervals(result, paired, prompts) if paired else result
    return replace(run, tasks=results)


def as_repeats(runs: Sequence[Run], despite: Collection[str] = ()) -> Run:
    """The mean over sampled runs of one model that were not numbered as they ran; they are, in the order given.

    Args:
        runs: two or more.
        despite: the kinds of difference (`check.KINDS`) between them that are accepted.

    Raises:
        InputError: fewer than two runs, or they differ in more than the draw of the replies.
    """
    if len(runs) < 2:
        raise InputError(f"{runs[0].path if runs else '--repeats'}: one run shows no spread. Name two or more")
    for one, other in combinations(runs, 2):
        for task in one.tasks.keys() & other.tasks.keys():
            found = differences(one.result(task).signature, other.result(task).signature)
            if reason := refusal(found, despite):
                names = f"{one_line(one.label)} and {one_line(other.label)}"
                raise InputError(f"{task}: {names} are no repeats of one another: {reason}")
    numbered = [
        replace(run, tasks={task: _numbered(result, place) for task, result in run.tasks.items()})
        for place, run in enumerate(runs, 1)
    ]
    return mean_of(numbered, runs[0].model or runs[0].label)


def _numbered(result: TaskResult, place: int) -> TaskResult:
    parts = dict(Signature.parse(result.signature).parts)
    return replace(result, signature=str(Signature({**parts, REPEAT: str(place)})))


def _paired(task: str, items: Sequence[TaskItems]) -> PairedItems | None:
    if any(fault(one, declared(task).metrics) for one in items):
        return None
    paired, left_out = pair_up([replace(one, label=str(place)) for place, one in enumerate(items)], ("prompts",))
    return None if left_out else paired


def _with_intervals(result: TaskResult, paired: PairedItems, prompts: Sequence[str]) -> TaskResult:
    tables, others = {}, {}
    for name, metric in declared(paired.task).metrics.items():
        # A mean of calibration errors is none, and its resamples are too high (`stats.confidence`).
        if metric.is_sampled and not metric.is_error and all(name in values for values in paired.values):
            rows = [metric.rows(values[name], paired.clusters) for values in paired.values]
            tables[name] = mean_metric(name, metric, len(rows)), np.hstack(rows)
            if metric.is_mean and (wider := over_others(metric, rows, prompts)):
                others[name] = wider.low, wider.high
    strata = of_clusters(paired.clusters, paired.dimensions)
    found = {name: one for name, one in intervals(tables, strata=strata).items() if one}
    return replace(
        result,
        intervals={name: (one.low, one.high) for name, one in found.items()},
        methods={name: one.method for name, one in found.items()},
        notes={name: note for name in found if (note := coverage_note(*tables[name]))},
        other_prompts=others,
    )


def over_others(metric: Metric, rows: Sequence[Numbers], prompts: Sequence[str]) -> Interval | None:
    """The interval of a mean had other prompts been drawn, too; None of fewer than three, or with unequal repeats.

    Args:
        metric: a mean over clusters.
        rows: of each run the statistics of the same clusters.
        prompts: of each run.
    """
    names = list(dict.fromkeys(prompts))
    if len({prompts.count(name) for name in names}) > 1:
        return None
    weights = [metric.size(one) for one in rows]
    sums = [np.nan_to_num(metric.compute(one)) * weight for one, weight in zip(rows, weights, strict=True)]
    both = (
        [sum(one for one, prompt in zip(some, prompts, strict=True) if prompt == name) for name in names]
        for some in (sums, weights)
    )
    summed, weighed = (np.column_stack(some) for some in both)
    return crossed_interval(summed, weighed, metric.bounds)


def mean_metric(name: str, metric: Metric, n_runs: int) -> Metric:
    """The mean of a metric over runs, as a metric over their statistics side by side."""
    ends = [metric.width * place for place in range(n_runs + 1)]
    places = [slice(start, end) for start, end in pairwise(ends)]

    def compute(sums: Numbers) -> Numbers:
        return np.asarray(np.stack([metric.compute(sums[..., place]) for place in places], axis=-1).mean(axis=-1))

    def size(sums: Numbers) -> Numbers:
        return np.asarray(np.sum([metric.size(sums[..., place]) for place in places], axis=0))

    return Metric(
        name,
        lambda values: (0.0,) * ends[-1],
        compute,
        size=size,
        is_mean=False,
        bounds=metric.bounds,
        better=metric.better,
        unit=metric.unit,
    )
