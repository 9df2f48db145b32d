"""Permutation test of the difference of two ratios over different questions, such as right and wrong answers.

Under the null hypothesis any question may be in either group, so they are dealt out anew. The difference is divided by
its standard error in each permutation, since groups of unequal size and spread would otherwise be called different too
often or too rarely (Janssen 1997; Chung & Romano 2013, The Annals of Statistics 41). Its interval combines those of the
two groups (MOVER: Zou & Donner 2008, Statistics in Medicine 27).
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.stats.permutation import PERMUTATIONS, SEED, sampled_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_MOST_ENUMERATED = 8_192  # ways to deal out the questions; of more, a sample is taken
_CELLS = 2_000_000  # permutations × questions of a block: limits the memory to about 30 MB
_ROUNDING = 1e-9  # relative; statistics this close are ties


def two_sample_ps(first: Numbers, second: Numbers, *, permutations: int = PERMUTATIONS) -> list[float | None]:
    """The two-sided p-values of the differences of several ratios, from the same permutations.

    Args:
        first, second: numerators and denominators of the questions of each group, shape (questions, ratios, 2); zeros
            where a ratio does not apply. A question that is in both groups counts as two, which is cautious.
        permutations: size of the sample, unless all are enumerated.

    Returns:
        For each ratio above 0 and at most 1; None where it is undefined in a group or applies to one question only.

    >>> ones = np.ones((4, 1))
    >>> high, low = (np.stack([level + np.arange(4.0)[:, None], ones], axis=-1) for level in (10, 0))
    >>> round(two_sample_ps(high, low)[0] * 70)  # 2 of 70 ways are as extreme
    2
    """
    rows = np.concatenate([first, second])
    over, under = rows[..., 0], rows[..., 1]
    # Sums from which the standard error of the ratio of any group follows.
    columns = np.stack([over, under, over**2, over * under, under**2, under > 0], axis=-1)
    total, n_ratios = columns.sum(axis=0), columns.shape[1]
    own = columns[: len(first)].sum(axis=0)
    observed = np.abs(_statistics(own, total))
    usable = (own[:, 5] > 1) & (total[:, 5] - own[:, 5] > 1) & ~np.isnan(observed)
    # Infinite where no value varies within its group: only as sharp a division is as extreme.
    least = observed - np.where(np.isinf(observed), 0.0, _ROUNDING * np.maximum(1.0, observed))
    flat = columns.reshape(len(rows), -1)
    extreme, done = np.zeros(n_ratios, dtype=int), 0
    for labels in _dealt(len(first), len(second), permutations):
        statistics = np.abs(_statistics((labels @ flat).reshape(-1, n_ratios, 6), total))
        # One that is undefined counts as extreme, which is conservative.
        extreme += (~(statistics < least)).sum(axis=0)
        done += len(labels)
    enumerated = math.comb(len(rows), len(first)) <= _MOST_ENUMERATED
    return [
        (count / done if enumerated else sampled_p(count, done)) if use else None
        for count, use in zip(extreme.tolist(), usable.tolist(), strict=True)
    ]


def difference_ci95(
    first: float, first_ci95: tuple[float, float], second: float, second_ci95: tuple[float, float]
) -> tuple[float, float]:
    """The 95 % interval of the difference of two independent estimates (Zou & Donner 2008).

    >>> difference_ci95(5.0, (2.0, 9.0), 4.0, (1.0, 8.0))
    (-4.0, 6.0)
    """
    difference = first - second
    low = math.hypot(first - first_ci95[0], second_ci95[1] - second)
    high = math.hypot(first_ci95[1] - first, second - second_ci95[0])
    return difference - low, difference + high


def _statistics(own: Numbers, total: Numbers) -> Numbers:
    """The difference of a group and the rest over its standard error; sums have shape (..., ratios, 6)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = []
        for sums in (own, total - own):
            over, under, over2, product, under2, n = np.moveaxis(sums, -1, 0)
            ratio = over / under
            spread = np.maximum(over2 - 2 * ratio * product + ratio**2 * under2, 0.0)
            parts.append((ratio, spread / under**2 * n / (n - 1)))
        difference = parts[0][0] - parts[1][0]
        variance = parts[0][1] + parts[1][1]
        # Rounding leaves a trace of variance where there is none.
        scale = 1e-12 * (parts[0][0] ** 2 + parts[1][0] ** 2)
        error = np.sqrt(np.where(variance <= scale, 0.0, variance))
        return np.where(np.abs(difference) <= np.sqrt(scale), 0.0 * difference, difference / error)


def _dealt(n_first: int, n_second: int, permutations: int) -> Iterator[Numbers]:
    """Which questions are in the first group, blocks of shape (permutations, questions)."""
    n = n_first + n_second
    if math.comb(n, n_first) <= _MOST_ENUMERATED:
        labels = np.zeros((math.comb(n, n_first), n))
        for row, chosen in zip(labels, combinations(range(n), n_first), strict=True):
            row[list(chosen)] = 1.0
        yield labels
        return
    draws = np.random.default_rng(SEED)
    block = max(1, _CELLS // n)
    for done in range(0, permutations, block):
        size = min(block, permutations - done)
        # A random key for each question; those with the smallest are the first group.
        keys = draws.random((size, n), dtype=np.float32)
        bounds = np.partition(keys, n_first - 1, axis=1)[:, n_first - 1]
        yield (keys <= bounds[:, None]).astype(float)
