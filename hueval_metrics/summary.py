"""What a family declares of numbers over several of its tasks, such as an average over languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hueval_metrics.metric import Better, Numbers


def mean(parts: Numbers) -> Numbers:
    """The mean of the parts of a summary: shape (..., parts) → (...)."""
    return np.asarray(parts.mean(axis=-1))


@dataclass(frozen=True)
class Part:
    """One number of a summary.

    Attributes:
        metric: the name of a metric.
        tasks: the task that it is of. Of several it is the metric over the items of all of them, as of one task.
        settings: key of `--metadata` → value with which the tasks were run, where the summary is over several runs of a
            model; no keys for the tasks' own settings. None where all parts are of one run, however that was set.
    """

    metric: str
    tasks: tuple[str, ...]
    settings: Mapping[str, str | int] | None = None


def parts_of(*terms: tuple[str, str]) -> tuple[Part, ...]:
    """A part for each (task, metric)."""
    return tuple(Part(metric, (task,)) for task, metric in terms)


@dataclass(frozen=True)
class Summary:
    """A number over several tasks, with an interval from joint draws of all of them.

    Attributes:
        name: of the number, in files and options; no metric of the family has it.
        title: heading of its column.
        parts: what it is made of, in order.
        combine: the parts' values, shape (..., parts) → the summary, shape (...).
        better: which end is the better one; None where neither is, as of a gap.
        in_overview: whether it is a column of the overview.
        by_task: whether the items of each task are drawn by themselves. Otherwise clusters of the same name in several
            tasks, such as a question in two languages, are drawn together.
        titles: language → the heading on a page in that language, where it differs from `title`.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    combine: Callable[[Numbers], Numbers] = mean
    better: Better | None = "higher"
    in_overview: bool = True
    by_task: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """(task, metric) of everything that it is made of, each once."""
        return tuple(dict.fromkeys((task, part.metric) for part in self.parts for task in part.tasks))

    @property
    def is_pooled(self) -> bool:
        """Whether it is one metric over the items of several tasks, as of one task, so that it can stand for them."""
        return self.combine is mean and len(self.parts) == 1 and len(self.parts[0].tasks) > 1

    @property
    def is_of_one_run(self) -> bool:
        """Whether one run has all its parts."""
        return all(part.settings is None for part in self.parts)
