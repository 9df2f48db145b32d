"""The difference of two models over the same items, with an interval and a test.

Where each item is right or wrong, McNemar's exact test and Tango's interval (`mcnemar`); for any other metric, a paired
permutation test (`permutation`) and a percentile interval of the differences in shared resamples (`joint`). Pairing
makes small differences visible: items that are hard for both models cancel out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.stats.joint import JointScores, MetricTerms, percentile_ci95
from hueval_metrics.stats.mcnemar import mcnemar_p, paired_difference_ci95
from hueval_metrics.stats.permutation import (
    EXACT_UP_TO,
    PERMUTATIONS,
    n_extreme,
    permutation_p,
    sampled_p,
    signed_sums,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MCNEMAR = "exact McNemar"
PERMUTATION = "paired permutation"

Pair = tuple[int, int]


def paired_differences(
    metrics: Mapping[str, MetricTerms],
    scores: Mapping[str, JointScores],
    pairs: Sequence[Pair],
    *,
    permutations: int = PERMUTATIONS,
) -> dict[str, list[PairedDifference | None]]:
    """The difference of each pair of models in each metric of one task.

    Args:
        metrics: name → the models' terms over the same clusters, without items that only one model has, such as one
            without a verdict.
        scores: `joint.joint_scores` of the same metrics.
        pairs: indices of two models each; the difference is the first score minus the second.
        permutations: of a permutation test (`permutation.enough_permutations`, where many are corrected together).

    Returns:
        For each metric one difference a pair; None where the metric of either model is undefined.
    """
    compared = {
        name: [pair for pair in pairs if np.isfinite(scores[name].values[list(pair)]).all()] for name in metrics
    }
    counts = {(name, pair): _outcomes(metrics[name], pair) for name, some in compared.items() for pair in some}
    sampled = _sampled_ps(metrics, [key for key, outcomes in counts.items() if outcomes is None], permutations)
    return {
        name: [
            _difference(metric, scores[name], pair, counts[name, pair], sampled.get((name, pair)))
            if (name, pair) in counts
            else None
            for pair in pairs
        ]
        for name, metric in metrics.items()
    }


def _difference(
    metric: MetricTerms, scores: JointScores, pair: Pair, outcomes: Pair | None, sampled: float | None
) -> PairedDifference:
    first, second = pair
    value = float(scores.values[first] - scores.values[second])
    draws = scores.draws[:, first] - scores.draws[:, second]
    n = int(metric.terms[[first, second]].any(axis=(0, 2)).sum())
    # Resamples of n clusters show (n - 1) / n of their variance.
    error = float(np.nanstd(draws, ddof=1)) * math.sqrt(n / (n - 1)) if n > 1 else None
    differing = _differing(metric, pair)
    if outcomes is not None:
        points = metric.metric.bounds[1] - metric.metric.bounds[0]
        low, high = paired_difference_ci95(*outcomes, n)
        ci95 = (points * low, points * high)
        return PairedDifference(value, ci95, mcnemar_p(*outcomes), MCNEMAR, n, differing, error)
    p = permutation_p(metric.terms[first], metric.terms[second], metric.metric.compute) if sampled is None else sampled
    return PairedDifference(value, percentile_ci95(draws, n), p, PERMUTATION, n, differing, error)


def _sampled_ps(
    metrics: Mapping[str, MetricTerms], tests: Sequence[tuple[str, Pair]], permutations: int
) -> dict[tuple[str, Pair], float]:
    """The p-values of the tests with too many swaps to enumerate, all from one sample of swaps."""
    tests = [(name, pair) for name, pair in tests if _differing(metrics[name], pair) > EXACT_UP_TO]
    if not tests:
        return {}
    totals = {name: metrics[name].terms.sum(axis=1) for name, _ in tests}  # of each model, shape (models, k)
    extreme = dict.fromkeys(tests, 0)
    for block in signed_sums([metrics[name].columns for name in totals], permutations=permutations):
        signed = dict(zip(totals, block, strict=True))
        for name, (first, second) in tests:
            total = totals[name]
            own = signed[name].reshape(-1, *total.shape)
            swaps = own[:, first] - own[:, second]
            extreme[name, (first, second)] += n_extreme(
                total[first], total[second], swaps, metrics[name].metric.compute
            )
    return {test: sampled_p(count, permutations) for test, count in extreme.items()}


def _differing(metric: MetricTerms, pair: Pair) -> int:
    return int((metric.terms[pair[0]] != metric.terms[pair[1]]).any(axis=1).sum())


def _outcomes(metric: MetricTerms, pair: Pair) -> Pair | None:
    """How many clusters only the first model, and only the second, has right; None unless each is one yes or no.

    A mean of two columns is a proportion when each cluster to which it applies is one trial of either model, with a
    value at one of the ends of its scale.
    """
    if not metric.metric.is_mean or metric.terms.shape[2] != 2:
        return None
    rows = metric.terms[list(pair)]
    trials = metric.metric.size(rows)
    if not np.isin(trials, (0, 1)).all() or (trials[0] != trials[1]).any() or not trials.any():
        return None
    right = metric.metric.share(rows[:, trials[0] == 1])
    if not np.isin(right, (0, 1)).all():
        return None
    return int((right[0] > right[1]).sum()), int((right[1] > right[0]).sum())


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first model's score minus the second's.

    Attributes:
        value: in the metric's unit: points, not percent of anything.
        ci95: its 95 % interval; None where resampling shows no spread.
        p: two-sided, of no difference; correct it where several are looked at (`multiple.holm`).
        test: `MCNEMAR` or `PERMUTATION`.
        n: clusters to which the metric applies.
        n_differing: clusters on which the two models' terms differ; McNemar's discordant pairs.
        standard_error: of the difference, from the resamples; None with one cluster.
    """

    value: float
    ci95: tuple[float, float] | None
    p: float | None
    test: str
    n: int
    n_differing: int
    standard_error: float | None
