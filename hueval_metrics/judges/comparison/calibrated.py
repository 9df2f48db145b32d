"""Compare the calibrated scores of runs in one task: those that a common reference would have given.

A run counts with its calibration; one that the reference itself judged counts as one whose answers are all rated by it.
All runs share one resample of clusters, those of calibrations among them: what two runs take from one calibration errs
alike in both, and cancels out of their difference as far as it does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.comparison.results import TRANSPORTED, Interval, LeftOut, MetricComparison, Pair, Score
from hueval_metrics.judges.stats.estimates import calibrated_estimates, calibrated_note, calibrated_sums
from hueval_metrics.judges.stats.items import LEAST_RATED, RatedItem, clusters_of
from hueval_metrics.judges.stats.tables import Labels, Tables, calibrated_tables
from hueval_metrics.metric import Metric, total
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.stats.intervals import Table
from hueval_metrics.stats.joint import JointScores, percentile_ci95
from hueval_metrics.stats.paired import PERMUTATION
from hueval_metrics.stats.permutation import PERMUTATIONS, sampled_p, signed_sums
from hueval_metrics.stats.power import smallest_difference
from hueval_metrics.stats.ranks import RankInterval, rank_intervals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FEW_IN_COMMON = f"fewer than {LEAST_RATED} items rated in both, no test"
_SAME = 1e-9  # scores this close are equal
_ROUNDING = 1e-9  # relative; differences this close are ties


def compare_calibrated(
    task: str,
    metrics: Mapping[str, Metric],
    runs: Sequence[RatedRun],
    pairs: Sequence[tuple[int, int]],
    *,
    permutations: int = PERMUTATIONS,
) -> tuple[list[MetricComparison], list[LeftOut]]:
    """Compare runs in the calibrated metrics of one task; the p-values are not yet corrected, and leaders not yet set.

    Args:
        task: the task's name.
        metrics: name → the metric of the verdicts.
        runs: over the same items.
        pairs: indices of two runs each.
        permutations: of a test.

    Returns:
        A comparison for each metric that two runs have, under the name `<metric>_calibrated`; and why a run has none.
    """
    pools = [run.pool for run in runs if run.pool is not None]
    clusters = clusters_of(*(run.items for run in runs), *pools)
    tables = [calibrated_tables(metrics, run.items, clusters, labels=run.labels, pool=run.pool) for run in runs]
    left_out = [
        LeftOut(task, run.label, f"{', '.join(names)}: {reason}", True)
        for run, own in zip(runs, tables, strict=True)
        for reason, names in _by_reason(own).items()
    ]
    scores = _joint([run.label for run in runs], metrics, tables)
    tests = {
        (name, pair): _contributions([tables[place].tables[name] for place in pair], runs[pair[0]], clusters)
        for name in scores
        for pair in pairs
        if all(name in tables[place].tables for place in pair) and _why_no_test(runs, pair, metrics[name]) is None
    }
    p_values = dict(zip(tests, _p_values(list(tests.values()), permutations), strict=True))
    intervals = _intervals(runs, tables, scores)
    found = []
    for name, own in scores.items():
        having = [place for place in range(len(runs)) if name in tables[place].tables]
        metric = metrics[name]
        compared = [
            _pair(pair, runs, metric, own, p_values.get((name, pair))) for pair in pairs if set(pair) <= set(having)
        ]
        if compared:
            n = len(set.union(*(runs[place].judged(metric.stratum) for place in having)))
            ends = [intervals[place].get(name) for place in having]
            is_narrow = [calibrated_note(tables[place], name) is not None for place in having]
            listed = _scores(metric, own, having, ends, is_narrow)
            is_percent, pairs_of = metric.unit == "%", tuple(compared)
            found.append(MetricComparison(task, name + CALIBRATED, is_percent, metric.better, n, listed, pairs_of))
    return found, left_out


def _by_reason(tables: Tables) -> dict[str, list[str]]:
    """Why a run has no calibrated score → of which metrics."""
    found: dict[str, list[str]] = {}
    for name, reason in tables.refused.items():
        found.setdefault(reason, []).append(name + CALIBRATED)
    return found


def _joint(labels: Sequence[str], metrics: Mapping[str, Metric], tables: Sequence[Tables]) -> dict[str, JointScores]:
    """The scores of all runs in each metric that any has, and in shared resamples; NaN for a run without it."""
    drawn = calibrated_sums(dict(enumerate(tables)))
    found = {}
    for name in metrics:
        having = [place for place, own in enumerate(tables) if name in own.tables]
        draws = {place: tables[place].tables[name][0].compute(drawn[place][name]) for place in having}
        if not draws:
            continue
        values, columns = np.full(len(tables), np.nan), np.full((len(draws[having[0]]), len(tables)), np.nan)
        for place in having:
            metric, rows = tables[place].tables[name]
            values[place], columns[:, place] = metric.compute(total(rows)), draws[place]
        found[name] = JointScores(tuple(labels), values, columns)
    return found


def _why_no_test(runs: Sequence[RatedRun], pair: tuple[int, int], metric: Metric) -> str | None:
    """Why the difference of two runs in a metric has no test; None where it has one."""
    first, second = (runs[place] for place in pair)
    if first.pool is not None or second.pool is not None:
        return TRANSPORTED
    common = first.rated(metric.stratum) & second.rated(metric.stratum)
    return None if len(common) >= LEAST_RATED else FEW_IN_COMMON


def _contributions(tables: Sequence[Table], run: RatedRun, clusters: Mapping[str, str]) -> Numbers:
    """What each cluster adds to the difference of two runs; shape (clusters,), their sum is the difference.

    A calibrated score is no mean of its clusters. Its jackknife influences are what a mean would have: the rated
    clusters move it more than the others, and each run's do so by the number of its own ratings.
    """
    values, influences = [], []
    for metric, rows in tables:
        sums = total(rows)
        values.append(float(metric.compute(sums)))
        influences.append(np.nan_to_num(values[-1] - metric.compute(sums - rows)))
    differences = np.asarray(influences[0] - influences[1])
    counted = run.judged(tables[0][0].stratum)
    shares = np.array([cluster in counted for cluster in clusters]) / len(counted)
    return np.asarray(differences + (values[0] - values[1] - differences.sum()) * shares)


def _p_values(contributions: Sequence[Numbers], permutations: int) -> list[float | None]:
    """The two-sided p-value of each difference, by a random sign before the contribution of each cluster.

    This is the paired permutation test (`stats.permutation`) of the clusters' contributions: swapping two runs in a
    cluster turns its sign. Runs may have different judges and numbers of ratings, which swapped answers would mix: of
    two simulated runs, with 100 and 400 ratings of 400 items, swaps found a difference where there was none in 18 % of
    the cases at a level of 5 %, and signs in 4 %.

    Returns:
        Above 0, at most 1; None where a difference is undefined.
    """
    if not contributions:
        return []
    columns = np.stack(contributions, axis=1)
    observed = np.abs(columns.sum(axis=0))
    least = observed - _ROUNDING * np.maximum(1.0, observed)
    extreme = np.zeros(columns.shape[1], dtype=int)
    for (block,) in signed_sums([np.nan_to_num(columns)], permutations=permutations):
        extreme += (np.abs(block) >= least).sum(axis=0)
    known = np.isfinite(observed)
    return [sampled_p(int(n), permutations) if is_known else None for n, is_known in zip(extreme, known, strict=True)]


def _pair(
    pair: tuple[int, int], runs: Sequence[RatedRun], metric: Metric, scores: JointScores, p: float | None
) -> Pair:
    first, second = (runs[place] for place in pair)
    values = tuple(float(value) if np.isfinite(value) else None for value in scores.values[list(pair)])
    n = len(first.judged(metric.stratum) | second.judged(metric.stratum))
    n_rated = min(len(run.rated(metric.stratum)) for run in (first, second))
    if values[0] is None or values[1] is None:
        return Pair(first.label, second.label, None, 0, values)
    draws = scores.draws[:, pair[0]] - scores.draws[:, pair[1]]
    test = _why_no_test(runs, pair, metric)
    return Pair(
        first.label,
        second.label,
        None,
        n,
        values,
        values[0] - values[1],
        percentile_ci95(draws, n_rated),
        p,
        test=test or PERMUTATION,
        resolvable=smallest_difference(float(np.nanstd(draws, ddof=1))) if test is None else None,
    )


def _intervals(
    runs: Sequence[RatedRun], tables: Sequence[Tables], scores: Mapping[str, JointScores]
) -> list[Mapping[str, Interval]]:
    """For each run metric → interval: the one in its results, if all its scores there are these; else a new one."""
    found: list[Mapping[str, Interval]] = [{} for _ in runs]
    stale = {}
    for place, (run, own) in enumerate(zip(runs, tables, strict=True)):
        values = {name: float(scores[name].values[place]) for name in own.tables}
        if all(name in run.known and math.isclose(run.known[name][0], values[name], abs_tol=_SAME) for name in values):
            found[place] = {name: run.known[name][1] for name in values}
        else:
            stale[place] = own
    for place, estimates in calibrated_estimates(stale).items():
        found[place] = {name: (one.low, one.high) for name, one in estimates.items()}
    return found


def _scores(
    metric: Metric,
    scores: JointScores,
    having: Sequence[int],
    intervals: Sequence[Interval | None],
    is_narrow: Sequence[bool],
) -> tuple[Score, ...]:
    """The scores of the runs that have the metric, with the ranks among them."""
    own = JointScores(tuple(scores.labels[place] for place in having), scores.values[having], scores.draws[:, having])
    ranks: Sequence[RankInterval | None] = [None] * len(having)
    if metric.better is not None:
        ranks = rank_intervals(own, higher_is_better=metric.better == "higher")
    return tuple(
        Score(label, float(value) if np.isfinite(value) else None, ends, rank, narrow)
        for label, value, ends, rank, narrow in zip(own.labels, own.values, intervals, ranks, is_narrow, strict=True)
    )


@dataclass(frozen=True)
class RatedRun:
    """A run with a calibration, or one that the reference judged.

    Attributes:
        label: of the run.
        items: those that the judge rated. If the reference judged them, both ratings are its.
        pool: the items that both rated, where they are of other runs; None for own ones among `items`.
        labels: each label of the rubric → metric → the value of an item with it; None where ratings are scores.
        known: metric → calibrated score and its interval in the run's results; of one that the reference judged the
            judge's own.
    """

    label: str
    items: Sequence[RatedItem]
    pool: Sequence[RatedItem] | None = None
    labels: Labels | None = None
    known: Mapping[str, tuple[float, Interval]] = field(default_factory=dict)

    def judged(self, stratum: str | None) -> set[str]:
        """The clusters with items that the judge rated, of one stratum or of all."""
        return {item.cluster for item in self.items if stratum in (None, item.stratum)}

    def rated(self, stratum: str | None) -> set[str]:
        """The clusters with items that both rated, which the calibration rests on; of one stratum only own ones."""
        given = self.items if self.pool is None else self.pool
        kept = None if self.pool is not None else stratum
        return {item.cluster for item in given if item.reference is not None and kept in (None, item.stratum)}
