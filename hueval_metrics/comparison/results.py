"""The results of a comparison, as frozen records: task, metric, pair of runs, dimension.

Labels and reasons come from foreign files: escape them before printing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hueval_metrics.metric import Better
from hueval_metrics.scoring.flags import Flag
from hueval_metrics.stats.contrasts import Contrast, SizeTrend
from hueval_metrics.stats.ranks import RankInterval

ALPHA = 0.05
TRANSPORTED = "transported, no test"  # of a score that is corrected by the judge's errors on other runs
_MOST_ALIKE = 3  # tasks that are left out for like reasons, each reported by itself

Interval = tuple[float, float]


@dataclass(frozen=True)
class Score:
    """One run's score in a metric, over the items compared.

    Attributes:
        label: of the run.
        value: in the metric's unit; None where it is undefined.
        ci95: None where resampling shows no spread.
        rank: with its interval; None without a score, and where neither end of the scale is better.
        covers_too_little: whether the interval has too low a coverage (`stats.intervals.coverage_note`).
    """

    label: str
    value: float | None
    ci95: Interval | None
    rank: RankInterval | None
    covers_too_little: bool = False


@dataclass(frozen=True)
class NonInferiority:
    """Whether one run is shown to be not worse than another by more than a margin.

    Attributes:
        label, other: the run, and the one that it is compared with.
        at_worst: the largest loss within the interval; negative where the run is better over the whole interval.
        is_shown: whether that is below the margin.
    """

    label: str
    other: str
    at_worst: float
    is_shown: bool


@dataclass(frozen=True)
class Pair:
    """Two runs over the same items.

    Attributes:
        first, second: their labels.
        dimension: code of the items' dimension; None for all items.
        n: number of clusters.
        scores: of the first and the second, in the metric's unit; None where undefined.
        difference: the first score minus the second; None where either is undefined.
        ci95: its 95 % interval; None where resampling shows no spread.
        p: two-sided, not corrected; None where undefined.
        p_holm: p after Holm's correction over all tests over all items, or over all tests within dimensions.
        test: the test that p is from.
        leader: the label of the better run (of the higher score where neither end of the scale is better); None where
            the corrected p is 0.05 or more, or the interval contains 0.
        effect, effect_name: an effect size, independent of the number of items; None where undefined.
        resolvable: the smallest difference that as many items detect in 80 % of the cases; None where unknown.
        not_worse: for a margin, the first compared with the second, and the second with the first.
    """

    first: str
    second: str
    dimension: str | None
    n: int
    scores: tuple[float | None, ...]
    difference: float | None = None
    ci95: Interval | None = None
    p: float | None = None
    p_holm: float | None = None
    test: str = ""
    leader: str | None = None
    effect_name: str = ""
    effect: float | None = None
    resolvable: float | None = None
    not_worse: tuple[NonInferiority, ...] = ()


@dataclass(frozen=True)
class Groups:
    """Comparisons of groups of models in one metric, by their model cards (`stats.contrasts`).

    Attributes:
        reasoning: each reasoning model against its base.
        size: each model against the next smaller one of its series.
        openness: the open models against the closed ones; None without one of either.
        trend: score against number of parameters; None with fewer than three models of known size.
    """

    reasoning: tuple[Contrast, ...]
    size: tuple[Contrast, ...]
    openness: Contrast | None
    trend: SizeTrend | None


@dataclass(frozen=True)
class MetricComparison:
    """One metric of one task.

    Attributes:
        task, metric: their names.
        is_percent: whether the unit is percent, so that differences are points; otherwise the metric is a fraction.
        better: the better end of the scale; None where neither is.
        n: number of clusters to which it applies, for any of the runs.
        scores: one a run, in the order given.
        pairs: the runs compared, two by two.
        dimensions: the same within each dimension, in the order of the dimensions.
        groups: None without model cards.
    """

    task: str
    metric: str
    is_percent: bool
    better: Better | None
    n: int
    scores: tuple[Score, ...]
    pairs: tuple[Pair, ...]
    dimensions: tuple[Pair, ...] = ()
    groups: Groups | None = None


@dataclass(frozen=True)
class BenchmarkPair:
    """Two runs over all tasks of a benchmark that both have, by the stratified paired permutation test.

    Attributes:
        family: the benchmark's name.
        first, second: the labels of the runs.
        n_tasks: tasks that are tested together, by one metric each.
        n_ahead, n_behind: tasks in which the first has the better, and the worse score; in the others they are equal.
        n: number of clusters.
        statistic: the sum of the tasks' standardised differences; above 0 where the first is better.
        p: two-sided, not corrected.
        p_holm: after Holm's correction over the pairs of runs of the benchmark.
        leader: the label of the better run; None where the corrected p is 0.05 or more.
    """

    family: str
    first: str
    second: str
    n_tasks: int
    n_ahead: int
    n_behind: int
    n: int
    statistic: float
    p: float
    p_holm: float | None = None
    leader: str | None = None


@dataclass(frozen=True)
class LeftOut:
    """A task, or one run of it, that is not compared.

    Attributes:
        task: the task.
        label: the run; None for all runs.
        reason: one clause.
        is_fault: whether the user can fix or decide something; False if the run just does not have the task.
    """

    task: str
    label: str | None
    reason: str
    is_fault: bool


def grouped(left_out: Iterable[LeftOut]) -> Iterator[tuple[LeftOut, str]]:
    """What is left out, with how many more tasks of the run one stands for that are so for like reasons."""
    alike: dict[tuple[str | None, str], list[LeftOut]] = {}
    for one in left_out:
        alike.setdefault((one.label, _kind(one.reason)), []).append(one)
    for some in alike.values():
        if len(some) > _MOST_ALIKE:
            example = max(some, key=lambda one: len(one.reason))  # the one that names the most differences
            yield example, f" and {len(some) - 1} more tasks"
        else:
            yield from ((one, "") for one in some)


def _kind(reason: str) -> str:
    """A reason without what differs from task to task: the values of the first difference, and the others.

    >>> _kind("against a (b): different question language (ar against en), items (1 only in a (b))")
    'against a (b): different question language'
    """
    before, different, differences = reason.partition(": different ")
    return f"{before}{different}{differences.partition(' (')[0]}"


@dataclass(frozen=True)
class FlagOf:
    """A flag, with the label of the run and the task that has it."""

    label: str
    task: str
    flag: Flag


@dataclass(frozen=True)
class Comparison:
    """Everything compared.

    Attributes:
        labels: the runs in the order given.
        metrics: the comparisons, task by task.
        left_out: tasks and runs that were not compared.
        notes: task → remarks on the comparison, one sentence each without a full stop.
        faults: lines on files and rows that could not be read.
        n_tests: number of tests over all items, corrected together.
        n_dimension_tests: number of tests within dimensions, corrected together.
        margin: of non-inferiority, in points; None without one.
        benchmarks: the runs over all tasks of a benchmark together, two by two.
        flags: the doubts about their scores.
    """

    labels: tuple[str, ...]
    metrics: tuple[MetricComparison, ...]
    left_out: tuple[LeftOut, ...]
    notes: Mapping[str, tuple[str, ...]]
    faults: tuple[str, ...]
    n_tests: int
    n_dimension_tests: int
    margin: float | None = None
    benchmarks: tuple[BenchmarkPair, ...] = ()
    flags: tuple[FlagOf, ...] = ()

    @property
    def has_faults(self) -> bool:
        """Whether something could not be read, or not be compared, that should have been."""
        return bool(self.faults) or any(one.is_fault for one in self.left_out)
