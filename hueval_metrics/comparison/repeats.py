"""Several sampled runs of one model: mean and standard deviation of each metric."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from hueval_metrics.comparison.check import differences, refusal
from hueval_metrics.comparison.measures import check_metrics, measures
from hueval_metrics.records import InputError
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.repeats import Repeats, repeated
from hueval_metrics.text.one_line import one_line


def repeated_scores(
    runs: Sequence[Run], *, metrics: Sequence[str] = (), despite: Collection[str] = ()
) -> list[RepeatedMetric]:
    """How much each metric varies over runs of one model that differ in nothing but the draw of its answers.

    Args:
        runs: two or more.
        metrics: see `measures.measures`.
        despite: kinds of difference between the runs (`check.KINDS`) to pass over.

    Raises:
        InputError: fewer than two runs, a metric that no task has, runs that differ in more than the draw, or no score.
    """
    if len(runs) < 2:
        raise InputError(f"{runs[0].path if runs else '--repeats'}: one run shows no spread. Name two or more")
    tasks = list(dict.fromkeys(task for run in runs for task in run.tasks))
    check_metrics(metrics, tasks)
    found = []
    for task in tasks:
        having = [run for run in runs if task in run.tasks]
        for first, second in combinations(having, 2):
            told = differences(first.result(task).signature, second.result(task).signature)
            if reason := refusal(told, despite):
                names = f"{one_line(first.label)} and {one_line(second.label)}"
                raise InputError(f"{task}: {names} are no repeats of one another: {reason}")
        for measure in measures(task, metrics):
            values = [run.tasks[task].scores.get(measure.name) for run in having]
            scores = [value for value in values if value is not None]
            if scores:
                n_without = len(runs) - len(scores)
                found.append(
                    RepeatedMetric(task, measure.name, measure.metric.unit == "%", repeated(scores), n_without)
                )
    if not found:
        raise InputError(f"{', '.join(str(run.path) for run in runs)}: no scores to repeat")
    return found


@dataclass(frozen=True)
class RepeatedMetric:
    """One metric of several runs of one model.

    Attributes:
        task, metric: their names.
        is_percent: whether the unit is percent; else the metric runs from 0 to 1.
        spread: mean, standard deviation and range.
        n_without: runs that have no such score.
    """

    task: str
    metric: str
    is_percent: bool
    spread: Repeats
    n_without: int
