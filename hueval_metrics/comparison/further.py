"""Further scores that runs are compared by, beside those of their results: what a feature brings to a comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hueval_metrics.comparison.results import LeftOut, MetricComparison
from hueval_metrics.errors import HuevalError
from hueval_metrics.features import features, warn
from hueval_metrics.registry import resolve
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.table import TaskItems

T = TypeVar("T")
Pairs = Callable[[Sequence[object]], list[tuple[int, int]]]  # of some runs the indices of those that are compared


@dataclass(frozen=True)
class Joined:
    """The runs of a task that further scores make comparable.

    Attributes:
        labels: of the runs, for which another judge is no reason to say that they are not comparable.
        notes: remarks on the task, one sentence each without a full stop.
    """

    labels: Sequence[str] = ()
    notes: Sequence[str] = ()


class FurtherScores(Protocol):
    """The further scores of one comparison, as `features.Feature.comparison` names their class.

    Args:
        metrics: the metrics that the user named; none for the headlines.
        despite: kinds of difference between runs (`check.KINDS`) to ignore.
    """

    def __init__(self, metrics: Sequence[str], despite: Collection[str]) -> None: ...

    def join(self, task: str, runs: Sequence[tuple[Run, TaskItems]]) -> Joined:
        """Take in the runs that have a task, with its items; it is called once a task."""

    def n_tests(self, pairs: Pairs) -> int:
        """How many tests `compare` makes at most."""

    def compare(self, pairs: Pairs, permutations: int) -> tuple[list[MetricComparison], list[LeftOut]]:
        """Compare all runs: the comparisons, not yet corrected for their number, and what is left out."""


def further_scores(metrics: Sequence[str], despite: Collection[str]) -> Further:
    """Those of all features; one that cannot be had is left out with a warning."""
    found: list[tuple[str, FurtherScores]] = []
    for feature in features():
        if feature.comparison is not None:
            try:
                found.append((feature.where, resolve(feature.comparison)(metrics, despite)))
            except Exception as error:  # whatever its modules raise, the comparison goes on
                warn(feature.where, error)
    return Further(found)


class Further:
    """The further scores of one comparison together; a feature that raises is left out from there on, with a warning.

    Args:
        scores: each with the declaration of its feature.
    """

    def __init__(self, scores: Sequence[tuple[str, FurtherScores]]) -> None:
        self._scores = list(scores)

    def join(self, task: str, runs: Sequence[tuple[Run, TaskItems]]) -> Joined:
        """See `FurtherScores.join`."""
        found = self._of_each(lambda one: one.join(task, runs))
        return Joined([label for one in found for label in one.labels], [note for one in found for note in one.notes])

    def n_tests(self, pairs: Pairs) -> int:
        """See `FurtherScores.n_tests`."""
        return sum(self._of_each(lambda one: one.n_tests(pairs)))

    def compare(self, pairs: Pairs, permutations: int) -> tuple[list[MetricComparison], list[LeftOut]]:
        """See `FurtherScores.compare`."""
        compared: list[MetricComparison] = []
        left_out: list[LeftOut] = []
        for found, refused in self._of_each(lambda one: one.compare(pairs, permutations)):
            compared += found
            left_out += refused
        return compared, left_out

    def _of_each(self, call: Callable[[FurtherScores], T]) -> list[T]:
        found = []
        for where, one in list(self._scores):
            try:
                found.append(call(one))
            except HuevalError:  # for the user, as everywhere
                raise
            except Exception as error:  # whatever a feature raises, the comparison goes on
                warn(where, error)
                self._scores.remove((where, one))
        return found
