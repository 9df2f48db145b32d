"""Which metrics of a task are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hueval_metrics import registry
from hueval_metrics.declare import Family, Task
from hueval_metrics.errors import OptionError
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.confidence import ConfidenceSettings
from hueval_metrics.registry import CALIBRATED, declared, known_tasks
from hueval_metrics.summary import Summary

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
    found = _compared(declared(task), beside=bool(wanted))
    if tuple(wanted) == (ALL,):
        found = _compared(declared(task))
        return {name: metric for name, metric in found.items() if metric.stratum is None}
    names = wanted or declared(task).main or tuple(declared(task).headline)
    return {name: metric for name, metric in found.items() if name in names}


def summaries(family: Family, wanted: Sequence[str] = ()) -> list[Summary]:
    """The numbers over several tasks to compare, in the order of the declaration.

    Args:
        family: the family.
        wanted: as for `measures`; empty for the columns of the overview.
    """
    if tuple(wanted) == (ALL,):
        return list(family.summaries)
    return [one for one in family.summaries if (one.name in wanted if wanted else one.in_overview)]


def pooled_tasks(family: Family) -> set[str]:
    """The tasks that a column of the overview stands for, a metric over the items of all of them."""
    return {task for one in family.summaries if one.is_pooled and one.in_overview for task in one.parts[0].tasks}


def check_metrics(wanted: Sequence[str], tasks: Sequence[str]) -> None:
    """Check that each metric asked for belongs to some task, or is a number over several.

    Raises:
        InputError: a metric belongs to none, with a list of the metrics; or there is no such task.
    """
    known = dict.fromkeys(name for task in tasks for name in _compared(declared(task), beside=True))
    known |= dict.fromkeys(one.name for task in tasks for one in known_tasks()[task].summaries)
    for metric in wanted:
        if metric != ALL and metric.removesuffix(CALIBRATED) not in known:
            listed = ", ".join(known)
            raise OptionError(f'metrics "{metric}": no such metric. The tasks have {listed}', flag="--metric")


def as_scored(
    metrics: Mapping[str, Metric], labels: Sequence[str], settings: Sequence[ConfidenceSettings]
) -> tuple[dict[str, Metric], str | None]:
    """The metrics by which runs were scored.

    Args:
        metrics: as declared.
        labels: of the runs.
        settings: of each run those of its calibration errors.

    Returns:
        The metrics, calibration errors only where the settings are all the same, and why there are none otherwise.
    """
    errors = [name for name, metric in metrics.items() if metric.is_error]
    if not errors or len(set(settings)) < 2:
        return dict(settings[0].metrics(metrics) if settings else metrics), None
    listed = ", ".join(f"{label} {one}" for label, one in zip(labels, settings, strict=True))
    fix = "Score them with the same --ece-bins, --ece-edges and --ece-attempted"
    kept = {name: metric for name, metric in metrics.items() if name not in errors}
    return kept, f"different bins of calibration errors ({listed}), so {', '.join(errors)} not compared. {fix}"


def _compared(task: Task, *, beside: bool = False) -> dict[str, Metric]:
    """The metrics that are not counts; with those beside the strict ones, which are compared only by name."""
    given = registry.compared(task) if beside else task.metrics
    return {name: metric for name, metric in given.items() if metric.is_sampled}
