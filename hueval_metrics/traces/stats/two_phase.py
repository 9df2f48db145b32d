"""Estimates from replies of which only some were drawn, more of some strata than of others, and from all of them alike.

First a benchmark has a sample of questions, then each stratum of its replies has its own sample. A weight is how many
replies one stands for. Both phases vary: what lies between the strata with the number of all replies, what lies within
them with the number drawn (two-phase sampling: Cochran 1977, Sampling Techniques, §12.2). There is no finite population
correction: the questions are a sample themselves.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]


def standard_error(residuals: Numbers, weights: Numbers, clusters: Integers, strata: Integers) -> tuple[float, int]:
    """The standard error of a weighted total of residuals, as of a ratio: numerator minus ratio times denominator.

    Replies of one cluster and stratum are one unit. A stratum with one unit has the variance of all units.

    Args:
        residuals: of each reply, shape (n,); their weighted sum is 0.
        weights: how many replies each stands for.
        clusters, strata: codes of each reply's cluster and stratum.

    Returns:
        The error, and its degrees of freedom: units minus strata, at least 1.
    """
    _, first, units = np.unique(np.stack([strata, clusters]), axis=1, return_index=True, return_inverse=True)
    units, of_unit = units.ravel(), strata[first]
    sums, sizes = np.bincount(units, weights * residuals), np.bincount(units, weights)
    found, variance = np.unique(of_unit), 0.0
    for stratum in found:
        own = of_unit == stratum
        n = int(own.sum())
        spread = sums[own] if n > 1 else sums
        variance += n * float(np.var(spread, ddof=1)) if len(spread) > 1 else 0.0
        variance += float(sums[own].sum() ** 2 / sizes[own].sum()) if len(found) > 1 else 0.0
    return math.sqrt(variance), max(1, len(sums) - len(found))


def ratio_interval(
    over: Numbers, under: Numbers, weights: Numbers, clusters: Integers, strata: Integers, *, is_share: bool
) -> tuple[float, float] | None:
    """The 95 % interval of a ratio of weighted sums.

    Args:
        over, under: numerator and denominator of each reply, shape (n,); the denominators have a sum above 0.
        weights, clusters, strata: as for `standard_error`.
        is_share: whether it lies from 0 to 1. Such a one has Wilson's interval of the effective sample size (Korn &
            Graubard 1998, Survey Methodology 24), any other Student's.

    Returns:
        (low, high); None with fewer than two clusters, and without spread of what is no share.
    """
    n = len(np.unique(clusters))
    if n < 2:
        return None
    size = float(weights @ under)
    ratio = float(weights @ over) / size
    error, freedom = standard_error(over - ratio * under, weights, clusters, strata)
    error /= size
    if is_share:
        trials = min(ratio * (1 - ratio) / error**2, float(under.sum())) if error > 0 else float(n)
        return wilson(ratio * trials, trials)
    if error <= 0:
        return None
    from scipy.special import stdtrit

    margin = float(stdtrit(freedom, 0.975)) * error
    return ratio - margin, ratio + margin


def median_interval(
    values: Numbers, weights: Numbers, clusters: Integers, strata: Integers
) -> tuple[float, float] | None:
    """The 95 % interval of a weighted median (Woodruff 1952, Journal of the American Statistical Association 47).

    The quantiles at the ends of the interval of the share of replies below the median: for equal weights and clusters
    of one reply nearly the order statistics of the binomial test.

    Returns:
        (low, high); None with fewer than two clusters.
    """
    if len(np.unique(clusters)) < 2:
        return None
    middle = weighted_quantile(values, weights, 0.5)
    below = (values < middle) + 0.5 * (values == middle) - 0.5
    below -= weights @ below / weights.sum()
    error, _ = standard_error(below, weights, clusters, strata)
    trials = min(0.25 * (weights.sum() / error) ** 2, float(len(values))) if error > 0 else float(len(values))
    low, high = wilson(trials / 2, trials)
    return weighted_quantile(values, weights, low), weighted_quantile(values, weights, high)


def weighted_quantile(values: Numbers, weights: Numbers, share: float) -> float:
    """The value below which a share of the weight lies; the mean of two where it lies between them.

    >>> weighted_quantile(np.array([1.0, 5.0, 2.0, 9.0]), np.ones(4), 0.5)
    3.5
    >>> weighted_quantile(np.array([1.0, 5.0]), np.array([3.0, 1.0]), 0.5)
    1.0
    """
    order = np.argsort(values, kind="stable")
    reached, wanted = np.cumsum(weights[order]), share * weights.sum()
    tolerance = 1e-9 * weights.sum()
    first = int(np.searchsorted(reached, wanted - tolerance))
    last = int(np.searchsorted(reached, wanted + tolerance))
    return float(values[order[min(first, len(order) - 1)]] + values[order[min(last, len(order) - 1)]]) / 2
