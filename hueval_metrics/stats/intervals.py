"""Intervals of the metrics of a task over independent clusters (a question with its blanks, a proverb's two orders).

One yes or no a cluster gets Wilson's interval (Wilson 1927). Any other ratio gets a bootstrap over clusters, corrected
for bias and skewness (BCa: Efron 1987) and opened by half a cluster (`_opened`). The expected calibration error gets
the inversion of a test (`stats.calibration`). How often each holds the true value: README.md beside this; which hold it
too rarely: `coverage_note`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hueval_metrics.metrics.calibration import BINS
from hueval_metrics.metrics.terms import Statistic
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED, collapsed, resampled_sums
from hueval_metrics.stats.calibration import error_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

Method = Literal["bca", "percentile"]
Note = Literal["unequal_clusters", "few_answers"]
Table = tuple[Statistic, "Numbers"]  # a metric's statistic and its `Statistic.matrix`

LEVEL = 0.95
MANY = 5000  # clusters; from here on resampling errs more by chance than the normal distribution by its shape
FEW_CLUSTERS = 100  # simulated: with fewer, very unequal ones, 87 to 94 % of the intervals hold the true value
FEW_ANSWERS = 500  # of a calibration error: 81 to 94 % for a model that is sure of itself, and right to be so
UNEQUAL = 0.75  # of the number of clusters; the questions of the benchmark count as 0.84 to 0.90 of theirs
_NORMAL = NormalDist()  # the standard library's: two points do not pay for the import of scipy
_SAME = 1e-12  # differences of values up to 100 that are rounding alone


def wilson(successes: float, trials: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927), as fractions; `trials` is at least 1.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    z2 = _normal_point(level) ** 2
    share = successes / trials
    centre = share + z2 / (2 * trials)
    margin = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    low, high = ((centre + sign * margin) / (1 + z2 / trials) for sign in (-1, 1))
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)


def interval(statistic: Statistic, rows: Numbers, **options: Any) -> Interval | None:
    """The interval of one metric; options and result as for `intervals`."""
    return intervals({"": (statistic, rows)}, **options)[""]


def intervals(
    tables: Mapping[str, Table],
    *,
    counts: Sequence[int] | Integers | None = None,
    strata: Sequence[Hashable] | None = None,
    method: Method = "bca",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Interval | None]:
    """The intervals of all metrics of a task, from the same resamples.

    Args:
        tables: metric → its statistic and its rows, a row for each cluster, the same clusters for all metrics.
        counts: how many clusters each row stands for, where those that are alike share one; None for one each.
        strata: for each row the stratum that it is resampled within, such as its dimension; None for one stratum.
        method: how the resamples of a ratio become its interval.
        level: the share of intervals that hold the true value.
        resamples: how many.
        seed: of the random numbers. The same clusters give the same intervals in whatever order they come.

    Returns:
        Metric → its interval in the metric's own unit; None where no cluster has a value.
    """
    settings = _Settings(method, level, resamples, seed)
    found: dict[str, Interval | None] = {}
    unsettled: dict[str, Table] = {}
    for metric, (statistic, rows) in tables.items():
        times = np.ones(len(rows), dtype=np.intp) if counts is None else np.asarray(counts, dtype=np.intp)
        given = statistic.applies(rows)
        found[metric] = _closed(statistic, rows[given], times[given], level) if given.any() else None
        if given.any() and found[metric] is None:
            unsettled[metric] = statistic, rows
    if unsettled:
        names = [str(stratum) for stratum in strata or [""] * len(times)]
        codes = np.unique(names, return_inverse=True)[1]
        settle = _bootstrapped if times.sum() <= MANY else _linearised
        found |= settle(unsettled, times, codes, settings)
    return found


def coverage_note(statistic: Statistic, rows: Numbers, counts: Sequence[int] | Integers | None = None) -> Note | None:
    """Why the interval of a metric holds the true value in fewer than 93 % of samples; None where nothing is known.

    Clusters of unequal size tell as much as (Σw)²/Σw² equal ones (effective sample size: Kish 1965, Survey Sampling,
    §8.2): two long questions may decide the score, and resamples do not show what a third one would.

    Args:
        statistic: of the metric.
        rows: its `Statistic.matrix`, a row for each cluster.
        counts: how many clusters each row stands for; None for one each.

    Returns:
        `few_answers`: a calibration error of fewer than `FEW_ANSWERS` answers; `unequal_clusters`: they count as
        fewer than `FEW_CLUSTERS` equal ones, and as less than `UNEQUAL` of their own number.

    >>> from hueval_metrics.metrics.aggregate import pooled_percent
    >>> from hueval_metrics.metrics.terms import statistic
    >>> coverage_note(statistic(pooled_percent), np.array([[1.0, 2.0], [2.0, 3.0], [5.0, 40.0]]))
    'unequal_clusters'
    """
    times = np.ones(len(rows)) if counts is None else np.asarray(counts, dtype=float)
    given = statistic.applies(rows)
    rows, times = rows[given], times[given]
    n = float(times.sum())
    if not statistic.is_ratio:
        return "few_answers" if 0 < n < FEW_ANSWERS else None
    sizes = rows[:, 1]
    effective = float(times @ sizes) ** 2 / float(times @ sizes**2) if n else 0.0
    return "unequal_clusters" if effective < min(FEW_CLUSTERS, UNEQUAL * n) else None


def _closed(statistic: Statistic, rows: Numbers, times: Integers, level: float) -> Interval | None:
    """The interval of yes-or-no clusters, and of clusters that are all alike; None where others must show the spread.

    Alike clusters have no spread, and yet the next one may differ: the share of those that do is, with Wilson, at most
    that of 0 successes in so many trials, and they may lie anywhere from 0 to 1. All right or all wrong is the
    special case.
    """
    n = float(times.sum())
    if not statistic.is_ratio:
        if (rows != rows[0]).any():
            return None
        others, gap = wilson(0, n, level)[1], float(np.abs(rows[0, :BINS]).max())
        # An answer that turns out the other way moves the gap towards 0 and beyond.
        return Interval(max(0.0, gap - others), max(gap, others - gap), "wilson")
    ratios = rows[:, 0] / rows[:, 1]
    if (rows[:, 1] == 1).all() and np.isin(ratios, (0, 1)).all():
        ends = wilson(float(rows[:, 0] @ times), n, level)
    elif np.ptp(ratios) <= _SAME:
        ratio, others = float(ratios[0]), wilson(0, n, level)[1]
        ends = ratio * (1 - others), max(ratio, ratio + (1 - ratio) * others)
    else:
        return None
    return _in_unit(statistic, *ends, "wilson")


def _bootstrapped(
    tables: Mapping[str, Table], times: Integers, codes: Integers, settings: _Settings
) -> dict[str, Interval | None]:
    """Intervals from one set of resamples; the clusters are sorted first, so that their order does not matter."""
    stacked = np.repeat(np.column_stack([codes, *(rows for _, rows in tables.values())]), times, axis=0)
    stacked = stacked[np.lexsort(stacked.T[::-1])]
    strata, stacked = collapsed(stacked[:, 0].tolist()), stacked[:, 1:]
    sums = resampled_sums(stacked, strata=strata.tolist(), resamples=settings.resamples, seed=settings.seed)
    found: dict[str, Interval | None] = {}
    start = 0
    for metric, (statistic, _) in tables.items():
        columns = slice(start, start + statistic.width)
        find = _ratio_interval if statistic.is_ratio else _error_interval
        found[metric] = find(statistic, stacked[:, columns], sums[:, columns], strata, settings)
        start = columns.stop
    hidden = {metric: tables[metric] for metric, interval in found.items() if interval is None}
    if hidden and codes.any():  # alike within each stratum, but not over all
        found |= _bootstrapped(hidden, times, np.zeros_like(codes), settings)
    return found


def _ratio_interval(
    statistic: Statistic, rows: Numbers, sums: Numbers, strata: Integers, settings: _Settings
) -> Interval | None:
    """The interval between two quantiles of the resampled values; None when they show no spread."""
    resampled = statistic.of(sums)
    resampled = resampled[~np.isnan(resampled)]
    if np.ptp(resampled) <= _SAME:
        return None
    points = np.array([-1, 1]) * _normal_point(settings.level)
    if settings.method == "bca":
        # Efron & Tibshirani 1993, formulas 14.10, 14.14 and 14.15; over strata: Davison & Hinkley 1997, ch. 5.
        beyond = resampled - float(statistic.of(rows.sum(axis=0)))
        below = (np.count_nonzero(beyond < -_SAME) + np.count_nonzero(beyond <= _SAME)) / 2
        bias = _NORMAL.inv_cdf(min(max(below / len(beyond), 1 / len(beyond)), 1 - 1 / len(beyond)))
        influences = _influences(statistic, rows, np.ones(len(rows)), strata)
        acceleration = (influences**3).sum() / (6 * (influences**2).sum() ** 1.5)
        points = bias + (bias + points) / np.maximum(1 - acceleration * (bias + points), _SAME)
    low, high = np.quantile(resampled, [_NORMAL.cdf(point) for point in points])
    return _opened(statistic, low, high, float(statistic.applies(rows).sum()), settings.method)


def _error_interval(
    statistic: Statistic, rows: Numbers, sums: Numbers, strata: Integers, settings: _Settings
) -> Interval | None:
    """The interval of the calibration error; None when its resamples show no spread."""
    total = rows.sum(axis=0)
    gaps = total[:BINS] / total[BINS:].sum()
    sums = sums[sums[:, BINS:].any(axis=1)]
    deviations = sums[:, :BINS] / sums[:, BINS:].sum(axis=1, keepdims=True) - gaps
    if np.ptp(deviations, axis=0).max() <= _SAME:
        return None
    ends = error_interval(gaps, deviations, settings.level)
    return _opened(statistic, *ends, float(statistic.applies(rows).sum()), "inversion")


def _linearised(
    tables: Mapping[str, Table], times: Integers, codes: Integers, settings: _Settings
) -> dict[str, Interval | None]:
    """The normal interval from the jackknife's variance; the error's gaps are drawn from a normal distribution."""
    found: dict[str, Interval | None] = {}
    for metric, (statistic, rows) in tables.items():
        total = times @ rows
        n = float(times[statistic.applies(rows)].sum())
        if statistic.is_ratio:
            value = float(statistic.of(total))
            variance = float(times @ _influences(statistic, rows, times, codes) ** 2)
            margin = _normal_point(settings.level) * math.sqrt(variance)
            found[metric] = _opened(statistic, value - margin, value + margin, n, "normal")
        else:
            size = total[BINS:].sum()
            gaps = total[:BINS] / size
            each = (rows[:, :BINS] - rows[:, BINS:].sum(axis=1, keepdims=True) * gaps) / size
            draws = np.random.default_rng(settings.seed)
            deviations = draws.multivariate_normal(
                np.zeros(BINS), (each.T * times) @ each, settings.resamples, method="eigh"
            )
            ends = error_interval(gaps, deviations, settings.level)
            found[metric] = _opened(statistic, *ends, n, "inversion")
    return found


def _opened(statistic: Statistic, low: float, high: float, n: float, method: str) -> Interval:
    """The interval with half a cluster more, all wrong at its lower end and all right at its upper one.

    This is to a bootstrap what the correction for continuity, 1/(2n), is to a share (Newcombe 1998, Statistics in
    Medicine 17): where few clusters differ from the others, resamples do not show how far the next one may.
    """
    low, high = ((end - statistic.offset) / statistic.scale for end in (low, high))
    return _in_unit(statistic, n * low / (n + 0.5), max(high, (n * high + 0.5) / (n + 0.5)), method)


def _in_unit(statistic: Statistic, low: float, high: float, method: str) -> Interval:
    """The interval of a ratio as that of the metric."""
    low, high = (float(statistic.scale * end + statistic.offset) for end in (low, high))
    return Interval(low, high, method)


def _influences(statistic: Statistic, rows: Numbers, times: Numbers | Integers, codes: Integers) -> Numbers:
    """How far each row moves the metric, by the jackknife, against the mean of its stratum."""
    total = times @ rows
    moved = statistic.of(total) - statistic.of(total - rows)
    means = np.bincount(codes, times * moved) / np.maximum(np.bincount(codes, times), 1)
    return moved - means[codes]


def _normal_point(level: float) -> float:
    return _NORMAL.inv_cdf(0.5 + level / 2)


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a metric.

    Attributes:
        low: its lower end, in the metric's own unit.
        high: its upper end.
        method: `wilson`, `bca`, `percentile`, `normal` (more than `MANY` clusters) or `inversion`.
    """

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class _Settings:
    method: Method
    level: float
    resamples: int
    seed: int
