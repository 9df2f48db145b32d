"""Paired permutation test of the difference between two models.

Under the null hypothesis either model may have given either set of answers to a cluster of items, so the two are
swapped at random, cluster by cluster (Fisher 1935, §21; Noreen 1989; Dror et al. 2018). All swaps are enumerated where
few clusters differ; otherwise a sample of them includes the observed one, so that p is never 0 (Phipson & Smyth 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

PERMUTATIONS = 10_000
MOST_PERMUTATIONS = 100_000
SEED = 0
EXACT_UP_TO = 13  # clusters that differ: 2 ** 13 = 8,192 swaps are fewer than a sample
_A_TEST = 25  # permutations for each test of a family: the smallest p times the number of tests is 0.04
_CELLS = 2_000_000  # permutations × clusters, or × columns, of a block: limits the memory to about 50 MB
_BLOCK_UNIT = 4  # permutations; the generator draws four signs at a time, so such blocks do not shift its stream
_ROUNDING = 1e-9  # relative; differences this close are ties


def permutation_p(
    first: Numbers, second: Numbers, of: Callable[[Numbers], Numbers], *, permutations: int = PERMUTATIONS
) -> float | None:
    """The two-sided p-value of the difference between two models.

    Args:
        first, second: the terms of each model, shape (clusters, k), rows alike.
        of: from sums of shape (..., k) to the metric.
        permutations: size of the sample, unless all swaps are enumerated.

    Returns:
        Above 0, at most 1; 1 where no cluster differs; None where the metric of either model is undefined.

    >>> right = np.array([[1.0, 1.0]] * 5)
    >>> wrong = np.array([[0.0, 1.0]] * 5)
    >>> permutation_p(right, wrong, lambda sums: sums[..., 0] / sums[..., 1])  # 2 of 32 swaps are as extreme
    0.0625
    """
    ours, theirs = first.sum(axis=0), second.sum(axis=0)
    if np.isnan(of(ours) - of(theirs)):
        return None
    differ = (first != second).any(axis=1)
    n = int(differ.sum())
    if n <= EXACT_UP_TO:
        return n_extreme(ours, theirs, all_signs(n) @ (first - second)[differ], of) / 2**n
    blocks = signed_sums([first - second], permutations=permutations)
    return sampled_p(sum(n_extreme(ours, theirs, swaps, of) for (swaps,) in blocks), permutations)


def enough_permutations(n_tests: int) -> int:
    """How many permutations a p below 0.05 after Holm's correction needs, up to `MOST_PERMUTATIONS`.

    >>> enough_permutations(8), enough_permutations(900), enough_permutations(20_000)
    (10000, 22500, 100000)
    """
    return min(max(PERMUTATIONS, _A_TEST * n_tests), MOST_PERMUTATIONS)


def n_extreme(ours: Numbers, theirs: Numbers, swaps: Numbers, of: Callable[[Numbers], Numbers]) -> int:
    """How many swaps have a difference at least as large as the observed one.

    Args:
        ours, theirs: the sums of each model's terms, shape (k,), of which the metric is defined.
        swaps: sums of their differences with a sign before each cluster, shape (swaps, k).
        of: from sums to the metric.
    """
    observed, both = abs(float(of(ours) - of(theirs))), ours + theirs
    differences = of((both + swaps) / 2) - of((both - swaps) / 2)
    # A swap with an undefined metric counts as extreme, which is conservative.
    return int((~(np.abs(differences) < observed - _ROUNDING * max(1.0, observed))).sum())


def sampled_p(extreme: int, permutations: int) -> float:
    """The p-value of a sample of swaps that includes the observed one (Phipson & Smyth 2010)."""
    return (1 + extreme) / (1 + permutations)


def signed_sums(tables: Sequence[Numbers], *, permutations: int = PERMUTATIONS) -> Iterator[list[Numbers]]:
    """The column sums of tables with a random sign before each row, a block of permutations at a time.

    A swap changes the sign of a cluster's difference. All columns share the signs, so that the columns of any two
    models can be subtracted: one pass serves all pairs.

    Args:
        tables: each of shape (clusters, m); the same clusters, at least one table.
        permutations: number of permutations. The signs do not depend on the tables.

    Yields:
        For each table its sums, shape (block, m); the blocks have as many rows as there are permutations.
    """
    n = len(tables[0])
    given = [np.flatnonzero(table.any(axis=1)) for table in tables]  # within a dimension most rows are zero
    dense = [(table[rows], None if len(rows) == n else rows) for table, rows in zip(tables, given, strict=True)]
    draws = np.random.default_rng(SEED)
    cells = max(n, sum(table.shape[1] for table in tables), 1)
    block = max(1, _CELLS // cells // _BLOCK_UNIT) * _BLOCK_UNIT
    for done in range(0, permutations, block):
        size = (min(block, permutations - done), n)
        signs = _signs(draws.integers(0, 2, size=size, dtype=np.int8))
        yield [(signs if rows is None else signs[:, rows]) @ table for table, rows in dense]


@cache
def all_signs(n: int) -> Numbers:
    """Every pattern of n signs; shape (2 ** n, n)."""
    return _signs((np.arange(2**n)[:, None] >> np.arange(n)) & 1)


def _signs(bits: NDArray[np.integer]) -> Numbers:
    """0 and 1 as -1.0 and 1.0."""
    return bits.astype(float) * 2 - 1
