"""The bootstrap: sums of rows drawn with replacement, from which any metric is recomputed (Efron & Tibshirani 1993).

A row is a cluster: values that are not independent, such as the blanks of a question or two presentations of an item,
are drawn together (Davison & Hinkley 1997, §3.8). Resampling is stratified (§3.2 there), since a benchmark fixes how
many questions a dimension has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Indices = NDArray[np.intp]

RESAMPLES = 10_000
SEED = 0
LEAST_STRATUM = 20  # rows; resampling m rows shows (m - 1) / m of their variance: 0 with one row, 95 % with 20
_CELLS = 2_000_000  # resamples × rows of a block: limits the memory to about 50 MB
_FEW_RUNS = 12  # of equal rows, up to which comparing each draw with where they end is faster than counting rows


def resampled_sums(
    columns: Numbers,
    *,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int | Sequence[int] = SEED,
    cells: int = _CELLS,
) -> Numbers:
    """The column sums of each resample.

    All columns share the same draws, so that two metrics, or two models over the same items, stay paired. Two calls
    with the same number of rows, strata and seed share them as well.

    Args:
        columns: shape (n, m), a row for each independent cluster; n ≥ 1.
        strata: the stratum of each row; None for one stratum. Those of fewer than `LEAST_STRATUM` rows are merged
            (`collapsed`).
        resamples: number of resamples.
        seed: of the random number generator.
        cells: resamples × rows that are held at once, 25 bytes each.

    Returns:
        Shape (resamples, m).

    >>> resampled_sums(np.ones((50, 1)), resamples=3)[:, 0]
    array([50., 50., 50.])
    """
    n = len(columns)
    members = _members(strata, n)
    order = np.concatenate(members)
    rows = np.ascontiguousarray(columns[order], dtype=float)
    draws = np.random.default_rng(seed)
    block = max(1, cells // n)
    blocks = [min(block, resamples - done) for done in range(0, resamples, block)]
    runs = _runs(rows, members)
    if runs is None:
        return np.concatenate([_weights(draws, members, one) @ rows for one in blocks])
    starts = [first + run for first, some in zip(_firsts(members), runs, strict=True) for run in some]
    return np.concatenate([_run_weights(draws, members, runs, one) @ rows[starts] for one in blocks])


def collapsed(strata: Sequence[Hashable]) -> Indices:
    """Strata as numbers; a small one is merged into the next larger one until each has `LEAST_STRATUM` rows.

    Resampling a stratum of one or two rows shows none or half of its variance (collapsed strata: Cochran 1977, Sampling
    Techniques, §5A.12).

    >>> collapsed(["l"] * 40 + ["h"] * 30 + ["f"] * 2).tolist() == [0] * 40 + [1] * 32
    True
    """
    places = {stratum: place for place, stratum in enumerate(dict.fromkeys(strata))}
    codes = np.fromiter((places[stratum] for stratum in strata), np.intp, len(strata))
    sizes = Counter(codes.tolist())
    while len(sizes) > 1:
        smallest, second = sorted(sizes, key=lambda code: (sizes[code], code))[:2]
        if sizes[smallest] >= LEAST_STRATUM:
            break
        codes[codes == smallest] = second
        sizes[second] += sizes.pop(smallest)
    return codes


def _members(strata: Sequence[Hashable] | None, n: int) -> list[Indices]:
    """The rows of each stratum."""
    if strata is None:
        return [np.arange(n)]
    codes = collapsed(strata)
    return [np.flatnonzero(codes == code) for code in np.unique(codes)]


def _firsts(members: Sequence[Indices]) -> Indices:
    """Where the rows of each stratum begin, in the order of `members`."""
    return np.cumsum([0, *map(len, members[:-1])])


def _runs(rows: Numbers, members: Sequence[Indices]) -> list[Indices] | None:
    """Where runs of equal rows begin within each stratum; None where there are many, or where sums of them would be
    rounded otherwise than sums of single rows: whole numbers are summed exactly in any order.
    """
    if (rows != np.rint(rows)).any() or np.abs(rows).max(initial=0) * len(rows) >= 2**53:
        return None
    differs = (rows[1:] != rows[:-1]).any(axis=1)
    if np.count_nonzero(differs) + len(members) > _FEW_RUNS:
        return None
    ends = [*_firsts(members).tolist(), len(rows)]
    return [np.append(0, np.flatnonzero(differs[first : end - 1]) + 1) for first, end in pairwise(ends)]


def _run_weights(
    draws: np.random.Generator, members: Sequence[Indices], runs: Sequence[Indices], resamples: int
) -> Numbers:
    """How often a row of each run is drawn; the same draws as those of `_weights`."""
    parts = []
    for rows, starts in zip(members, runs, strict=True):
        m = len(rows)
        # Numbers of 32 bits are drawn from the same bits as those of 64 while they are small enough.
        drawn = draws.integers(0, m, size=(resamples, m), dtype=np.int32 if m < 2**31 else np.int64)
        below = [np.count_nonzero(drawn < start, axis=1) for start in starts[1:]]
        parts.append(np.diff([np.zeros(resamples, np.intp), *below, np.full(resamples, m)], axis=0).T)
    return np.concatenate(parts, axis=1).astype(float)


def _weights(draws: np.random.Generator, members: Sequence[Indices], resamples: int) -> Numbers:
    """How often each row is drawn, rows in the order of `members`; shape (resamples, n)."""
    parts = []
    for rows in members:
        m = len(rows)
        drawn = draws.integers(0, m, size=(resamples, m))
        drawn += np.arange(0, resamples * m, m)[:, None]
        parts.append(np.bincount(drawn.ravel(), minlength=resamples * m).reshape(resamples, m))
    return np.concatenate(parts, axis=1).astype(float)
