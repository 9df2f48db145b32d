"""The calibrated scores in a comparison of runs: beside the judge's, and where the runs have different judges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hueval_metrics.comparison.further import Joined, Pairs
from hueval_metrics.comparison.measures import ALL, measures
from hueval_metrics.comparison.results import LeftOut, MetricComparison
from hueval_metrics.judges.comparison.calibrated import compare_calibrated
from hueval_metrics.judges.comparison.runs import Files, RatedRuns, rated_runs
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.table import TaskItems


class CalibratedScores:
    """See `comparison.further.FurtherScores`."""

    def __init__(self, metrics: Sequence[str], despite: Collection[str]) -> None:
        self._metrics, self._despite = metrics, despite
        self._files = Files()
        self._rated: list[RatedRuns] = []

    def join(self, task: str, runs: Sequence[tuple[Run, TaskItems]]) -> Joined:
        """Take in the runs of a task that are calibrated, or that the reference judged."""
        wanted = measures(task, [metric.removesuffix(CALIBRATED) for metric in self._metrics])
        rated = rated_runs(task, runs, wanted, self._files, self._despite)
        if rated is None:
            return Joined()
        self._rated.append(rated)
        return Joined(rated.labels, tuple(rated.notes))

    def n_tests(self, pairs: Pairs) -> int:
        """One for each pair of runs and metric."""
        return sum(len(pairs(one.runs)) * len(one.metrics) for one in self._rated)

    def compare(self, pairs: Pairs, permutations: int) -> tuple[list[MetricComparison], list[LeftOut]]:
        """Compare the runs by their calibrated scores."""
        compared: list[MetricComparison] = []
        left_out: list[LeftOut] = []
        is_fault = tuple(self._metrics) != (ALL,)  # of all metrics some have no calibrated form
        for one in self._rated:
            found, refused = compare_calibrated(
                one.task, one.metrics, one.runs, pairs(one.runs), permutations=permutations
            )
            compared += found
            left_out += [*one.left_out, *(replace(each, is_fault=is_fault) for each in refused)]
        return compared, left_out
