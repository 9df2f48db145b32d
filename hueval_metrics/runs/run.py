"""The scores of one model, by task: the input of tables, comparisons, reports and exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hueval_metrics.answers.reading import Kind
from hueval_metrics.registry import known_tasks
from hueval_metrics.scoring.flags import Flag
from hueval_metrics.summary import Summary

Key = tuple[str | int | None, ...]  # identifies an item: the values of the key fields of its task
BASELINE = "hueval-baseline"  # the model's name, with which the labels of its runs begin


def item_id(key: Key, between: str = "/") -> str:
    """A key as a text.

    >>> item_id(("q1", 2)), item_id(("q1", None))
    ('q1/2', 'q1')
    """
    return between.join(str(part) for part in key if part is not None)


def is_baseline(run: Run) -> bool:
    """Whether a run is of `--model hueval-baseline`: a ceiling or a floor to read scores against, not a competitor.

    The label is enough: it begins with the model's name in lm-eval's results and in those of `hueval score`.
    """
    return run.label.startswith(BASELINE)


@dataclass(frozen=True)
class JudgeUse:
    """The usage of one judge; None where the results do not have a number."""

    calls: int | None = None
    cached: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Flips:
    """How many verdicts changed when the same judge was asked a second time (HUEVAL_JUDGE_RECHECK).

    Attributes:
        n: verdicts that were given both times.
        flips: those of them that differ.
        ends: the 95 % interval of their share, in percent.
    """

    n: int
    flips: int
    ends: tuple[float, float]


@dataclass(frozen=True)
class Calibration:
    """What the calibrated scores of a task rest on (`hueval calibrate apply`).

    Attributes:
        judge: the rater of the run.
        reference: the rater that the scores are corrected to, a model id or `people (3 raters)`.
        n: items that both have rated.
        is_own: whether these are items of the very run. If not, the judge's errors are assumed to be the same on it.
        sha256: of the content of the calibration's file.
        warnings: one line each.
    """

    judge: str
    reference: str
    n: int
    is_own: bool
    sha256: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskResult:
    """The scores of a model in one task.

    Attributes:
        scores: metric → score in its own unit; None where nothing was scored.
        source: the results file that they were read from; its items or samples are in the same folder.
        intervals: metric → 95 % interval, where the file has one.
        methods: metric → method of its interval.
        notes: metric → why its interval covers the true value too rarely (`stats.intervals.coverage_note`).
        chance: the share that guessing gives, where that depends on the items; None otherwise, and when unknown.
        n: items scored; 0 when unknown.
        metric_n: metric → its own n, the items or pairs that it is computed from, where the file has it; see `n_of`.
        missing: items without a prediction.
        signature: what the scores depend on; empty when unknown.
        judges: model id → usage.
        agreement: agreement of the members of a panel, in percent; None without a panel.
        flips: of verdicts asked for a second time; None where none was.
        n_suspicious: responses marked as aimed at the judge; None when unknown.
        n_judge_errors: failed verdicts; None when unknown.
        n_unanswered: verdicts that were requested and not received, where asking again may bring them.
        n_without_verdict: verdicts that were requested and are missing, whatever the cause.
        provenance: a live run's record of its data.
        sample: whether it ran on the packaged sample instead of the benchmark.
        limit: its `--limit`; None without one.
        calibration: what the scores `<metric>_calibrated` rest on; None without one.
        readings: kind of reading (`answers.reading.KINDS`) → its share of the replies in percent, of the kinds that
            occur; empty where the task has no reader, and when unknown.
        other_prompts: metric → 95 % interval of its mean over prompts, had other prompts been drawn (`stats.crossed`).
        flags: the doubts about its scores.
        are_replies_counted: whether `flags` has those of single replies; not in older files (`runs.flags`).
        thinking: what was asked of the model's thinking (`scoring.thinking`); None for nothing, and when unknown.
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
    flips: Flips | None = None
    n_suspicious: int | None = None
    n_judge_errors: int | None = None
    n_unanswered: int = 0
    n_without_verdict: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)
    sample: bool = False
    limit: float | None = None
    calibration: Calibration | None = None
    chance: float | None = None
    readings: Mapping[Kind, float] = field(default_factory=dict)
    other_prompts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    are_replies_counted: bool = True
    thinking: Mapping[str, Any] | None = None

    def n_of(self, metric: str) -> int | None:
        """A metric's own n; the task's where older results lack it, None when unknown."""
        return self.metric_n.get(metric, self.n or None)

    def covers_too_little(self, metric: str) -> bool:
        """Whether there is an interval that covers the true value too rarely."""
        return metric in self.notes and metric in self.intervals


_NOT_RUN = TaskResult()


@dataclass(frozen=True)
class Run:
    """The scores of one model: one row of the table.

    Attributes:
        label: name of the row. It comes from an untrusted file: clean it before printing.
        path: the newest file that the run was read from.
        tasks: task → its result.
        averaged: the runs that its scores are the means of (`runs.facets`): several prompts, repeats; else none.
        goes_on: whether it has answered only some of its items so far.
        summaries: family → the numbers over its tasks (`summary.Summary.name` → score), where its file has them.
        model: what the model is called; the label where that is empty. Several runs of one model share it, while their
            labels differ.
        beside: lm-eval's task of another benchmark → its result, where a family shows it (`declare.Family.beside`);
            of all runs of the model.
    """

    label: str
    path: Path
    tasks: Mapping[str, TaskResult] = field(default_factory=dict)
    averaged: tuple[Run, ...] = ()
    goes_on: bool = False
    summaries: Mapping[str, TaskResult] = field(default_factory=dict)
    model: str = ""
    beside: Mapping[str, TaskResult] = field(default_factory=dict)

    def result(self, task: str) -> TaskResult:
        """The result of a task; an empty one where it was not run."""
        return self.tasks.get(task, _NOT_RUN)

    def score(self, task: str, metric: str) -> float | None:
        """A score; None where there is none."""
        return self.result(task).scores.get(metric)

    def summary(self, summary: Summary) -> float | None:
        """A summary of its scores; None if one of them is missing, or is of another run of the model.

        What is over the items of several tasks does not follow from their scores: only the run's file has it.
        """
        if not summary.is_of_one_run or any(self.score(task, metric) is None for task, metric in summary.terms):
            return None
        if any(len(part.tasks) > 1 for part in summary.parts):
            return self.summary_result(summary).scores.get(summary.name)
        parts = [self.score(part.tasks[0], part.metric) for part in summary.parts]
        return float(summary.combine(np.array(parts, dtype=float)))

    def summary_result(self, summary: Summary) -> TaskResult:
        """The numbers over the tasks of a summary's family, where the run's file has them."""
        task, _ = summary.terms[0]
        return self.summaries.get(known_tasks()[task].name, _NOT_RUN) if task in known_tasks() else _NOT_RUN

    @property
    def sample(self) -> bool:
        """Whether any task ran on the packaged sample instead of the benchmark."""
        return any(result.sample for result in self.tasks.values())

    @property
    def limit(self) -> float | None:
        """The smallest `--limit` of any task; None without one."""
        return min((result.limit for result in self.tasks.values() if result.limit is not None), default=None)
