"""The shares of labels that a reference would give, from a judge's labels and items that both rated.

Two estimates, both from sums over clusters, so that resamples, intervals and tests are those of any `metric.Metric`:
prediction-powered inference with power tuning (PPI++: Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453, §6), and the
inverted confusion matrix (Rogan & Gladen 1978 for two labels; any number: Buonaccorsi 2010, Measurement Error, §2.3).

The sums of a rubric with K labels are K counts of the judge's labels over the run's items, weighted where these are a
sample by strata, then K² weighted counts
[reference, judge], row by row, of the items that both rated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Shares = Callable[["Numbers", int], "Numbers"]

LEAST_YOUDEN = 0.3  # of a label; below it, the inverse of the confusion matrix multiplies the errors by more than three
_SINGULAR = 1e-9  # variance of a judge of one label, determinant of a matrix whose inverse is rounding error


def prediction_powered_shares(sums: Numbers, k: int) -> Numbers:
    """The reference's shares by PPI++: its shares among the rated items, moved by the judge's on the others.

    θ = h + λ (j_all - j), with the reference's shares h and the judge's shares j among the items that both rated, and
    the judge's shares j_all of all items. One λ serves all labels, so that the shares sum to 1: the least-squares slope
    Σ Cov(H, J) / Σ Var(J) of the one-hot labels, from 0 (the judge says nothing) to 1 (the plain PPI). Since "all"
    includes the rated items, this is the estimate that arXiv 2311.01453 writes with the unrated rest.

    Args:
        sums: shape (..., K + K²), as described above.
        k: K.

    Returns:
        Shape (..., K), fractions that sum to 1; NaN where no item was rated by both, or none by the judge.

    >>> judged, joint = [60.0, 40.0], [20.0, 5.0, 0.0, 15.0]  # the judge's first label is always right
    >>> prediction_powered_shares(np.array([*judged, *joint]), 2).round(3)
    array([0.7, 0.3])
    """
    judged, joint = _fractions(sums, k)
    reference, judge = joint.sum(axis=-1), joint.sum(axis=-2)
    covariance = joint.trace(axis1=-2, axis2=-1) - (reference * judge).sum(axis=-1)
    variance = 1 - (judge**2).sum(axis=-1)  # 0 if the judge says one label only, which moves nothing
    slope = np.clip(covariance / np.maximum(variance, _SINGULAR), 0.0, 1.0)
    return on_simplex(reference + slope[..., None] * (judged - judge))


def rogan_gladen_shares(sums: Numbers, k: int) -> Numbers:
    """The reference's shares by the inverted confusion matrix, projected onto the simplex.

    The judge's shares are p = Mᵀ θ with M[r, j], how often the judge says j where the reference says r. A label that
    occurs nowhere has a share of 0.

    Args:
        sums: shape (..., K + K²), as described above; the items that both rated may be those of other runs.
        k: K.

    Returns:
        Shape (..., K), fractions that sum to 1; NaN where the matrix is singular, and where the judge gives a label
        that the reference gave to no item, since the judge's errors on such items are unknown.

    >>> judged, joint = [60.0, 40.0], [80.0, 20.0, 10.0, 90.0]  # sensitivity 0.8, specificity 0.9
    >>> rogan_gladen_shares(np.array([*judged, *joint]), 2).round(3)  # (0.6 + 0.9 - 1) / (0.8 + 0.9 - 1)
    array([0.714, 0.286])
    """
    judged, joint = _fractions(sums, k)
    reference = joint.sum(axis=-1)
    nowhere = (reference + joint.sum(axis=-2) + judged) == 0
    matrix = joint / np.where(reference > 0, reference, 1.0)[..., None] + nowhere[..., None] * np.eye(k)
    solvable = np.isfinite(judged).all(axis=-1) & np.isfinite(matrix).all(axis=(-2, -1))
    solvable &= ((reference > 0) | nowhere).all(axis=-1)
    matrix = np.where(solvable[..., None, None], matrix, np.eye(k))
    solvable &= np.abs(np.linalg.det(matrix)) > _SINGULAR
    matrix = np.where(solvable[..., None, None], matrix, np.eye(k))
    found = np.linalg.solve(np.swapaxes(matrix, -1, -2), np.nan_to_num(judged)[..., None])[..., 0]
    return np.where(solvable[..., None], on_simplex(found), np.nan)


def on_simplex(shares: NDArray[np.floating[Any]]) -> Numbers:
    """The nearest fractions that are not negative and sum to 1 (Held, Wolfe & Crowder 1974, eq. 3.1).

    Args:
        shares: shape (..., K), that sum to 1.

    >>> on_simplex(np.array([1.25, 0.25, -0.5]))
    array([1., 0., 0.])
    """
    if (shares >= 0).all():
        return np.asarray(shares)
    falling = -np.sort(-shares, axis=-1)
    excess = (falling.cumsum(axis=-1) - 1) / np.arange(1, shares.shape[-1] + 1)
    kept = np.maximum((falling > excess).sum(axis=-1, keepdims=True), 1)
    return np.maximum(shares - np.take_along_axis(excess, kept - 1, axis=-1), 0.0)


def youden(joint: Numbers) -> Numbers:
    """Youden's J of each label: sensitivity + specificity - 1 (Youden 1950); 1 without errors, 0 by chance.

    Args:
        joint: weighted counts [reference, judge], shape (..., K, K).

    Returns:
        Shape (..., K); NaN for a label that the reference gave to none, or to all.

    >>> youden(np.array([[80.0, 20.0], [10.0, 90.0]])).round(3)
    array([0.7, 0.7])
    """
    hits, reference, judge = joint.diagonal(axis1=-2, axis2=-1), joint.sum(axis=-1), joint.sum(axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(hits / reference - (judge - hits) / (reference.sum(axis=-1, keepdims=True) - reference))


def of_shares(metric: Metric, statistics: Numbers, shares: Shares) -> Metric:
    """A metric that depends on an item's label alone, of corrected shares.

    Args:
        metric: such as the share of one label, or an F-score.
        statistics: the metric's statistics of one item with each label, shape (K, m).
        shares: `prediction_powered_shares` or `rogan_gladen_shares`.

    Returns:
        The metric of the sums that this module describes; its size is the weight of the items that both rated.
    """
    k = len(statistics)

    def compute(sums: Numbers) -> Numbers:
        n = sums[..., :k].sum(axis=-1, keepdims=True)
        return metric.compute(n * (shares(sums, k) @ statistics))

    return of_sums(metric, k + k * k, compute, lambda sums: sums[..., k:].sum(axis=-1))


def of_sums(
    metric: Metric, width: int, compute: Callable[[Numbers], Numbers], size: Callable[[Numbers], Numbers]
) -> Metric:
    """The metric with other statistics on the same scale: rows of numbers that are summed.

    Args:
        metric: whose scale it has.
        width: how many numbers a row has.
        compute, size: as of `Metric`.
    """
    return metric.but(
        statistics=lambda rows: np.sum(rows, axis=0) if len(rows) else np.zeros(width),
        _compute=compute,
        _size=size,
        is_mean=False,
        is_error=False,
        cluster=None,
        settle=None,
    )


def _fractions(sums: Numbers, k: int) -> tuple[Numbers, Numbers]:
    """The judge's shares over the run, shape (..., K), and the joint shares [reference, judge], (..., K, K)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        judged = sums[..., :k] / sums[..., :k].sum(axis=-1, keepdims=True)
        joint = sums[..., k:] / sums[..., k:].sum(axis=-1, keepdims=True)
    return judged, joint.reshape(*sums.shape[:-1], k, k)
