"""Which metrics of a task are compared."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.declare import Metric, Task
from hueval_metrics.records import InputError
from hueval_metrics.registry import CALIBRATED, declared

ALL = "all"


def measures(task: str, wanted: Sequence[str] = ()) -> dict[str, Metric]:
    """The metrics of a task to compare, by name, in the order of its declaration.

    Args:
        task: the task's name.
        wanted: names of metrics, others than the task's are ignored; `ALL` alone for all except those of a stratum;
            empty for the main ones (`declare.Task.main`).

    Raises:
        InputError: there is no such task.
    """
    found = _compared(declared(task))
    if tuple(wanted) == (ALL,):
        return {name: metric for name, metric in found.items() if metric.stratum is None}
    names = wanted or declared(task).main or tuple(declared(task).headline)
    return {name: metric for name, metric in found.items() if name in names}


def check_metrics(wanted: Sequence[str], tasks: Sequence[str]) -> None:
    """Check that each metric asked for belongs to some task.

    Raises:
        InputError: a metric belongs to none, with a list of the metrics; or there is no such task.
    """
    known = dict.fromkeys(name for task in tasks for name in _compared(declared(task)))
    for metric in wanted:
        if metric != ALL and metric.removesuffix(CALIBRATED) not in known:
            raise InputError(f'--metric "{metric}": no such metric. The tasks have {", ".join(known)}')


def _compared(task: Task) -> dict[str, Metric]:
    """The metrics that are not counts."""
    return {name: metric for name, metric in task.metrics.items() if metric.is_sampled}
