"""The scores of one model, task by task: what tables, comparisons, reports and exports start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hueval_metrics.declare import Summary

Key = tuple[str | int | None, ...]  # what names an item: the values of the fields that its task declares


def item_id(key: Key, between: str = "/") -> str:
    """A key as a text.

    >>> item_id(("q1", 2)), item_id(("q1", None))
    ('q1/2', 'q1')
    """
    return between.join(str(part) for part in key if part is not None)


@dataclass(frozen=True)
class JudgeUse:
    """What the verdicts of one judge took; None where the results do not say."""

    calls: int | None = None
    cached: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class TaskResult:
    """The scores of a model in one task.

    Attributes:
        scores: metric → score in its own unit; None where nothing was scored.
        source: the results file that they were read from; its items or samples lie beside it.
        intervals: metric → 95 % interval, where the file has one.
        methods: metric → how its interval was made.
        notes: metric → why its interval holds the true value too rarely (`stats.intervals.coverage_note`).
        n: items scored; 0 when unknown.
        metric_n: metric → its own n, the items or pairs that count in it, where the file has it; see `n_of`.
        missing: items without a prediction.
        signature: what the scores depend on; empty when unknown.
        judges: model id → what its verdicts took.
        agreement: how far the members of a panel agree, in percent; None without one.
        n_suspicious: responses marked as aimed at the judge; None when unknown.
        n_judge_errors: verdicts that could not be had; None when unknown.
        n_unanswered: verdicts that were asked for and did not come.
        provenance: a live run's record of its data.
        sample: whether it ran on the packaged sample instead of the benchmark.
        limit: its `--limit`; None without one.
    """

    scores: Mapping[str, float | None] = field(default_factory=dict)
    source: Path = Path()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    n: int = 0
    metric_n: Mapping[str, int] = field(default_factory=dict)
    missing: int = 0
    signature: str = ""
    judges: Mapping[str, JudgeUse] = field(default_factory=dict)
    agreement: float | None = None
    n_suspicious: int | None = None
    n_judge_errors: int | None = None
    n_unanswered: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)
    sample: bool = False
    limit: float | None = None

    def n_of(self, metric: str) -> int | None:
        """A metric's own n; the task's where its results are too old to say, None where nobody knows."""
        return self.metric_n.get(metric, self.n or None)

    def covers_too_little(self, metric: str) -> bool:
        """Whether there is an interval that holds the true value too rarely."""
        return metric in self.notes and metric in self.intervals


_NOT_RUN = TaskResult()


@dataclass(frozen=True)
class Run:
    """The scores of one model: one row of the table.

    Attributes:
        label: what the row is called. It comes from a file that anyone may have written: clean it before printing.
        path: the newest file that the run was read from.
        tasks: task → its result.
    """

    label: str
    path: Path
    tasks: Mapping[str, TaskResult] = field(default_factory=dict)

    def result(self, task: str) -> TaskResult:
        """The result of a task; an empty one where it was not run."""
        return self.tasks.get(task, _NOT_RUN)

    def score(self, task: str, metric: str) -> float | None:
        """A score; None where there is none."""
        return self.result(task).scores.get(metric)

    def summary(self, summary: Summary) -> float | None:
        """A summary of its scores; None where it lacks one of them."""
        parts = [self.score(task, metric) for task, metric in summary.terms]
        known = [part for part in parts if part is not None]
        return float(summary.combine(np.array(known))) if len(known) == len(parts) else None

    @property
    def sample(self) -> bool:
        """Whether any task ran on the packaged sample instead of the benchmark."""
        return any(result.sample for result in self.tasks.values())

    @property
    def limit(self) -> float | None:
        """The smallest `--limit` of any task; None without one."""
        return min((result.limit for result in self.tasks.values() if result.limit is not None), default=None)
