"""Pairwise wins and mean rank of models over several tasks, with intervals.

On a task, a model beats another where the interval of the difference of their scores excludes 0; where it does not,
the pair counts half for each of them. Wins are the share of the other models that a model beats, averaged over the
tasks: no scores of unlike metrics are added. The mean rank is that of `ranks.ranks`, averaged likewise.

Both intervals come from draws of the scores: resamples of the items (`joint.JointScores`), or, where the published
scores are all that is known, `published_task`. In a draw a model beats those that are behind, so the interval is about
which models are truly behind, and it is extended to hold the estimate (as `ranks.rank_intervals`, for the same reason).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.errors import InputError
from hueval_metrics.stats.bootstrap import SEED
from hueval_metrics.stats.ranks import ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Counts = NDArray[np.int64]

_DRAWS = 1000
_LEAST_DRAWS = 200
_SCORES = 1_000_000  # drawn for a task, unless those are fewer draws than `_LEAST_DRAWS`: limits time and memory
_CELLS = 4_000_000  # pairs of models compared at a time: limits the memory to about 100 MB
_Z95 = 1.959963984540054  # standard errors that an arm of a 95 % interval stands for


def standings(tasks: Sequence[TaskOfAll]) -> list[Standing]:
    """The wins and the mean rank of each model over some tasks.

    Args:
        tasks: at least one, each with scores of the same models, two or more, in one order.

    Returns:
        One a model, in their order.

    Raises:
        InputError: there is no task, or fewer than two models, or their number differs.
    """
    sizes = {len(task.values) for task in tasks}
    if len(sizes) != 1 or min(sizes) < 2:
        raise InputError("wins need the same two or more models on each task. Leave out models that lack a task")
    (n,) = sizes
    wins = np.mean([_share(task.won, task.lost, n) for task in tasks], axis=0)
    mean_ranks = np.mean([ranks(task.values, higher_is_better=task.higher_is_better) for task in tasks], axis=0)
    n_draws = min(len(task.draws) for task in tasks)
    drawn_wins, drawn_ranks = np.zeros((n_draws, n)), np.zeros((n_draws, n))
    for task in tasks:
        draws = task.draws[:n_draws]
        ahead, behind = (ranks(draws, higher_is_better=higher) - 1 for higher in (True, False))
        if not task.higher_is_better:
            ahead, behind = behind, ahead
        drawn_wins += _share(behind, ahead, n) / len(tasks)
        drawn_ranks += (ahead + 1) / len(tasks)
    ends = zip(_ends(drawn_wins, wins), _ends(drawn_ranks, mean_ranks), strict=True)
    return [
        Standing(float(won), won_ends, float(rank), rank_ends)
        for won, rank, (won_ends, rank_ends) in zip(wins, mean_ranks, ends, strict=True)
    ]


def published_task(
    name: str, values: Numbers, ci95: Numbers, *, higher_is_better: bool = True, seed: int = SEED
) -> TaskOfAll:
    """The scores of a task of which only the published ones and their intervals are known.

    Draws are independent, as if each model had answered other items, and normal to each side: an arm of the interval is
    1.96 standard errors. In truth the items are shared and differences vary less, so the intervals are too wide rather
    than too narrow.

    Args:
        name: of the task: distinguishes its draws from those of other tasks.
        values: the scores, shape (models,).
        ci95: their 95 % intervals, shape (models, 2); of no width where a score has none.
        higher_is_better: False for errors.
        seed: of the random number generator; numbers are the same for the same scores.
    """
    _better, won, lost = decided(values, ci95, higher_is_better=higher_is_better)
    n_draws = min(_DRAWS, max(_LEAST_DRAWS, _SCORES // len(values)))
    normal = np.random.default_rng((seed, zlib.crc32(name.encode()))).standard_normal((n_draws, len(values)))
    arms = np.where(normal < 0, values - ci95[:, 0], ci95[:, 1] - values) / _Z95
    return TaskOfAll(values, won, lost, values + normal * arms, higher_is_better)


def decided(values: Numbers, ci95: Numbers, *, higher_is_better: bool = True) -> tuple[Counts, Counts, Counts]:
    """How many of the other scores are better than each, how many it beats, and how many beat it.

    A score beats another where the interval of their difference (`two_sample.difference_ci95`) excludes 0.

    Args:
        values, ci95, higher_is_better: as for `published_task`.

    >>> [counts.tolist() for counts in decided(np.array([9.0, 8.0, 1.0]), np.array([[7, 11], [6, 10], [0, 2]]))]
    [[0, 1, 2], [1, 1, 0], [0, 0, 2]]
    """
    n, sign = len(values), 1 if higher_is_better else -1
    scores, ends = sign * np.asarray(values, dtype=float), sign * np.asarray(ci95, dtype=float)
    below, above = (scores - ends.min(axis=1)) ** 2, (ends.max(axis=1) - scores) ** 2
    better, won, lost = (np.zeros(n, dtype=np.int64) for _ in range(3))
    block = max(1, _CELLS // max(1, n))
    for start in range(0, n, block):
        part = slice(start, start + block)
        gaps = scores[None, :] - scores[part, None]  # of all others over each of the block
        squares = gaps**2
        better[part] = (gaps > 0).sum(axis=1)
        lost[part] = ((gaps > 0) & (squares > below[None, :] + above[part, None])).sum(axis=1)
        won[part] = ((gaps < 0) & (squares > above[None, :] + below[part, None])).sum(axis=1)
    return better, won, lost


def _share(won: NDArray[np.generic], lost: NDArray[np.generic], n: int) -> Numbers:
    """The share of the n - 1 others that each of n models beats, those neither won nor lost counting half."""
    return np.asarray((1 + (np.asarray(won, float) - np.asarray(lost, float)) / (n - 1)) / 2)


def _ends(drawn: Numbers, observed: Numbers) -> list[tuple[float, float]]:
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0, method="inverted_cdf")
    return list(zip(np.minimum(low, observed).tolist(), np.maximum(high, observed).tolist(), strict=True))


@dataclass(frozen=True, eq=False, slots=True)
class TaskOfAll:
    """One task with a score of every model; to be made from paired differences, or by `published_task`.

    Attributes:
        values: the scores, shape (models,).
        won, lost: how many of the others each model beats, and how many beat it, shape (models,).
        draws: of the scores, shape (draws, models); of one number on all tasks, else the fewest are used.
        higher_is_better: False for errors.
    """

    values: Numbers
    won: Counts
    lost: Counts
    draws: Numbers
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place among others over several tasks.

    Attributes:
        wins: share of the others that it beats, 0 to 1, pairs not told apart counting half; mean over the tasks.
        wins_ci95: its 95 % interval.
        mean_rank: mean over the tasks of its rank, 1 for the best.
        mean_rank_ci95: its 95 % interval.
    """

    wins: float
    wins_ci95: tuple[float, float]
    mean_rank: float
    mean_rank_ci95: tuple[float, float]
