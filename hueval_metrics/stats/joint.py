"""Joint resampling of several models over the same items, so that their differences and ranks stay paired.

One draw of items serves all models and all metrics (Koehn 2004, for two systems over one test set): an item that is
hard for all models is in a resample of all of them, or of none.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED, collapsed, resampled_sums
from hueval_metrics.stats.intervals import centred

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_TAIL = 0.025
_UNDEFINED_SHARE = 0.05  # of the resamples; with more, the defined ones are not representative
_ROUNDING = 1e-12  # relative width below which an interval is a rounding error


def joint_scores(
    labels: Sequence[str],
    metrics: Mapping[str, MetricTerms],
    *,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, JointScores]:
    """The scores of several models in each metric of one task, and in each resample of its items.

    Args:
        labels: the models, each once.
        metrics: name → terms of these models, in their order, all over the same clusters; at least one cluster.
        strata: the stratum of each cluster (`bootstrap.resampled_sums`).
        resamples: number of resamples.
        seed: of the random number generator.

    Returns:
        An entry for each metric.
    """
    if not metrics:
        return {}
    columns = np.concatenate([metric.columns for metric in metrics.values()], axis=1)
    sums = resampled_sums(columns, strata=strata, resamples=resamples, seed=seed)
    ends = np.cumsum([metric.columns.shape[1] for metric in metrics.values()])[:-1]
    found = {}
    for (name, metric), own in zip(metrics.items(), np.split(sums, ends, axis=1), strict=True):
        models, _, k = metric.terms.shape
        draws = metric.metric.compute(own.reshape(resamples, models, k))
        found[name] = JointScores(tuple(labels), metric.metric.compute(metric.terms.sum(axis=1)), draws, metric.n)
    return found


def normal_draws(
    terms: MetricTerms, strata: Sequence[Hashable], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Numbers:
    """Scores of several models as resamples of many clusters would show them, from the normal distribution.

    Args:
        terms: of many clusters (`intervals.MANY`): resampling them takes seconds, and is no more exact.
        strata: the stratum of each cluster.
        resamples: number of draws.
        seed: of the random number generator.

    Returns:
        Shape (resamples, models).
    """
    totals = terms.terms.sum(axis=1)
    values = terms.metric.compute(totals)
    left = values[:, None] - terms.metric.compute(totals[:, None] - terms.terms)
    codes, n = collapsed(strata), np.ones(terms.terms.shape[1])
    influences = np.stack([centred(np.nan_to_num(own), codes, n) for own in left])
    draws = np.random.default_rng(seed)
    return draws.multivariate_normal(values, influences @ influences.T, resamples, method="eigh")


def percentile_ci95(draws: Numbers, n: int | None = None) -> tuple[float, float] | None:
    """The 95 % percentile interval of resampled values (Efron & Tibshirani 1993, ch. 13).

    Args:
        draws: shape (resamples,); NaN where the value is undefined in a resample.
        n: clusters that were resampled, to widen the interval for few of them: the variance of resamples is too small
            by (n - 1) / n, and the normal distribution too narrow (Hesterberg 2015, The American Statistician 69).
            None for many.

    Returns:
        (low, high); None where more than 5 % are undefined, and where resampling shows no spread.

    >>> percentile_ci95(np.arange(1001.0))
    (25.0, 975.0)
    >>> [round(end) for end in percentile_ci95(np.arange(1001.0), n=20)]
    [16, 984]
    """
    defined = draws[np.isfinite(draws)]
    if len(defined) < (1 - _UNDEFINED_SHARE) * len(draws) or not len(defined):
        return None
    tail = _TAIL
    if n is not None and n > 1:
        from scipy.special import ndtr, stdtrit

        tail = float(ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, _TAIL)))
    low, high = (float(end) for end in np.quantile(defined, [tail, 1 - tail]))
    return (low, high) if high - low > _ROUNDING * max(1.0, abs(high)) else None


@dataclass(frozen=True, eq=False, slots=True)
class MetricTerms:
    """One metric of several models over the same clusters.

    Attributes:
        terms: shape (models, clusters, k); `metric.Metric.rows` of each model, over the same clusters.
        metric: the metric.
    """

    terms: Numbers
    metric: Metric

    @property
    def columns(self) -> Numbers:
        """The terms with a row for each cluster; shape (clusters, models × k)."""
        return self.terms.transpose(1, 0, 2).reshape(self.terms.shape[1], -1)

    @property
    def n(self) -> int:
        """Clusters to which the metric applies, for any of the models."""
        return int(self.terms.any(axis=(0, 2)).sum())


@dataclass(frozen=True, eq=False, slots=True)
class JointScores:
    """One metric of several models.

    Attributes:
        labels: the models, each once.
        values: their scores in the metric's unit, shape (models,); NaN where undefined.
        draws: their scores in each resample of the items, shape (resamples, models).
        n: clusters that were resampled; None for many (`percentile_ci95`).
    """

    labels: tuple[str, ...]
    values: Numbers
    draws: Numbers
    n: int | None = None
