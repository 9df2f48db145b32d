"""Differential errors: whether a judge errs in another way on some models (differential item functioning).

A correction from other runs holds only if the judge treats a model's answers as it treats theirs. The permutation test
compares what the judge says about items that the reference rates alike, as the Mantel-Haenszel procedure does (Holland
& Thayer 1988), here for any number of labels and groups, or for scores.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.stats.agreement import Rating
from hueval_metrics.stats.permutation import PERMUTATIONS, SEED, sampled_p

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Statistic = Callable[[np.random.Generator | None, int], Numbers]

LEAST_GROUP = 20  # items; a smaller group shows no pattern of errors
_CELLS = 2_000_000  # permutations × items of a block: limits the memory to about 50 MB
_ROUNDING = 1e-9  # relative; statistics this close are ties


def differential_errors(
    judge: Sequence[Rating],
    reference: Sequence[Rating],
    groups: Sequence[Hashable],
    weights: Sequence[float] | None = None,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> Differential | None:
    """Test whether the judge's ratings of items that the reference rates alike differ between groups.

    Of labels, the statistic is the sum over the reference's labels of Pearson's chi-square of judge's label and group,
    and the judge's labels are permuted within the reference's. Of scores, it is the part of the judge's scores that
    groups explain beyond a straight line through the reference's; what the line leaves is permuted (Freedman & Lane
    1983).

    Items that were drawn by the judge's rating show its errors in other proportions, and in a group's own where it was
    drawn at rates of its own. With weights, a random part of the items is compared: of each rating as many as if it had
    been drawn at the same relative rate in all groups. Where the rates are the same, these are all.

    Args:
        judge, reference: the ratings of the items that both rated, all labels or all scores.
        groups: of each item, such as its run or the family of its model; those of fewer than `LEAST_GROUP` items are
            left out.
        weights: of each item, how many of its group it stands for; None for 1.
        permutations: number of permutations.
        seed: of the random number generator.

    Returns:
        The test; None where fewer than two groups are left.

    >>> pairs = [("YES", "YES")] * 30 + [("NO", "YES")] * 30  # the judge finds all of one group, and none of the other
    >>> differential_errors(*zip(*pairs), ["a"] * 30 + ["b"] * 30, permutations=999).p
    0.001
    """
    if weights is not None:
        same = _drawn_alike(judge, groups, np.array(weights, dtype=float), np.random.default_rng([seed, 1]))
        judge, reference, groups = ([some[place] for place in same] for some in (judge, reference, groups))
    names = list(dict.fromkeys(groups))
    large = {name for name in names if sum(group == name for group in groups) >= LEAST_GROUP}
    kept = [place for place, group in enumerate(groups) if group in large]
    if len(large) < 2:
        return None
    codes = _codes([groups[place] for place in kept])
    ours, theirs = ([ratings[place] for place in kept] for ratings in (judge, reference))
    statistic = _of_scores(ours, theirs, codes) if isinstance(ours[0], float | int) else _of_labels(ours, theirs, codes)
    draws = np.random.default_rng(seed)
    block = max(1, _CELLS // len(kept))
    observed, extreme = float(statistic(None, 1)[0]), 0
    for done in range(0, permutations, block):
        found = statistic(draws, min(block, permutations - done))
        extreme += int((found >= observed - _ROUNDING * max(1.0, observed)).sum())
    return Differential(sampled_p(extreme, permutations), len(kept), tuple(name for name in names if name in large))


def _drawn_alike(
    judge: Sequence[Rating], groups: Sequence[Hashable], weights: Numbers, draws: np.random.Generator
) -> Integers:
    """The places of items that are kept, so that each rating of the judge is drawn at one relative rate in all groups.

    An item is drawn with a probability proportional to 1 / weight in its group, and kept with one proportional to the
    weight, so that the product does not depend on the group.
    """
    kept = weights
    for codes in (_codes(groups), _codes(judge)):
        most = np.zeros(codes.max(initial=-1) + 1)
        np.maximum.at(most, codes, kept)
        kept = kept / most[codes]
    return np.flatnonzero(draws.random(len(kept)) < kept)


def _codes(names: Sequence[Hashable]) -> Integers:
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names], dtype=np.intp)


def _of_labels(judge: Sequence[Rating], reference: Sequence[Rating], groups: Integers) -> Statistic:
    """The sum of Pearson's chi-squares over the labels of the reference."""
    ours, theirs = _codes(judge), _codes(reference)
    parts = []
    for label in range(theirs.max() + 1):
        members = np.flatnonzero(theirs == label)
        one_hot = np.eye(ours.max() + 1)[ours[members]]
        shares = one_hot.mean(axis=0)
        used = shares > 0
        # The squares of the groups' sums of these, over the groups' sizes, are the terms of chi-square.
        parts.append((members, (one_hot[:, used] - shares[used]) / np.sqrt(shares[used])))

    def statistic(draws: np.random.Generator | None, times: int) -> Numbers:
        found = np.zeros(times)
        for members, values in parts:
            inside = _permuted(groups[members], draws, times)
            for group in np.unique(groups[members]):
                is_in = inside == group
                found += ((is_in @ values) ** 2).sum(axis=1) / is_in[0].sum()
        return found

    return statistic


def _of_scores(judge: Sequence[Rating], reference: Sequence[Rating], groups: Integers) -> Statistic:
    """The share of the squared residuals of a line that groups explain."""
    ours, theirs = np.array(judge, dtype=float), np.array(reference, dtype=float)
    line = _basis(np.column_stack([np.ones_like(theirs), theirs]))
    residuals = ours - line @ (line.T @ ours)
    dummies = np.eye(groups.max() + 1)[groups]
    beyond = _basis(dummies - line @ (line.T @ dummies))

    def statistic(draws: np.random.Generator | None, times: int) -> Numbers:
        some = _permuted(residuals, draws, times)
        left = (some**2).sum(axis=1) - ((some @ line) ** 2).sum(axis=1)
        return np.asarray(((some @ beyond) ** 2).sum(axis=1) / np.maximum(left, _ROUNDING))

    return statistic


def _basis(columns: Numbers) -> Numbers:
    """An orthonormal basis of the space of some columns."""
    vectors, values, _ = np.linalg.svd(columns, full_matrices=False)
    return vectors[:, values > _ROUNDING * max(1.0, values[0])]


def _permuted(values: NDArray[Any], draws: np.random.Generator | None, times: int) -> NDArray[Any]:
    """Values in random orders, or, without a generator, once in their own; shape (times, n)."""
    return values[None] if draws is None else draws.permuted(np.tile(values, (times, 1)), axis=1)


@dataclass(frozen=True, slots=True)
class Differential:
    """A test of differential errors.

    Attributes:
        p: of equal errors in all groups.
        n: items that were compared.
        groups: these groups.
    """

    p: float
    n: int
    groups: tuple[Hashable, ...]
