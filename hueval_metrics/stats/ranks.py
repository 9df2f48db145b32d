"""Ranks of models, their intervals, and rank changes between two benchmarks.

Models of equal score share the better rank (1, 1, 3), as in the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.stats.joint import JointScores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[np.float64]

_LEAST_SHARED = 2  # models; one alone has no rank
_DECIMALS = 9  # more would break ties: equal sums of thirds and ninths differ by the order of the addition
_LISTED = 3  # names in a message


def ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> Numbers:
    """The ranks of scores, 1 for the best, along the last axis; equal scores share the best of their ranks (1, 1, 3).

    Args:
        scores: of any shape; NaN is not ranked.
        higher_is_better: False for errors, such as `ece`.

    Returns:
        The same shape; NaN where the score is.

    >>> ranks([50.0, 61.2, 61.2, float("nan")])
    array([ 3.,  1.,  1., nan])
    """
    from scipy.stats import rankdata

    values = np.round(np.asarray(scores, dtype=float), _DECIMALS)
    policy = "omit" if np.isnan(values).any() else "propagate"  # looking for gaps row by row takes three times as long
    found = rankdata(-values if higher_is_better else values, "min", axis=-1, nan_policy=policy)
    return np.asarray(found, dtype=float)


def rank_intervals(scores: JointScores, *, higher_is_better: bool = True) -> list[RankInterval | None]:
    """The interval of each model's rank, from its ranks in shared resamples (Goldstein & Spiegelhalter 1996).

    Nearly equal models swap ranks in many resamples, so such an interval tends to be too wide rather than too narrow
    (Hall & Miller 2009).

    Args:
        scores: of all models, resampled together.
        higher_is_better: False for errors, such as `ece`.

    Returns:
        One a model, in their order; None for a model without a score.
    """
    observed = ranks(scores.values, higher_is_better=higher_is_better)
    scored = np.isfinite(observed)
    drawn = ranks(scores.draws[:, scored], higher_is_better=higher_is_better)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    found: list[RankInterval | None] = [None] * len(observed)
    if not len(drawn):
        return found
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0, method="inverted_cdf")
    is_first = drawn == 1
    shares = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
    for place, own_low, own_high, share in zip(np.flatnonzero(scored), low, high, shares, strict=True):
        rank = int(observed[place])
        found[place] = RankInterval(rank, min(int(own_low), rank), max(int(own_high), rank), float(share))
    return found


def rank_change(ours: Mapping[str, float], theirs: Mapping[str, float]) -> RankChange:
    """How two rankings of the same models differ (arXiv:2503.21500, §3.4).

    Args:
        ours: model → rank, 1 for the best; ranks may be shared, and may have gaps.
        theirs: the same for another benchmark.

    Returns:
        The change from theirs to ours, over the models that both have, re-ranked among themselves.

    Raises:
        InputError: they share fewer than two models.
    """
    shared = [model for model in ours if model in theirs]
    only_ours = tuple(model for model in ours if model not in theirs)
    only_theirs = tuple(model for model in theirs if model not in ours)
    if len(shared) < _LEAST_SHARED:
        raise InputError(
            f"models in both rankings: {len(shared)}, at least {_LEAST_SHARED} are needed. Only ours: "
            f"{_few(only_ours)}. Only theirs: {_few(only_theirs)}. Give both the same names"
        )
    our_ranks = ranks([ours[model] for model in shared], higher_is_better=False)
    their_ranks = ranks([theirs[model] for model in shared], higher_is_better=False)
    moves = (their_ranks - our_ranks).astype(int)
    tau, tau_p, rho, rho_p = _correlations(our_ranks, their_ranks)
    return RankChange(
        ranks={model: (int(own), int(other)) for model, own, other in zip(shared, our_ranks, their_ranks, strict=True)},
        moved=100 * float((moves != 0).mean()),
        mean_change=float(np.abs(moves).mean()),
        kendall_tau=tau,
        kendall_p=tau_p,
        spearman_rho=rho,
        spearman_p=rho_p,
        only_ours=only_ours,
        only_theirs=only_theirs,
    )


def _correlations(first: Numbers, second: Numbers) -> tuple[float | None, ...]:
    """Kendall's tau-b and Spearman's rho, each with its p; None where all models share one rank."""
    from scipy.stats import kendalltau, spearmanr

    if len(set(first)) < 2 or len(set(second)) < 2:
        return None, None, None, None
    tau, rho = kendalltau(first, second, variant="b"), spearmanr(first, second)
    found = (tau.statistic, tau.pvalue, rho.statistic, rho.pvalue)
    return tuple(float(number) if np.isfinite(number) else None for number in found)


def _few(names: Sequence[str]) -> str:
    listed = ", ".join(one_line(name, 60) for name in names[:_LISTED]) or "none"
    return listed + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


@dataclass(frozen=True, slots=True)
class RankInterval:
    """A model's rank with its uncertainty.

    Attributes:
        rank: 1 for the best; shared by equal scores.
        low, high: its 95 % interval, both ends ranks.
        p_first: share of the resamples in which the model is first, 0 to 1; a first rank shared by two counts half.
    """

    rank: int
    low: int
    high: int
    p_first: float


@dataclass(frozen=True, slots=True)
class RankChange:
    """How our ranking differs from another benchmark's, over the models that both have.

    Attributes:
        ranks: model → (our rank, their rank) among these models.
        moved: percent of them with another rank.
        mean_change: mean absolute difference of the two ranks, in positions.
        kendall_tau, kendall_p: tau-b (Kendall 1945), and two-sided p; None where all models share one rank.
        spearman_rho, spearman_p: (Spearman 1904) likewise; p is approximate with so few models.
        only_ours, only_theirs: models that were left out.
    """

    ranks: Mapping[str, tuple[int, int]]
    moved: float
    mean_change: float
    kendall_tau: float | None
    kendall_p: float | None
    spearman_rho: float | None
    spearman_p: float | None
    only_ours: tuple[str, ...] = ()
    only_theirs: tuple[str, ...] = ()

    @property
    def moves(self) -> dict[str, int]:
        """Model → their rank minus ours; positive where our rank is better."""
        return {model: theirs - ours for model, (ours, theirs) in self.ranks.items()}
