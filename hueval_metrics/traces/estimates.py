"""The numbers of a cell, each with its 95 % interval over questions.

Ratios have the intervals of all scores (`stats.intervals`): Wilson's for one yes or no a question, otherwise BCa over
clusters, widened by half a cluster. What has no natural end, such as a number of tokens, is widened to the lowest and
the highest value of a cluster, as the next trace may be as long as the longest, and its ends are moved outward where
clusters are few. Where `--limit` has drawn replies with unequal weights, and for medians, see `stats.two_phase`; the
strata are those of the draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.stats import intervals
from hueval_metrics.stats.bootstrap import RESAMPLES
from hueval_metrics.traces.gathered import Replies
from hueval_metrics.traces.measures import Cell, Measure, Number, Unit
from hueval_metrics.traces.stats import two_phase
from hueval_metrics.traces.stats.spearman import spearman

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LENGTH_CORRECTNESS = "length_correctness"  # Spearman's correlation of a trace's tokens and the share right
_SCALES: dict[Unit, float] = {"%": 100.0, "per 1,000 tokens": 1000.0}


def scale(measure: Measure) -> float:
    """What a ratio is multiplied by, such as 100 for percent."""
    return _SCALES.get(measure.unit, 1.0)


def ratio_metric(measure: Measure, terms: Numbers) -> Metric | None:
    """The measure as a metric of sums of clusters.

    Args:
        measure: one whose number is a ratio.
        terms: numerators and denominators of the clusters, shape (clusters, 2).

    Returns:
        None where no cluster has a value, and where all have the same one and the scale has no ends.
    """
    given = terms[terms[:, 1] > 0]
    if not len(given):
        return None
    factor, ratios = scale(measure), given[:, 0] / given[:, 1]
    low, high = float(ratios.min()), float(ratios.max())
    if _is_share(measure, terms):
        low, high = 0.0, 1.0
    if low == high:
        return None
    return Metric(
        measure.name,
        lambda _: (0.0, 0.0),
        lambda sums: factor * sums[..., 0] / sums[..., 1],
        bounds=(factor * low, factor * high),
        unit="%" if measure.unit == "%" else "count",
    )


def cell_numbers(
    cell: Cell, replies: Replies, measures: Sequence[Measure], *, resamples: int = RESAMPLES
) -> Iterator[Number]:
    """Each measure that applies to any of the replies.

    Args:
        cell: what they are.
        replies: those of the cell.
        measures: all, in the order of the replies' values.
        resamples: of the bootstrap.
    """
    present = ~np.isnan(replies.values[..., 0])
    used = [(index, measure) for index, measure in enumerate(measures) if present[:, index].any()]
    terms = replies.terms(used)
    ends: dict[str, tuple[float, float] | None] = {}
    tables = {}
    for column, (index, measure) in enumerate(used):
        own = replies.where(present[:, index])
        weights = own.weights(measure)
        if measure.is_median or np.ptp(weights) > 0:
            ends[measure.name] = _weighted_interval(measure, own, own.values[:, index], weights)
        elif (metric := ratio_metric(measure, terms[:, column])) and len(np.unique(own.clusters)) > 1:
            tables[measure.name] = metric, terms[:, column] / weights[0]
    if tables:
        found = intervals.intervals(tables, resamples=resamples)
        ends |= {name: _ends(*tables[name], one) for name, one in found.items() if one is not None}
    for index, measure in used:
        rows = present[:, index]
        weights = replies.weights(measure)[rows]
        over, under = (math.fsum((weights * column).tolist()) for column in replies.values[rows, index].T)
        if measure.is_median:
            value: float | None = two_phase.weighted_quantile(replies.values[rows, index, 0], weights, 0.5)
        else:
            value = scale(measure) * over / under if under else None
        n, n_clusters = int(rows.sum()), len(np.unique(replies.clusters[rows]))
        yield Number(cell, measure.name, value, ends.get(measure.name) if under else None, n, n_clusters, under)


def length_correctness(cell: Cell, replies: Replies) -> Number | None:
    """Spearman's correlation of length and correctness over the replies with both; None where it is undefined."""
    length, share = replies.extra[:, 1], replies.extra[:, 2]
    both = ~(np.isnan(length) | np.isnan(share))
    clusters = replies.clusters[both]
    found = spearman(length[both], share[both], np.unique(clusters, return_inverse=True)[1])
    if found is None:
        return None
    n = int(both.sum())
    return Number(cell, LENGTH_CORRECTNESS, *found, n, len(np.unique(clusters)), float(n))


def _ends(metric: Metric, terms: Numbers, one: intervals.Interval) -> tuple[float, float]:
    """The ends of an interval; BCa's of few clusters on a scale without ends are moved outward.

    Resamples of n clusters show (n - 1) / n of their variance, and the normal distribution's tails are too thin
    (Hesterberg 2015): simulated, 30 questions cover 92 % without.
    """
    if one.method != "bca" or metric.unit == "%":
        return one.low, one.high
    from scipy.special import stdtrit

    n = int(metric.applies(terms).sum())
    value = float(metric.compute(terms.sum(axis=0)))
    factor = math.sqrt(n / (n - 1)) * float(stdtrit(n - 1, 0.975) / stdtrit(math.inf, 0.975))
    low, high = (value + factor * (end - value) for end in (one.low, one.high))
    return max(low, min(0.0, metric.bounds[0])), high


def _weighted_interval(measure: Measure, own: Replies, values: Numbers, weights: Numbers) -> tuple[float, float] | None:
    clusters = np.unique(own.clusters, return_inverse=True)[1]
    strata = own.strata if np.ptp(weights) > 0 else np.zeros(len(weights), dtype=np.intp)
    over, under = values.T
    if measure.is_median:
        return two_phase.median_interval(over, weights, clusters, strata)
    if not weights @ under > 0:
        return None
    share = _is_share(measure, values)
    found = two_phase.ratio_interval(over, under, weights, clusters, strata, is_share=share)
    if found is None:
        return None
    least = 0.0 if over.min() >= 0 else -math.inf  # what is counted is never below 0
    return scale(measure) * max(found[0], least), scale(measure) * found[1]


def _is_share(measure: Measure, terms: Numbers) -> bool:
    """Whether a measure in percent lies from 0 to 100 in these rows."""
    return measure.unit == "%" and bool(((terms[:, 0] >= 0) & (terms[:, 0] <= terms[:, 1])).all())
