"""The mean score that a reference would give: PPI++ from a run's own items, a straight line from those of other runs.

The sums of a mean are n, ΣJ | W, ΣwH, ΣwJ, ΣwX², ΣwHJ: number and sum of the judge's scores J over the run's items,
weighted where these are a sample by strata; then, of the items that both rated, the weight and the weighted sums of the
reference's scores H, of the judge's, of squares (the judge's for PPI++, the reference's for the line) and of the
products.

No isotonic regression of the reference on the judge's score is offered for other runs: it maps a judge's 8 to the mean
worth of an 8 among the answers calibrated on, and among a better model's answers an 8 is worth more. In a simulation
its interval held the score of a model that was better or worse than those by a standard deviation in 0 to 24 % of runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.judges.stats.items import Columns
from hueval_metrics.judges.stats.shares import of_sums
from hueval_metrics.metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MEAN_WIDTH = 7
_NO_SPREAD = 1e-12  # relative to the squares: a variance that is rounding error


def prediction_powered_mean(sums: Numbers) -> Numbers:
    """The reference's mean by PPI++ with power tuning (arXiv 2311.01453, §6): h + λ (j_all - j).

    λ is the least-squares slope of the reference's scores on the judge's, from 0 to 1, as of
    `shares.prediction_powered_shares`.

    Args:
        sums: shape (..., 7), as described above.

    Returns:
        Shape (...); NaN where no item was rated by both, or none by the judge.

    >>> sums = [4, 10.0, 3, 7.0, 6.0, 14.0, 16.0]  # judge 1, 2, 3; reference 1, 3, 3: the slope is 1
    >>> float(prediction_powered_mean(np.array(sums)).round(3))  # 7 / 3 + 10 / 4 - 6 / 3
    2.833
    """
    reference, judge, all_, covariance, variance = _moments(sums, sums[..., 4])
    slope = np.where(variance > 0, covariance / np.where(variance > 0, variance, 1.0), 0.0)
    return np.asarray(reference + np.clip(slope, 0.0, 1.0) * (all_ - judge))


def classical_linear_mean(sums: Numbers) -> Numbers:
    """The reference's mean by the inverted regression of the judge's scores on the reference's.

    J = a + b H is fitted on the items that both rated, and solved for H at the judge's mean over the run: the classical
    calibration estimator (Eisenhart 1939, Ann. Math. Stat. 10; review: Osborne 1991, Int. Stat. Rev. 59). The inverse
    one, the regression of H on J (Krutchkoff 1967, Technometrics 9), would depend on how good the rated answers are. As
    with labels, what must be the same on other runs is how the judge scores an answer of given worth.

    Args:
        sums: shape (..., 7), as described above.

    Returns:
        Shape (...); NaN where the two raters' scores are not positively correlated.
    """
    reference, judge, all_, covariance, variance = _moments(sums, sums[..., 3])
    solvable = (covariance > 0) & (variance > 0)
    moved = (all_ - judge) * variance / np.where(solvable, covariance, 1.0)
    return np.where(solvable, reference + moved, np.nan)


def mean_rows(run: Columns, judge: Numbers, rated: Columns, pairs: Numbers, *, of_reference: bool) -> Numbers:
    """The rows of a mean, one a cluster; shape (clusters, 7).

    Args:
        run: the run's items.
        judge: their scores by the judge.
        rated: the items that both rated.
        pairs: their scores by the reference and by the judge, shape (2, items).
        of_reference: whether the squares are those of the reference's scores.
    """
    weights, (theirs, ours) = rated.weights, pairs
    squares = theirs**2 if of_reference else ours**2
    columns = [run.total(run.run_weights * part) for part in (np.ones(run.n), judge)]
    columns += [rated.total(weights * part) for part in (np.ones(rated.n), theirs, ours, squares, theirs * ours)]
    return np.column_stack(columns)


def of_mean(metric: Metric, method: str) -> Metric:
    """The corrected mean of a metric's values of one item each, on its scale.

    Args:
        metric: whose scale it has.
        method: `linear` for `classical_linear_mean`, else `prediction_powered_mean`.

    Returns:
        The metric of the sums that this module describes; its size is the weight of the items that both rated.
    """
    mean = classical_linear_mean if method == "linear" else prediction_powered_mean
    return of_sums(metric, MEAN_WIDTH, lambda sums: np.clip(mean(sums), *metric.bounds), lambda sums: sums[..., 2])


def _moments(sums: Numbers, spread: Numbers) -> tuple[Numbers, ...]:
    """Means of the reference, of the judge there and over the run, covariance, and variance of the rater in `spread`.

    The variance is 0 where it is a rounding error.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        all_ = sums[..., 1] / sums[..., 0]
        reference, judge, squares, products, centre = (
            part / sums[..., 2] for part in (*(sums[..., place] for place in (3, 4, 5, 6)), spread)
        )
    variance = squares - centre**2
    return (
        reference,
        judge,
        all_,
        products - reference * judge,
        np.where(variance > _NO_SPREAD * squares, variance, 0.0),
    )
