"""The items of a run as columns: keys, clusters, dimensions, and the values of each metric."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.metrics.confidence import ConfidenceSettings
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.items import Item, OnFault, items_of
from hueval_metrics.runs.run import Key, Run


@dataclass
class TaskItems:
    """The items of one task of one run, in the order of the file; all columns are equally long.

    Attributes:
        task: the task's name.
        label: name of the run. Clean it before printing.
        signature: what the scores depend on; empty when unknown.
        keys: of the items.
        clusters: of the items, for resampling.
        dimensions: codes of the items' strata; None without one.
        values: metric → its value as the task's `process_results` returned it; None where it does not apply, or does
            not count in the calibration errors of the run.
        n_without_values: how many items were skipped because they have no values, as older versions wrote them.
    """

    task: str
    label: str
    signature: str = ""
    keys: list[Key] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    dimensions: list[str | None] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)
    n_without_values: int = 0

    @cached_property
    def confidence(self) -> ConfidenceSettings:
        """The settings of the run's calibration errors."""
        return ConfidenceSettings.of(self.signature)

    def add(self, item: Item, only: Collection[str] | None = None) -> None:
        """Add an item; of its values only those of the metrics named, None for all."""
        if item.values is None or item.key is None:
            self.n_without_values += 1
            return
        values = item.values
        if self.confidence.attempted and self.task in known_tasks():
            values = self.confidence.values(declared(self.task).metrics, values)
        self.keys.append(item.key)
        self.clusters.append(item.cluster)
        self.dimensions.append(item.dimension)
        for metric in values.keys() - self.values.keys():
            if only is None or metric in only:
                self.values[metric] = [None] * (len(self.keys) - 1)
        for metric, column in self.values.items():
            column.append(values.get(metric))


def run_items(
    run: Run, on_fault: OnFault | None = None, seen: Callable[[Item], object] = lambda item: None
) -> dict[str, TaskItems]:
    """Task → its items, of all tasks of a run, in one pass over its files.

    Args:
        run: the run.
        on_fault: see `items_of`.
        seen: takes each item.

    Returns:
        An entry for each task that the run has scores of; empty columns where no rows could be read.

    Raises:
        InputError, DataError: see `items_of`.
    """
    found = {task: TaskItems(task, run.label, run.result(task).signature) for task in run.tasks}
    for item in items_of(run, None, on_fault):
        found[item.task].add(item)
        seen(item)
    return found


def task_items(run: Run, task: str) -> TaskItems:
    """The items of one task of a run.

    Raises:
        InputError: the run has no such task; see also `items_of`.
    """
    if task not in run.tasks:
        raise InputError(f"{run.path}: no scores of {task}. It has {', '.join(map(one_line, run.tasks))}")
    found = TaskItems(task, run.label, run.result(task).signature)
    for item in items_of(run, task):
        found.add(item)
    return found
