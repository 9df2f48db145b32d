"""Intervals of the metrics of a task over independent clusters, such as a question with its blanks.

One yes or no a cluster has Wilson's interval (Wilson 1927). Any other ratio has a bootstrap interval over clusters,
corrected for bias and skewness (BCa: Efron 1987) and widened by half a cluster (`opened`). The expected calibration
error has an inverted test (`stats.confidence`). Measured coverage: README.md in this folder; which intervals cover
too little: `coverage_note`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED, collapsed, resampled_sums
from hueval_metrics.stats.confidence import error_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

Note = Literal["unequal_clusters", "few_answers"]
Table = tuple[Metric, "Numbers"]  # a metric and its `Metric.rows`

MANY = 5000  # clusters; above, the random error of resampling exceeds that of the normal approximation
FEW_CLUSTERS = 100  # simulated: with fewer, very unequal ones, intervals cover 87 to 94 %
FEW_ANSWERS = 500  # of a calibration error: coverage of 81 to 94 % for a confident model that is mostly right
UNEQUAL = 0.75  # of the number of clusters; simulated questions of a real benchmark have 0.84 to 0.90
_NORMAL = NormalDist()  # the standard library's: importing scipy for it would cost a second
_Z = _NORMAL.inv_cdf(0.975)  # all intervals are of 95 %
_SAME = 1e-12  # differences of values up to 100 that are rounding errors


class Scaled(Protocol):
    """What has the ends of its scale, as a metric has."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper end."""


def wilson(successes: float, trials: float) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share (Wilson 1927), as fractions; `trials` is at least 1.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    z2 = _Z**2
    share = successes / trials
    centre = share + z2 / (2 * trials)
    margin = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    low, high = ((centre + sign * margin) / (1 + z2 / trials) for sign in (-1, 1))
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)


def interval(metric: Metric, rows: Numbers, **options: Any) -> Interval | None:
    """The interval of one metric; options and result as for `intervals`."""
    return intervals({"": (metric, rows)}, **options)[""]


def intervals(
    tables: Mapping[str, Table],
    *,
    counts: Sequence[int] | Integers | None = None,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Interval | None]:
    """The intervals of all metrics of a task, from the same resamples.

    Args:
        tables: name → metric and its rows, a row for each cluster, the same clusters for all metrics.
        counts: how many equal clusters each row represents; None for one each.
        strata: the stratum of each row, such as its dimension; None for one stratum.
        resamples: number of resamples.
        seed: of the random number generator. The intervals do not depend on the order of the clusters.

    Returns:
        Name → the interval in the metric's own unit; None where no cluster has a value.
    """
    found: dict[str, Interval | None] = {}
    unsettled: dict[str, Table] = {}
    for name, (metric, rows) in tables.items():
        times = np.ones(len(rows), dtype=np.intp) if counts is None else np.asarray(counts, dtype=np.intp)
        given = metric.applies(rows)
        found[name] = _closed(metric, rows[given], times[given]) if given.any() else None
        if given.any() and found[name] is None:
            unsettled[name] = metric, rows
    if unsettled:
        names = [str(stratum) for stratum in strata or [""] * len(times)]
        codes = np.unique(names, return_inverse=True)[1]
        settle = _bootstrapped if times.sum() <= MANY else _linearised
        found |= settle(unsettled, times, codes, resamples, seed)
    return found


def coverage_note(metric: Metric, rows: Numbers, counts: Sequence[int] | Integers | None = None) -> Note | None:
    """Why the interval of a metric has a coverage below 93 %; None where no reason is known.

    Clusters of unequal size have an effective sample size of (Σw)²/Σw² (Kish 1965, Survey Sampling, §8.2): two long
    questions may decide the score, and resamples do not show what a third one would change.

    Args:
        metric: the metric.
        rows: its `Metric.rows`, a row for each cluster.
        counts: how many equal clusters each row represents; None for one each.

    Returns:
        `few_answers`: a calibration error of fewer than `FEW_ANSWERS` answers; `unequal_clusters`: the effective sample
        size is below `FEW_CLUSTERS` and below `UNEQUAL` times the number of clusters.

    >>> from hueval_metrics.metrics.basic import POOLED
    >>> coverage_note(POOLED, np.array([[1.0, 2.0], [2.0, 3.0], [5.0, 40.0]]))
    'unequal_clusters'
    """
    times = np.ones(len(rows)) if counts is None else np.asarray(counts, dtype=float)
    given = metric.applies(rows)
    rows, times = rows[given], times[given]
    n = float(times.sum())
    if metric.is_error:
        return "few_answers" if 0 < n < FEW_ANSWERS else None
    sizes = metric.size(rows)
    effective = float(times @ sizes) ** 2 / float(times @ sizes**2) if n else 0.0
    return "unequal_clusters" if effective < min(FEW_CLUSTERS, UNEQUAL * n) else None


