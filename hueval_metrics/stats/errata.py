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
    n_items = int(items.max(initial=-1)) + 1
    known = ~np.isnan(right)
    rows = list(zip(np.where(known, right, 0.0), known.astype(float), strict=True))
    sums, counts = (
        np.array([np.bincount(items, weights=row[part], minlength=n_items) for row in rows]) for part in (0, 1)
    )
    others = counts.sum(axis=1, keepdims=True) - counts
    has_others = others > 0
    score = np.where(has_others, sums.sum(axis=1, keepdims=True) - sums, 0.0) / np.where(has_others, others, 1.0)
    n_models = np.maximum(has_others.sum(axis=0), 1)
    above = np.where(has_others, score - np.where(has_others, score, 0.0).sum(axis=0) / n_models, 0.0)
    spread = np.sqrt((above**2).sum(axis=0) / n_models)
    is_spread = spread > _ROUNDING
    z = np.where(is_spread, above / np.where(is_spread, spread, 1.0), 0.0)
    weights: Numbers = np.exp(z)
    return weights
