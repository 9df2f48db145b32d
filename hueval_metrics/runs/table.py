"""The items of a run as columns: who was asked what, and the value of each metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.records import InputError
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.items import OnFault, Row, item_key, item_rows
from hueval_metrics.runs.run import Key, Run
from hueval_metrics.text.one_line import one_line


@dataclass
class TaskItems:
    """The items of one task of one run, in the order of the file; all columns are equally long.

    Attributes:
        task: the task's name.
        label: what the run is called. Clean it before printing.
        signature: what the scores depend on; empty when unknown.
        keys: what names each item.
        clusters: what each item is resampled with.
        dimensions: code of its stratum; None where there is none.
        values: metric → its value as the task's `process_results` returned it; None where it does not apply.
        n_without_values: how many rows were passed over because they have no values, as older versions wrote them.
    """

    task: str
    label: str
    signature: str = ""
    keys: list[Key] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    dimensions: list[str | None] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)
    n_without_values: int = 0

    def add(self, row: Row) -> None:
        """Take in a row of `items.jsonl`."""
        values, key = row.get("values"), item_key(self.task, row)
        if not isinstance(values, Mapping) or key is None:
            self.n_without_values += 1
            return
        dimension, cluster = row.get("dimension"), declared(self.task).cluster if self.task in known_tasks() else "qid"
        self.keys.append(key)
        self.clusters.append(str(row.get(cluster, key[0])))
        self.dimensions.append(dimension if isinstance(dimension, str) else None)
        for metric in values.keys() - self.values.keys():
            self.values[metric] = [None] * (len(self.keys) - 1)
        for metric, column in self.values.items():
            column.append(values.get(metric))


def run_items(run: Run, on_fault: OnFault | None = None) -> dict[str, TaskItems]:
    """Task → its items, of all tasks of a run, in one pass over its files.

    Args:
        run: the run.
        on_fault: see `item_rows`.

    Returns:
        An entry for each task that the run has scores of; empty columns where no rows could be read.

    Raises:
        InputError, DataError: see `item_rows`.
    """
    found = {task: TaskItems(task, run.label, run.result(task).signature) for task in run.tasks}
    for row in item_rows(run, None, on_fault):
        found[row["task"]].add(row)
    return found


def task_items(run: Run, task: str) -> TaskItems:
    """The items of one task of a run.

    Raises:
        InputError: the run has no such task; see also `item_rows`.
    """
    if task not in run.tasks:
        raise InputError(f"{run.path}: no scores of {task}. It has {', '.join(map(one_line, run.tasks))}")
    found = TaskItems(task, run.label, run.result(task).signature)
    for row in item_rows(run, task):
        found.add(row)
    return found
