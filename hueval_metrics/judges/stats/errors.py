"""The expected calibration error that a reference would find, from a run's own items: each bin's gap by PPI++.

The gap of a bin of confidences is the mean of confidence minus outcome. The confidence stays, and the outcome is
corrected within the bin, since judges may be wrong more often about answers that are stated with less confidence. The
sums are those of `means`, bin by bin. The mean weight of a bin's rated items is 1, so that the sum of their weights is
their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.judges.stats.items import Columns
from hueval_metrics.judges.stats.means import MEAN_WIDTH, mean_rows, prediction_powered_mean
from hueval_metrics.judges.stats.shares import of_sums
from hueval_metrics.metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Gaps = Callable[[Numbers], Numbers]

LEAST_IN_BIN = 10  # rated items of a bin that is corrected by itself
_LARGE = 0.05  # of the answers; a bin, or all sparse ones, with as many must have `LEAST_IN_BIN`


def gap_rows(
    metric: Metric, run: Columns, rated: Columns, values: Sequence[Any], pairs: Sequence[Sequence[Any]]
) -> Numbers:
    """The rows of a calibration error, one a cluster; shape (clusters, 7 × bins).

    Args:
        metric: the calibration error (`Metric.is_error`).
        run: the items that have a confidence.
        rated: those of them that both rated.
        values: the run's items by the judge, as the metric takes them.
        pairs: the rated items by the reference, and by the judge.
    """
    gaps, bins = _gaps(metric, values)
    (theirs, places), (ours, _) = (_gaps(metric, some) for some in pairs)
    parts = []
    for place in range(metric.width // 2):
        inside, both = bins == place, places == place
        some = np.array([theirs[both], ours[both]])
        parts.append(mean_rows(run.where(inside), gaps[inside], rated.where(both), some, of_reference=False))
        parts[-1][:, 2:] *= both.sum() / (rated.weights[both].sum() or 1.0)
    return np.concatenate(parts, axis=1)


def sparse_fault(sums: Numbers) -> str | None:
    """Why the sums of a run have too few rated items for its bins; None where they have enough."""
    bins = sums.reshape(-1, MEAN_WIDTH)
    sparse = _is_sparse(sums)
    large = bins[:, 0] >= _LARGE * bins[:, 0].sum()
    rest = bins[sparse].sum(axis=0)
    if (sparse & large).any() or (rest[2] < LEAST_IN_BIN and rest[0] >= _LARGE * bins[:, 0].sum()):
        least = bins[sparse & large, 2].min() if (sparse & large).any() else rest[2]
        return (
            f"{least:.0f} of the rated items are in a bin of confidence with 5 % of the answers or more, "
            f"and {LEAST_IN_BIN} are the least"
        )
    return None


def corrected_gaps(sums: Numbers) -> Gaps:
    """The function from sums to the corrected sums of gaps, for the bins that these sums of a run fill.

    Bins with fewer than `LEAST_IN_BIN` rated items are moved alike, by the mean of what the reference changes in all of
    them, or, where they have too few together, in all bins.

    Returns:
        Sums of shape (..., 7 × bins) → shape (..., 2 × bins): sums of gaps, then sizes, as a calibration error has
        them.
    """
    sparse = _is_sparse(sums)
    pooled = sparse if sums.reshape(-1, MEAN_WIDTH)[sparse, 2].sum() >= LEAST_IN_BIN else np.full(len(sparse), True)

    def gaps(some: Numbers) -> Numbers:
        bins = some.reshape(*some.shape[:-1], -1, MEAN_WIDTH)
        sizes = bins[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = (bins[..., 3] - bins[..., 4])[..., pooled].sum(axis=-1) / bins[..., 2][..., pooled].sum(axis=-1)
            means = np.where(sparse, bins[..., 1] / sizes + moved[..., None], prediction_powered_mean(bins))
        # A bin whose rated items are in no resample stays as the judge has it.
        means = np.where(np.isfinite(means), means, bins[..., 1] / np.where(sizes > 0, sizes, 1.0))
        return np.concatenate([sizes * np.clip(means, -1.0, 1.0), sizes], axis=-1)

    return gaps


def of_gaps(metric: Metric, width: int, gaps: Gaps) -> Metric:
    """The corrected calibration error; its size is the weight of the items that both rated."""
    return of_sums(
        metric,
        width,
        lambda sums: metric.compute(gaps(sums)),
        lambda sums: sums.reshape(*sums.shape[:-1], -1, MEAN_WIDTH)[..., 2].sum(axis=-1),
    )


def _is_sparse(sums: Numbers) -> NDArray[np.bool_]:
    return np.asarray(sums.reshape(-1, MEAN_WIDTH)[:, 2] < LEAST_IN_BIN)


def _gaps(metric: Metric, values: Sequence[Any]) -> tuple[Numbers, NDArray[np.intp]]:
    """The gap and the bin of each value."""
    rows = np.array([metric.statistics((value,)) for value in values], dtype=float).reshape(-1, metric.width)
    bins = metric.width // 2
    return rows[:, :bins].sum(axis=1), rows[:, bins:].argmax(axis=1)