def _closed(metric: Metric, rows: Numbers, times: Integers) -> Interval | None:
    """The interval of yes-or-no clusters, and of clusters with one and the same value; None for any others.

    Equal clusters show no spread, but the next one may differ: by Wilson, the share of those that differ is at most the
    upper limit for 0 successes in n trials, and they may lie anywhere from 0 to 1. All right or all wrong is a special
    case.
    """
    n = float(times.sum())
    if metric.is_error:
        if (rows != rows[0]).any():
            return None
        others, gap = wilson(0, n)[1], float(np.abs(rows[0, : rows.shape[1] // 2]).max())
        # An answer with the other outcome moves the gap towards 0 and beyond.
        return Interval(max(0.0, gap - others), max(gap, others - gap), "wilson")
    if not metric.is_mean:
        return None
    ratios = metric.share(rows)
    if (metric.size(rows) == 1).all() and np.isin(ratios, (0, 1)).all():
        ends = wilson(float(ratios @ times), n)
    elif np.ptp(ratios) <= _SAME:
        return alike_interval(metric, float(ratios[0]), n)
    else:
        return None
    return _in_unit(metric, *ends, "wilson")


def alike_interval(metric: Scaled, share: float, n: float) -> Interval:
    """The interval of n clusters without spread, all at this share of the scale."""
    others = wilson(0, n)[1]
    return _in_unit(metric, share * (1 - others), max(share, share + (1 - share) * others), "wilson")


def _bootstrapped(
    tables: Mapping[str, Table], times: Integers, codes: Integers, resamples: int, seed: int
) -> dict[str, Interval | None]:
    """Intervals from one set of resamples. The clusters are sorted first, so that their order has no effect."""
    stacked = np.repeat(np.column_stack([codes, *(rows for _, rows in tables.values())]), times, axis=0)
    stacked = stacked[np.lexsort(stacked.T[::-1])]
    strata, stacked = collapsed(stacked[:, 0].tolist()), stacked[:, 1:]
    sums = resampled_sums(stacked, strata=strata.tolist(), resamples=resamples, seed=seed)
    found: dict[str, Interval | None] = {}
    start = 0
    for name, (metric, _) in tables.items():
        columns = slice(start, start + metric.width)
        find = _error_interval if metric.is_error else _value_interval
        found[name] = find(metric, stacked[:, columns], sums[:, columns], strata)
        start = columns.stop
    hidden = {name: tables[name] for name, interval in found.items() if interval is None}
    if hidden and codes.any():  # equal within each stratum, but not over all
        return found | _bootstrapped(hidden, times, np.zeros_like(codes), resamples, seed)
    for name, (metric, rows) in hidden.items():  # a perfect confusion matrix: clusters differ, resamples do not
        share = float(metric.share(times @ rows))
        if not (metric.is_error or np.isnan(share)):
            found[name] = alike_interval(metric, share, float(times[metric.applies(rows)].sum()))
    return found


def _value_interval(metric: Metric, rows: Numbers, sums: Numbers, strata: Integers) -> Interval | None:
    """The interval between two quantiles of the resampled values (BCa); None when they show no spread.

    Efron & Tibshirani 1993, formulas 14.10, 14.14 and 14.15; over strata: Davison & Hinkley 1997, ch. 5.
    """
    resampled = metric.compute(sums)
    influences = partial(_influences, metric, rows, np.ones(len(rows)), strata)
    ends = bca_ends(float(metric.compute(rows.sum(axis=0))), resampled[~np.isnan(resampled)], influences)
    return None if ends is None else opened(metric, *ends, float(metric.applies(rows).sum()), "bca")


def bca_ends(value: float, resampled: Numbers, influences: Callable[[], Numbers]) -> tuple[float, float] | None:
    """The two quantiles of resampled values, corrected for bias and skewness; None where they show no spread.

    Args:
        value: of the items as they are.
        resampled: the values of the resamples, none undefined.
        influences: gives the influence of each cluster, minus the mean of its stratum.
    """
    if not len(resampled) or np.ptp(resampled) <= _SAME:
        return None
    beyond = resampled - value
    below = (np.count_nonzero(beyond < -_SAME) + np.count_nonzero(beyond <= _SAME)) / 2
    bias = _NORMAL.inv_cdf(min(max(below / len(beyond), 1 / len(beyond)), 1 - 1 / len(beyond)))
    found = influences()
    spread = (found**2).sum() ** 1.5
    acceleration = (found**3).sum() / (6 * spread) if spread else 0.0
    points = np.array([-1, 1]) * _Z
    points = bias + (bias + points) / np.maximum(1 - acceleration * (bias + points), _SAME)
    low, high = np.quantile(resampled, [_NORMAL.cdf(point) for point in points])
    return float(low), float(high)


def _error_interval(metric: Metric, rows: Numbers, sums: Numbers, strata: Integers) -> Interval | None:
    """The interval of the calibration error; None when its resamples show no spread."""
    total, bins = rows.sum(axis=0), rows.shape[1] // 2
    gaps = total[:bins] / total[bins:].sum()
    sums = sums[sums[:, bins:].any(axis=1)]
    deviations = sums[:, :bins] / sums[:, bins:].sum(axis=1, keepdims=True) - gaps
    if np.ptp(deviations, axis=0).max() <= _SAME:
        return None
    ends = error_interval(gaps, deviations)
    return opened(metric, *ends, float(metric.applies(rows).sum()), "inversion")


def _linearised(
    tables: Mapping[str, Table], times: Integers, codes: Integers, resamples: int, seed: int
) -> dict[str, Interval | None]:
    """The normal interval from the jackknife's variance; the error's gaps are drawn from a normal distribution."""
    found: dict[str, Interval | None] = {}
    for name, (metric, rows) in tables.items():
        total = times @ rows
        n = float(times[metric.applies(rows)].sum())
        if not metric.is_error:
            value = float(metric.compute(total))
            variance = float(times @ _influences(metric, rows, times, codes) ** 2)
            margin = _Z * math.sqrt(variance)
            found[name] = opened(metric, value - margin, value + margin, n, "normal")
        else:
            bins = len(total) // 2
            size = total[bins:].sum()
            gaps = total[:bins] / size
            each = (rows[:, :bins] - rows[:, bins:].sum(axis=1, keepdims=True) * gaps) / size
            draws = np.random.default_rng(seed)
            deviations = draws.multivariate_normal(np.zeros(bins), (each.T * times) @ each, resamples, method="eigh")
            ends = error_interval(gaps, deviations)
            found[name] = opened(metric, *ends, n, "inversion")
    return found


def opened(metric: Scaled, low: float, high: float, n: float, method: str) -> Interval:
    """The interval with half a cluster added, all wrong at its lower end and all right at its upper one.

    It corresponds to the continuity correction of a proportion, 1/(2n) (Newcombe 1998, Statistics in Medicine 17):
    where few clusters differ from the others, resamples do not show how much the next one may differ.
    """
    least, most = metric.bounds
    low, high = ((end - least) / (most - least) for end in (low, high))
    return _in_unit(metric, n * low / (n + 0.5), max(high, (n * high + 0.5) / (n + 0.5)), method)


def _in_unit(metric: Scaled, low: float, high: float, method: str) -> Interval:
    """An interval on the scale from 0 to 1, converted to the metric's unit."""
    least, most = metric.bounds
    low, high = (float((most - least) * end + least) for end in (low, high))
    return Interval(low, high, method)


def _influences(metric: Metric, rows: Numbers, times: Numbers | Integers, codes: Integers) -> Numbers:
    """The jackknife influence of each row on the metric, minus the mean of its stratum."""
    total = times @ rows
    return centred(np.nan_to_num(metric.compute(total) - metric.compute(total - rows)), codes, times)


def centred(influences: Numbers, codes: Integers, times: Numbers | Integers) -> Numbers:
    """Influences minus the mean of their stratum.

    Args:
        influences: of each cluster, shape (clusters,).
        codes: the code of each one's stratum.
        times: how often each one counts.
    """
    means = np.bincount(codes, times * influences) / np.maximum(np.bincount(codes, times), 1)
    return influences - means[codes]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a metric.

    Attributes:
        low: its lower end, in the metric's own unit.
        high: its upper end.
        method: `wilson`, `bca`, `normal` (more than `MANY` clusters), `inversion`, or `crossed` (`stats.crossed`).
    """

    low: float
    high: float
    method: str
