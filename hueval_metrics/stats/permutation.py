"""Paired permutation test: is the difference of two models larger than who gave which answers would make it?

Under the null hypothesis either model might have given either set of answers to a cluster of items, so the two are
swapped at random, cluster by cluster (Fisher 1935, §21; Noreen 1989; Dror et al. 2018). All swaps are
enumerated where few clusters differ; else a sample of them counts the observed one among them, so that p is never 0
(Phipson & Smyth 2010).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

PERMUTATIONS = 10_000
SEED = 0
EXACT_UP_TO = 13  # clusters that differ: 2 ** 13 = 8,192 swaps are fewer than a sample
_CELLS = 2_000_000  # permutations × clusters of a block, bounds the memory
_ROUNDING = 1e-9  # relative; differences this close are ties


def permutation_p(
    first: Numbers, second: Numbers, of: Callable[[Numbers], Numbers], *, signed: tuple[Numbers, Numbers] | None = None
) -> float | None:
    """The two-sided p-value of the difference between two models.

    Args:
        first, second: the terms of each model, shape (clusters, k), rows alike.
        of: from sums of shape (..., k) to the metric.
        signed: `signed_sums` of the two, where they are at hand already; used unless all swaps are enumerated.

    Returns:
        Above 0, at most 1; 1 where no cluster differs; None where the metric of either model is undefined.

    >>> right = np.array([[1.0, 1.0]] * 5)
    >>> wrong = np.array([[0.0, 1.0]] * 5)
    >>> permutation_p(right, wrong, lambda sums: sums[..., 0] / sums[..., 1])  # 2 of 32 swaps are as extreme
    0.0625
    """
    observed = float(of(first.sum(axis=0)) - of(second.sum(axis=0)))
    if np.isnan(observed):
        return None
    differ = (first != second).any(axis=1)
    is_exact = differ.sum() <= EXACT_UP_TO
    if is_exact:
        swaps = _all_signs(int(differ.sum())) @ (first - second)[differ]
    else:
        ours, theirs = signed or (signed_sums(first), signed_sums(second))
        swaps = ours - theirs
    both = first.sum(axis=0) + second.sum(axis=0)
    differences = of((both + swaps) / 2) - of((both - swaps) / 2)
    # What a swap leaves undefined counts as extreme, the cautious side.
    extreme = ~(np.abs(differences) < abs(observed) - _ROUNDING * max(1.0, abs(observed)))
    return float(extreme.mean()) if is_exact else float((1 + extreme.sum()) / (1 + len(extreme)))


def signed_sums(columns: Numbers, *, permutations: int = PERMUTATIONS, seed: int = SEED) -> Numbers:
    """The column sums with a random sign before each row.

    A swap turns the sign of a cluster's difference. All columns get the same signs, so that those of any two models can
    be subtracted: one pass serves all pairs.

    Args:
        columns: shape (clusters, m).
        permutations: how many.
        seed: of the random numbers.

    Returns:
        Shape (permutations, m).
    """
    n = len(columns)
    draws = np.random.default_rng(seed)
    block = max(1, _CELLS // max(n, 1))
    blocks = [min(block, permutations - done) for done in range(0, permutations, block)]
    return np.concatenate([_signs(draws.integers(0, 2, size=(size, n), dtype=np.int8)) @ columns for size in blocks])


@cache
def _all_signs(n: int) -> Numbers:
    """Every pattern of n signs; shape (2 ** n, n)."""
    return _signs((np.arange(2**n)[:, None] >> np.arange(n)) & 1)


def _signs(bits: NDArray[np.integer]) -> Numbers:
    """0 and 1 as -1.0 and 1.0."""
    return bits.astype(float) * 2 - 1
