"""Which metrics of a task are compared, and how they are read: their statistic, their unit, their better end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hueval_metrics.metrics.terms import Statistic, statistic
from hueval_metrics.records import InputError
from hueval_metrics.text.dimensions import DIMENSIONS
from lm_eval_tasks.catalog import TaskSpec, task_spec

Better = Literal["higher", "lower"]

ALL = "all"
_BESIDE_FIRST = ("question_acc",)  # the paper's Table 5 has both accuracies of the fill-in-the-blank tasks
_SIGNED = ("position_bias",)  # neither end is the better one: 0 is


def measures(task: str, wanted: Sequence[str] = ()) -> list[Measure]:
    """The metrics of a task to compare, in the order of its YAML.

    Args:
        task: the task's name.
        wanted: names of metrics, those that the task has not are passed over; `ALL` alone for every one, but those of
            a dimension; empty for the headline, which stands first in the YAML (two of fill-in-the-blank tasks).

    Raises:
        InputError: there is no such task.
    """
    spec = task_spec(task)
    found = [_measure(metric, spec, counted) for metric, counted in _statistics(spec).items()]
    if tuple(wanted) == (ALL,):
        return [measure for measure in found if not measure.is_of_dimension]
    names = wanted or (found[0].metric, *_BESIDE_FIRST)
    return [measure for measure in found if measure.metric in names]


def check_metrics(wanted: Sequence[str], tasks: Sequence[str]) -> None:
    """See that each metric asked for is one of some task.

    Raises:
        InputError: it is of none, with those that there are; or there is no such task.
    """
    known = dict.fromkeys(metric for task in tasks for metric in _statistics(task_spec(task)))
    for metric in wanted:
        if metric not in (*known, ALL):
            raise InputError(f'--metric "{metric}": no such metric. The tasks have {", ".join(known)}')


def _statistics(spec: TaskSpec) -> dict[str, Statistic]:
    """Metric → statistic, of all that are more than a count."""
    found = {metric: statistic(aggregation) for metric, aggregation in spec.aggregations.items()}
    return {metric: counted for metric, counted in found.items() if counted is not None}


def _measure(metric: str, spec: TaskSpec, counted: Statistic) -> Measure:
    entry = next(entry for entry in spec.config["metric_list"] if entry["metric"] == metric)
    better: Better | None = "higher" if entry["higher_is_better"] else "lower"
    return Measure(metric, counted, counted.scale != 1, None if metric in _SIGNED else better)


@dataclass(frozen=True)
class Measure:
    """One metric of a task.

    Attributes:
        metric: its name.
        statistic: what it is computed with.
        is_percent: whether its unit is percent; else it runs from 0 to 1.
        better: which end of its scale is the better one; None where neither is.
    """

    metric: str
    statistic: Statistic
    is_percent: bool
    better: Better | None

    @property
    def is_of_dimension(self) -> bool:
        """Whether it is another metric within one dimension: `correct_l`."""
        return self.metric.rpartition("_")[2] in DIMENSIONS
