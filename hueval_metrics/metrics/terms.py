"""Every aggregated metric as a function of sums over clusters: what intervals and comparisons are computed from.

A cluster is what is not independent of one another: the blanks of a question, the two orders of a proverb. Its row of
numbers, summed over all clusters, gives the metric; summed over a resample, the metric of the resample.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.metrics.aggregate import mean_percent, pooled_percent
from hueval_metrics.metrics.calibration import BINS, bin_of, brier_score, expected_calibration_error, settled
from hueval_metrics.metrics.simple_qa import correct_given_attempted, f_score
from hueval_metrics.metrics.two_choice import pair_accuracy, position_bias, single_accuracy
from hueval_metrics.metrics.wild_bench import share_of_scale, wb_score, wb_score_ref

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Aggregation = Callable[..., Any]


def statistic(aggregation: Aggregation) -> Statistic | None:
    """The statistic of a metric; None for a count (`count_applicable`, `single_order`), which no sampling makes vary.

    Args:
        aggregation: the metric's aggregation, as its task's YAML names it.
    """
    return _STATISTICS.get(aggregation)


def is_ratio(aggregation: Aggregation) -> bool:
    """Whether an aggregation is a ratio, which also has a value for one document alone."""
    found = _STATISTICS.get(aggregation)
    return found is not None and found.is_ratio


def _columns(*columns: Any) -> Numbers:
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])


def _mean(values: Sequence[Any]) -> Numbers:
    return _columns(values, np.ones(len(values)))


def _pooled(values: Sequence[Any]) -> Numbers:
    return np.asarray(values, dtype=float)


def _attempted(values: Sequence[Any]) -> Numbers:
    return _columns(_pooled(values), np.ones(len(values)))  # the third column: how many have a verdict


def _scores(values: Sequence[Any]) -> Numbers:
    # Shares of the scale: an interval then knows where the scale ends, and cannot leave it.
    return _columns([share_of_scale(score) for score in values], np.ones(len(values)))


def _right(values: Sequence[Any]) -> Numbers:
    return _columns([answer == correct for _, correct, answer in values], np.ones(len(values)))


def _first_option(values: Sequence[Any]) -> Numbers:
    return _columns([answer == 1 for _, _, answer in values], [answer is not None for _, _, answer in values])


def _squared_errors(values: Sequence[Any]) -> Numbers:
    confidence, correct = np.asarray(settled(values), dtype=float).T
    return _columns((confidence - correct) ** 2, np.ones(len(values)))


def _gaps(values: Sequence[Any]) -> Numbers:
    """The gap between confidence and outcome in the column of its bin, and 1 in the column of the bin's size."""
    rows = np.arange(len(values))
    pairs = [pair for pair in settled(values) if pair is not None]
    bins = np.array([bin_of(confidence, BINS) for confidence, _ in pairs], dtype=int)
    found = np.zeros((len(values), 2 * BINS))
    found[rows, bins] = [confidence - correct for confidence, correct in pairs]
    found[rows, BINS + bins] = 1
    return found


def _both_orders(rows: Numbers) -> Numbers:
    """A proverb counts when both orders are there, and is right when both are."""
    asked = rows[:, 1] == 2
    return _columns(asked & (rows[:, 0] == 2), asked)


@dataclass(frozen=True)
class Statistic:
    """A metric as a function of sums over clusters: scale × ratio + offset, or the calibration error of its bins.

    Attributes:
        terms: values, none of them None, → the row of each; shape (n, width).
        width: how many columns a row has: numerator and denominator, or more.
        scale: what the ratio is multiplied by, 100 for percent.
        offset: what is added to it.
        is_ratio: whether it is a ratio; else the metric is the sum of the absolute gaps of `BINS` bins over their size.
        by_cluster: what makes a cluster's row of the sums of its values' rows; None where the sums are that row.
    """

    terms: Callable[[Sequence[Any]], Numbers]
    width: int = 2
    scale: float = 100.0
    offset: float = 0.0
    is_ratio: bool = True
    by_cluster: Callable[[Numbers], Numbers] | None = None

    def matrix(self, values: Sequence[Any], clusters: Sequence[Hashable]) -> Numbers:
        """The sums of each cluster's terms.

        Args:
            values: per-document values; None where the metric does not apply.
            clusters: for each value the cluster that it belongs to.

        Returns:
            Shape (clusters, width), in the order in which clusters first appear; zeros where no value applies.
        """
        places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
        given = [(value, places[c]) for value, c in zip(values, clusters, strict=True) if value is not None]
        sums = np.zeros((len(places), self.width))
        if given:
            np.add.at(sums, [place for _, place in given], self.terms([value for value, _ in given]))
        return self.by_cluster(sums) if self.by_cluster else sums

    def applies(self, rows: Numbers) -> NDArray[np.bool_]:
        """Which rows of `matrix` count in the metric: those with a denominator, or with an answer in any bin."""
        denominators = rows[:, 1:2] if self.is_ratio else rows[:, BINS:]
        return np.asarray((denominators > 0).any(axis=1))

    def of(self, sums: Numbers) -> Numbers:
        """The metric in its own unit.

        Args:
            sums: rows of `matrix` summed up; shape (…, width).

        Returns:
            Shape (…); NaN where the metric is undefined.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            if not self.is_ratio:
                return np.abs(sums[..., :BINS]).sum(axis=-1) / sums[..., BINS:].sum(axis=-1)
            found = self.scale * (sums[..., 0] / sums[..., 1]) + self.offset
        if self.width > 2:  # judged, but nothing attempted: 0, as `correct_given_attempted` has it
            found = np.where((sums[..., 1] == 0) & (sums[..., 2] > 0), 0.0, found)
        return found


_STATISTICS: dict[Aggregation, Statistic] = {
    mean_percent: Statistic(_mean),
    pooled_percent: Statistic(_pooled),
    single_accuracy: Statistic(_right),
    pair_accuracy: Statistic(_right, by_cluster=_both_orders),
    position_bias: Statistic(_first_option, offset=-50.0),
    correct_given_attempted: Statistic(_attempted, width=3),
    f_score: Statistic(_pooled),
    brier_score: Statistic(_squared_errors, scale=1.0),
    # 1 to 10 points are 10 to 100, and -80 to 100 as the reference rescales them.
    wb_score: Statistic(_scores, scale=90.0, offset=10.0),
    wb_score_ref: Statistic(_scores, scale=180.0, offset=-80.0),
    expected_calibration_error: Statistic(_gaps, width=2 * BINS, scale=1.0, is_ratio=False),
}
