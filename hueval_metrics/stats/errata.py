"""Votes on whether the key of an item is wrong: the answers of good models weigh more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]


_ROUNDING = 1e-12  # a smaller spread of scores is none


def vote_weights(right: Numbers, items: Integers) -> Numbers:
    """The weight of each model at each item: exp(z) of its score on all other items.

    A model's own answer to an item would raise its weight where it agrees with the key, so that item is left out.

    Args:
        right: 1 for a right answer, 0 for another, NaN for none; a row a model, a column an item or part of one.
        items: of each column the item that it is of, from 0.

    Returns:
        Above 0, a row a model, a column an item; 1 where a model has no other items, or all models score the same.

    >>> vote_weights(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([0, 1])).round(2).tolist()
    [[4.11, 2.03], [0.49, 2.03], [0.49, 0.24]]
    """
    known = ~np.isnan(right)
    sums, counts = np.zeros((2, int(items.max(initial=-1)) + 1, len(right)))
    np.add.at(sums, items, np.where(known, right, 0.0).T)
    np.add.at(counts, items, known.T)
    others = counts.sum(axis=0) - counts
    score = np.ma.masked_array(sums.sum(axis=0) - sums, others == 0) / np.maximum(others, 1)
    above, spread = score - score.mean(axis=1, keepdims=True), np.ma.filled(score.std(axis=1, keepdims=True), 0.0)
    z = np.ma.filled(above / np.where(spread > _ROUNDING, spread, np.inf), 0.0)
    weights: Numbers = np.exp(z).T
    return weights
