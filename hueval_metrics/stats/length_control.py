"""A judge's mean score, controlled for the length of the responses.

LLM judges prefer long answers. AlpacaEval 2 corrects for it by a regression with a term for length, and scores every
model as if all its answers had one length (Dubois et al. 2024). Here it is an analysis of covariance: score = item +
model + slope × log length. The slope is estimated within items and within models: from whether a model scores better
where it writes more than the others and more than it usually does. So neither hard questions nor good models that are
wordy count as an effect of length. The controlled score is the model's at the mean log length of all models. Where a
longer answer is better because it covers more, the control removes some of that too: read both scores.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.stats.bootstrap import RESAMPLES, resampled_sums
from hueval_metrics.stats.joint import JointScores, percentile_ci95

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[np.float64]

_LEAST_SPREAD = 1e-9  # share of the spread of log lengths that must be left within items and models


def length_controlled(
    labels: Sequence[str],
    scores: ArrayLike,
    lengths: ArrayLike,
    *,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
) -> LengthControl | None:
    """The mean scores of several models with and without control for the length of their responses.

    Args:
        labels: the models, each once.
        scores: shape (items, models), in the unit of the metric; NaN where there is none.
        lengths: of the responses without reasoning, same shape, 0 or more, in characters.
        strata: the stratum of each item.
        resamples: number of resamples.

    Returns:
        Over the items that all models have. None with fewer than two models or items, and where lengths do not vary
        within items and models.
    """
    score, length = (np.array(values, dtype=float) for values in (scores, lengths))
    whole = (np.isfinite(score) & np.isfinite(length) & (length >= 0)).all(axis=1)
    score, log_length = score[whole], np.log1p(length[whole])
    n, models = score.shape
    if n < 2 or models < 2:
        return None
    centre, spread = log_length.mean(), log_length.std()
    z = (log_length - centre) / (spread or 1.0)
    own_score, own_z = _within(score), _within(z)
    cross = np.column_stack([(own_z**2).sum(axis=1), (own_z * own_score).sum(axis=1)])
    columns = np.concatenate([score, z, cross], axis=1)

    def estimate(sums: Numbers) -> tuple[Numbers, Numbers]:
        """The slope and the controlled scores of summed columns."""
        mean_score, mean_z = sums[..., :models] / n, sums[..., models : 2 * models] / n
        between_score, between_z = _within(mean_score), _within(mean_z)
        left = sums[..., -2] - n * (between_z**2).sum(axis=-1)
        left = np.where(left > _LEAST_SPREAD * n * models, left, np.nan)
        slope = (sums[..., -1] - n * (between_z * between_score).sum(axis=-1)) / left
        return slope, mean_score - slope[..., None] * between_z

    slope, controlled = estimate(columns.sum(axis=0))
    if np.isnan(slope):
        return None
    kept = None if strata is None else [stratum for stratum, keep in zip(strata, whole, strict=True) if keep]
    sums = resampled_sums(columns, strata=kept, resamples=resamples)
    drawn_slopes, drawn_controlled = estimate(sums)
    return LengthControl(
        plain=JointScores(tuple(labels), score.mean(axis=0), sums[:, :models] / n, n),
        controlled=JointScores(tuple(labels), controlled, drawn_controlled, n),
        slope=float(slope),
        slope_ci95=percentile_ci95(drawn_slopes, n),
        typical_length=float(np.expm1(centre)),
        n=n,
    )


def _within(values: Numbers) -> Numbers:
    """Each model's values minus the mean of all models, along the last axis."""
    centred: Numbers = values - values.mean(axis=-1, keepdims=True)
    return centred


@dataclass(frozen=True, eq=False, slots=True)
class LengthControl:
    """Mean scores with and without control for length.

    Attributes:
        plain: the mean scores without control, resampled.
        controlled: the same at the typical length.
        slope: points per standard deviation of log length; above 0 where longer answers score better.
        slope_ci95: its 95 % interval over items.
        typical_length: the length at which models are compared, in the unit of `lengths`.
        n: items that all models have.
    """

    plain: JointScores
    controlled: JointScores
    slope: float
    slope_ci95: tuple[float, float] | None
    typical_length: float
    n: int

    def ci95(self, place: int, *, controlled: bool = True) -> tuple[float, float] | None:
        """The 95 % interval of the model at an index."""
        return percentile_ci95((self.controlled if controlled else self.plain).draws[:, place], self.n)
