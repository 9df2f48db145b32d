"""Agreement of a judge with humans: over the sample as drawn, and weighted to the runs.

The sample contains rare labels more often than the runs do. Unweighted numbers show how well the judge recognises each
label. How often it is wrong over the runs, and by how much it shifts the score, is shown by weighted numbers, in which
each item counts for the verdicts that it represents (Cochran 1977, Sampling Techniques, §5.3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.judges.people.sample import Stratum
from hueval_metrics.runs.scales import Scale
from hueval_metrics.stats.agreement import (
    Estimate,
    Rating,
    cohen_kappa,
    mean_difference,
    percent_agreement,
    weighted_kappa,
)
from hueval_metrics.stats.bootstrap import resampled_sums
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.stats.joint import percentile_ci95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CLOSE = 1.0  # points: scores that differ by no more count as agreeing
_ZERO = 1e-12  # smaller values are rounding errors

Pairs = Sequence[tuple[Rating, Rating]]  # the human's rating, the judge's rating


def sample_agreement(pairs: Pairs, scale: Scale) -> Agreement:
    """Agreement over the items as drawn, with the intervals of `stats.agreement`.

    >>> sample_agreement([("YES", "YES"), ("NO", "YES"), ("NO", "NO"), ("NO", "NO")], Scale(("YES", "NO"))).kappa.value
    0.5
    """
    scored: Any = pairs
    return Agreement(
        percent_agreement((True, agrees(human, judge)) for human, judge in pairs),
        cohen_kappa(pairs) if scale.is_label else weighted_kappa(scored),
        mean_difference((headline(human, scale), headline(judge, scale)) for human, judge in pairs),
    )


def run_agreement(
    pairs: Pairs, scale: Scale, strata: Sequence[Stratum], population: Mapping[Stratum, int]
) -> Agreement:
    """Agreement over the verdicts that the items represent.

    Intervals are percentile bootstraps within the judge's bands (Davison & Hinkley 1997, §3.2). Cohen's kappa of labels
    and the quadratically weighted kappa of scores are one formula here: disagreement is squared distance, with labels
    as corners of the simplex.

    Args:
        pairs: of each item.
        scale: of the ratings.
        strata: the stratum of each item.
        population: number of verdicts in each stratum.
    """
    weights = weights_of(strata, population)[:, None]
    human, judge = (_points([pair[side] for pair in pairs], scale) for side in (0, 1))
    agreed = np.array([[agrees(*pair)] for pair in pairs], float)
    moved = np.array([[headline(said, scale) - headline(true, scale)] for true, said in pairs])
    apart = ((human - judge) ** 2).sum(axis=1, keepdims=True)
    squares = (human**2 + judge**2).sum(axis=1, keepdims=True)
    columns = weights * np.hstack([np.ones_like(apart), agreed, moved, apart, squares, human, judge])
    resampled = resampled_sums(columns, strata=[stratum.whole_band for stratum in strata])
    total = columns.sum(axis=0)[None, :]
    means, draws = total / total[:, :1], resampled / resampled[:, :1]
    return Agreement(
        share_estimate(float(means[0, 1]), draws[:, 1], len(pairs), weights),
        _estimate(float(_kappas(means)[0]), _kappas(draws), len(pairs)),
        _estimate(float(means[0, 2]), draws[:, 2], len(pairs)),
    )


def weights_of(strata: Sequence[Stratum], population: Mapping[Stratum, int]) -> Numbers:
    """How many verdicts of the runs each rated item represents; shape (n,).

    The verdicts of a stratum are divided among its rated items. The verdicts of a stratum without any are divided among
    the rated items of its band.

    Args:
        strata: the stratum of each rated item.
        population: number of verdicts in each stratum.
    """
    rated = Counter(strata)
    whole: Counter[Stratum] = Counter()
    reached: Counter[Stratum] = Counter()
    for stratum, size in population.items():
        whole[stratum.whole_band] += size
        reached[stratum.whole_band] += size if stratum in rated else 0
    return np.array(
        [population[one] / rated[one] * whole[one.whole_band] / reached[one.whole_band] for one in strata], float
    )


def agrees(human: Rating, judge: Rating) -> bool:
    """Whether two ratings are the same label, or scores that differ by at most `CLOSE`."""
    if isinstance(human, str) or isinstance(judge, str):
        return human == judge
    return abs(human - judge) <= CLOSE


def headline(rating: Rating, scale: Scale) -> float:
    """The contribution of an item to the task's score: 100 or 0 for a label, otherwise the score."""
    return 100.0 * (rating == scale.values[0]) if isinstance(rating, str) else rating


def _points(ratings: Sequence[Rating], scale: Scale) -> Numbers:
    """Labels as corners of a simplex with edges of length 1, scores rescaled to 0 to 1; shape (n, k)."""
    if scale.is_label:
        return np.array([[rating == label for label in scale.values] for rating in ratings], float) / np.sqrt(2)
    low, high = float(scale.values[0]), float(scale.values[-1])
    return (np.array(ratings, float)[:, None] - low) / (high - low)


def _kappas(means: Numbers) -> Numbers:
    """Kappa from the weighted means of the columns in `run_agreement`; NaN where no disagreement is expected."""
    human, judge = np.split(means[:, 5:], 2, axis=1)
    expected = means[:, 4] - 2 * (human * judge).sum(axis=1)
    return 1 - means[:, 3] / np.where(expected > _ZERO, expected, np.nan)


def share_estimate(share: float, resampled: Numbers, n: int, weights: Numbers) -> Estimate:
    """A weighted share in percent, with Wilson's interval for the effective sample size.

    After Franco et al. 2019, Journal of Survey Statistics and Methodology 7: resamples of a share near 1 vary too
    little. With a share of 1 they do not vary at all; then the size is Kish's (1965, Survey Sampling).

    Args:
        share: from 0 to 1.
        resampled: the share in resamples, shape (resamples,), all defined.
        n: items.
        weights: of the units that were resampled: items, or clusters of them with the sums of their weights; any shape.
    """
    spread = float(resampled.var())
    kish = float(weights.sum() ** 2 / (weights**2).sum())
    size = min(n, share * (1 - share) / spread) if spread > _ZERO else kish
    low, high = wilson(share * size, size)
    return Estimate(100 * share, (100 * low, 100 * high), n)


def _estimate(value: float, resampled: Numbers, n: int) -> Estimate | None:
    return None if np.isnan(value) else Estimate(value, percentile_ci95(resampled, n), n)


@dataclass(frozen=True)
class Agreement:
    """Agreement of a judge with humans; each None where undefined.

    Attributes:
        agreement: percent of items with the same label, or with scores that differ by at most `CLOSE`.
        kappa: Cohen's for labels, quadratically weighted for scores; -1 to 1, 0 for chance.
        difference: judge minus human in the headline score: percentage points of the first label's share, or points of
            the mean score.
    """

    agreement: Estimate | None
    kappa: Estimate | None
    difference: Estimate | None
