"""Several sampled runs of one model: how far each score depends on the draw of its answers (Miller 2024)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hueval_metrics.comparison.check import differences, refusal
from hueval_metrics.comparison.measures import check_metrics, measures
from hueval_metrics.comparison.options import USUAL, CompareOptions
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.runs.run import Run


def repeated_scores(runs: Sequence[Run], options: CompareOptions = USUAL) -> list[RepeatedMetric]:
    """The spread of each metric over runs of one model that differ only in the random sampling of its answers.

    Args:
        runs: two or more.
        options: its metrics, and the differences between the runs that it accepts.

    Raises:
        InputError: fewer than two runs, a metric that no task has, a calibrated one, runs that differ in settings, or
            no score.
    """
    if len(runs) < 2:
        raise InputError(f"{runs[0].path if runs else '--repeats'}: one run shows no spread. Name two or more")
    tasks = list(dict.fromkeys(task for run in runs for task in run.tasks))
    check_metrics(options.metrics, tasks)
    if calibrated := [metric for metric in options.metrics if metric.endswith(CALIBRATED)]:
        raise InputError(f'--metric "{calibrated[0]}": --repeats has the judge\'s scores only. Leave out {CALIBRATED}')
    found = []
    for task in tasks:
        having = [run for run in runs if task in run.tasks]
        for first, second in combinations(having, 2):
            differing = differences(first.result(task).signature, second.result(task).signature)
            if reason := refusal(differing, options.despite):
                names = f"{one_line(first.label)} and {one_line(second.label)}"
                raise InputError(f"{task}: {names} are no repeats of one another: {reason}")
        for name, metric in measures(task, options.metrics).items():
            values = [run.tasks[task].scores.get(name) for run in having]
            scores = [value for value in values if value is not None]
            if scores:
                n_without = len(runs) - len(scores)
                found.append(RepeatedMetric(task, name, metric.unit == "%", repeated(scores), n_without))
    if not found:
        raise InputError(f"{', '.join(str(run.path) for run in runs)}: no scores to repeat")
    return found


def repeated(scores: Sequence[float]) -> Repeats:
    """The spread of the scores of k runs that differ only in the random sampling of answers.

    Args:
        scores: one a run, at least one, in any unit.

    >>> repeated([60.0, 62.0, 64.0])
    Repeats(k=3, mean=62.0, sd=2.0, standard_error=1.1547005383792517, minimum=60.0, maximum=64.0)
    """
    values = np.asarray(scores, dtype=float)
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    error = None if sd is None else sd / math.sqrt(len(values))
    return Repeats(len(values), float(values.mean()), sd, error, float(values.min()), float(values.max()))


@dataclass(frozen=True, slots=True)
class Repeats:
    """The scores of several runs of one model.

    It does not cover other questions: the interval over items does.

    Attributes:
        k: how many runs.
        mean: of their scores.
        sd: standard deviation (k - 1); None with one run.
        standard_error: of the mean; None with one run.
        minimum, maximum: of the scores.
    """

    k: int
    mean: float
    sd: float | None
    standard_error: float | None
    minimum: float
    maximum: float


@dataclass(frozen=True)
class RepeatedMetric:
    """One metric of several runs of one model.

    Attributes:
        task, metric: their names.
        is_percent: whether the unit is percent; otherwise the metric is a fraction.
        spread: mean, standard deviation and range.
        n_without: number of runs without this score.
    """

    task: str
    metric: str
    is_percent: bool
    spread: Repeats
    n_without: int
