"""Random pseudo-items in the resamples of a calibration: where an error is rare, resamples do not show it often enough.

Of 30 items that both rated, a judge who errs on 5 % shows no error in one sample of five, and no resample of it has
one. A resampled count of items has about the distribution of a gamma variable with this shape. With another of a small
shape added, the counts have about that of a posterior under a Dirichlet prior, and an error that was never seen is not
certain never to occur. Shapes were chosen by simulation (README.md in stats).
"""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.judges.stats.means import MEAN_WIDTH
from hueval_metrics.judges.stats.tables import Method
from hueval_metrics.stats.bootstrap import SEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_CORNER = (
    0.5  # shape of each corner's weight: with half of it, intervals of 30 scores covered 87 % and more, with it 91
)


def with_pseudo_items(sums: Numbers, rows: Numbers, n_judged: int, method: Method, seed: int = SEED) -> Numbers:
    """The sums of each resample, with pseudo-items where the kind of rows has them.

    Args:
        sums: of each resample, shape (resamples, k).
        rows: of each cluster, shape (clusters, k).
        n_judged: how many of their columns hold the judge's ratings of the run (`Tables.judged`): K for the rows of
            `shares`, which alone are K + K² wide.
        method: of the correction.
        seed: of the random number generator.

    Returns:
        The same shape; calibration errors, and a line's sums, are as they were.
    """
    if rows.shape[1] == n_judged + n_judged**2:
        return with_pseudo_counts(sums, rows, method, seed)
    return with_pseudo_scores(sums, rows, seed) if rows.shape[1] == MEAN_WIDTH and method == "ppi++" else sums


def with_pseudo_counts(sums: Numbers, rows: Numbers, method: Method, seed: int = SEED) -> Numbers:
    """The sums of `shares` with a random pseudo-count in each cell of the confusion matrix.

    The prior is that of Perks (1947): 1 over the number of categories each. They are a row's K labels where the matrix
    is inverted, and all K² cells for PPI++. Labels that occur nowhere have none. Runs have the same pseudo-counts if
    their items that both rated are the same ones, and else independent ones.

    Args:
        sums: of each resample, shape (resamples, K + K²).
        rows: of each cluster, shape (clusters, K + K²); the pseudo-counts have the mean weight of an item.
        method: of the correction.
        seed: of the random number generator.

    Returns:
        Shape (resamples, K + K²).
    """
    k = (math.isqrt(1 + 4 * rows.shape[1]) - 1) // 2
    weights = rows[:, k:]
    unit = float((weights**2).sum() / weights.sum())
    pseudo = _draws(weights, seed).gamma(1 / (k * k if method == "ppi++" else k), unit, (len(sums), k * k))
    judged, joint = rows[:, :k].sum(axis=0), weights.sum(axis=0).reshape(k, k)
    occurs = (judged + joint.sum(axis=0) + joint.sum(axis=1)) > 0  # else resamples would give the label any share
    pseudo *= np.outer(occurs, occurs).ravel()
    return np.column_stack([sums[:, :k], sums[:, k:] + pseudo])


def with_pseudo_scores(sums: Numbers, rows: Numbers, seed: int = SEED) -> Numbers:
    """The sums of `means` with four pseudo-items: each rater's mean plus or minus the judge's standard deviation.

    Of a score with two values that are equally frequent they are the cells of its confusion matrix.

    Args:
        sums: of each resample, shape (resamples, 7), with the judge's squares.
        rows: of each cluster, shape (clusters, 7); the pseudo-items have the mean weight of a cluster.
        seed: of the random number generator.

    Returns:
        Shape (resamples, 7).
    """
    weight, reference, judge, squares, _ = rows[:, 2:].sum(axis=0)
    reference, judge = reference / weight, judge / weight
    spread = math.sqrt(max(squares / weight - judge**2, 0.0))
    theirs, ours = reference + spread * np.array([-1, -1, 1, 1]), judge + spread * np.array([-1, 1, -1, 1])
    unit = float((rows[:, 2] ** 2).sum() / weight)
    pseudo = _draws(rows[:, 2:], seed).gamma(_CORNER, unit, (len(sums), 4))
    added = pseudo @ np.column_stack([np.ones(4), theirs, ours, ours**2, theirs * ours])
    return np.column_stack([sums[:, :2], sums[:, 2:] + added])


def _draws(calibration: Numbers, seed: int) -> np.random.Generator:
    """The random numbers of a calibration, from its columns."""
    return np.random.default_rng([seed, 1, zlib.crc32(np.ascontiguousarray(calibration).tobytes())])
