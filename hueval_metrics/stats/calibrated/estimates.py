"""Points and intervals of calibrated metrics, of several runs from the same resamples of clusters.

The interval of an estimate from a run's own items is that of any other metric (BCa: `stats.intervals`), widened by half
a rated cluster. The inverted confusion matrix has a percentile interval instead, with a random pseudo-count in each
cell of each resample's matrix: near a share of 0 or 1 BCa follows the jackknife out of the scale, and where an error is
rare, resamples do not show that it may be more frequent (measured: README.md in stats).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hueval_metrics.declare import Metric, total
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED, collapsed, resampled_sums
from hueval_metrics.stats.calibrated.means import MEAN_WIDTH
from hueval_metrics.stats.calibrated.tables import Method, Tables
from hueval_metrics.stats.intervals import Interval, alike_interval, value_interval
from hueval_metrics.stats.joint import percentile_ci95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

Key = TypeVar("Key", bound=Hashable)


def calibrated_estimates(
    runs: Mapping[Key, Tables], *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[Key, dict[str, Estimate]]:
    """The calibrated metrics of some runs with their intervals.

    The clusters, of the runs and of the calibration, are resampled jointly, within strata: the interval has the error
    of the judged items, of the calibration, and of what both share.

    Args:
        runs: key → the tables of one task, all over the same clusters.
        resamples: number of resamples.
        seed: of the random number generator.

    Returns:
        Key → name → estimate; without the metrics that are undefined. Those of a run do not depend on the other runs.
    """
    drawn = calibrated_sums(runs, resamples=resamples, seed=seed)
    strata = collapsed(next((list(run.clusters.values()) for run in runs.values()), []))
    found: dict[Key, dict[str, Estimate]] = {key: {} for key in runs}
    fixed: dict[tuple[int, int], Numbers] = {}
    for key, run in runs.items():
        for name, (metric, rows) in run.tables.items():
            value = metric.of(total(rows))
            if value is not None:
                sums = drawn[key][name]
                ends = calibrated_interval(metric, rows, sums, strata, run.methods[name])
                place = id(rows), id(sums)
                if place not in fixed:
                    fixed[place] = _with_fixed_run(rows, sums)
                share = _calibration_share(metric.compute(sums), metric.compute(fixed[place]))
                found[key][name] = Estimate(
                    float(value), ends.low, ends.high, ends.method, run.methods[name], run.n[name], share
                )
    return found


def calibrated_sums(
    runs: Mapping[Key, Tables], *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[Key, dict[str, Numbers]]:
    """The sums of each resample: `metric.compute` of them are the draws of a calibrated metric.

    The runs share the resamples of clusters and the pseudo-counts of the confusion matrix, so that the error of a
    calibration that two runs share cancels out in the difference of their draws.

    Args:
        runs: key → the tables of one task, all over the same clusters.
        resamples: number of resamples.
        seed: of the random number generator.

    Returns:
        Key → name → sums, shape (resamples, k); metrics of the same rows and method share the array.
    """
    arrays = {id(rows): rows for run in runs.values() for _, rows in run.tables.values()}
    if not arrays:
        return {key: {} for key in runs}
    strata = list(next(iter(runs.values())).clusters.values())
    sums = resampled_sums(np.column_stack([*arrays.values()]), strata=strata, resamples=resamples, seed=seed)
    ends = np.cumsum([rows.shape[1] for rows in arrays.values()])[:-1]
    drawn = dict(zip(arrays, np.split(sums, ends, axis=1), strict=True))
    inverted = {
        place: with_pseudo_counts(drawn[place], arrays[place], seed)
        for place in {
            id(run.tables[name][1])
            for run in runs.values()
            for name, method in run.methods.items()
            if method == "rogan-gladen"
        }
    }
    return {
        key: {
            name: (inverted if run.methods[name] == "rogan-gladen" else drawn)[id(rows)]
            for name, (_, rows) in run.tables.items()
        }
        for key, run in runs.items()
    }


def with_pseudo_counts(sums: Numbers, rows: Numbers, seed: int = SEED) -> Numbers:
    """The sums of `shares` with a random pseudo-count in each cell of the confusion matrix.

    A resampled count of items has about the distribution of a gamma variable with this shape. With another of shape
    1/K added, a row has about that of the posterior shares under a Dirichlet prior of 1/K a label (Perks 1947), and an
    error that was never seen is not certain never to occur.

    Args:
        sums: of each resample, shape (resamples, K + K²).
        rows: of each cluster, shape (clusters, K + K²); the pseudo-counts have the mean weight of an item.
        seed: of the random number generator.

    Returns:
        Shape (resamples, K + K²).
    """
    k = _n_labels(rows)
    weights = rows[:, k:]
    unit = float((weights**2).sum() / weights.sum())
    pseudo = np.random.default_rng([seed, 1]).gamma(1 / k, unit, (len(sums), k * k))
    return np.column_stack([sums[:, :k], sums[:, k:] + pseudo])


def calibrated_interval(metric: Metric, rows: Numbers, sums: Numbers, strata: Integers, method: Method) -> Interval:
    """The interval of one calibrated metric.

    Args:
        metric: the metric; it has a value.
        rows: of each cluster.
        sums: of each resample (`calibrated_sums`).
        strata: the code of each cluster's stratum.
        method: of the correction.
    """
    value, n = float(metric.compute(total(rows))), int(metric.applies(rows).sum())
    if method == "ppi++":
        found = value_interval(metric, rows, sums, strata)
    else:
        ends = percentile_ci95(metric.compute(sums), n)
        found = ends and Interval(min(ends[0], value), max(ends[1], value), "percentile")
        if ends is None and np.isnan(metric.compute(sums)).any():  # resamples that fit no correction allow any score
            found = Interval(*metric.bounds, "percentile")
    return found or alike_interval(metric, float(metric.share(total(rows))), n)


def _n_labels(rows: Numbers) -> int:
    """K of rows of K + K² numbers."""
    return (math.isqrt(1 + 4 * rows.shape[1]) - 1) // 2


def _with_fixed_run(rows: Numbers, sums: Numbers) -> Numbers:
    """The sums of resamples in which only the ratings vary, and the judged items of the run stay as they are."""
    run = 2 if rows.shape[1] == MEAN_WIDTH else _n_labels(rows)
    return np.column_stack([np.broadcast_to(rows[:, :run].sum(axis=0), (len(sums), run)), sums[:, run:]])


def _calibration_share(draws: Numbers, of_ratings: Numbers) -> float:
    variance = float(np.nanvar(draws))
    return min(float(np.nanvar(of_ratings)) / variance, 1.0) if variance else 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A calibrated metric.

    Attributes:
        value: in the metric's unit.
        low, high: its 95 % interval.
        interval: the interval's method: `bca`, `percentile`, or `wilson` where resamples show no spread.
        method: how it was corrected.
        n: how many items that both rated it rests on.
        calibration_share: the part of the variance that more ratings by the reference would reduce, from 0 to 1.
    """

    value: float
    low: float
    high: float
    interval: str
    method: Method
    n: int
    calibration_share: float
