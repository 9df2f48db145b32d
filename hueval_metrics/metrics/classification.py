"""Metrics of single-label classification, all made of one confusion matrix.

A value is (gold, guess), the indices of two classes; a guess of None could not be read. It is a prediction that is
never right: wrong for accuracy, a miss for recall and F1, and a column of its own in the confusion matrix, so that
empty replies have a Matthews correlation of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.metric import Metric

if TYPE_CHECKING:
    from hueval_metrics.metric import Numbers

    Parts = tuple[Numbers, Numbers, Numbers]


def mcc(n_classes: int) -> Metric:
    """Matthews correlation × 100 for any number of classes (R_K, Gorodkin 2004, eq. 8); 0 where it is undefined.

    >>> mcc(2)([(0, 0), (1, 1), (1, 0), (0, 0)]), mcc(2)([(0, None), (1, None)])
    (57.73502691896258, 0.0)
    """
    return _of_confusion("mcc", n_classes, _mcc, bounds=(-100.0, 100.0))


def balanced_accuracy(n_classes: int) -> Metric:
    """Mean recall × 100 over the classes that occur in gold."""
    return _of_confusion("balanced_accuracy", n_classes, _balanced_accuracy)


def f1_macro(n_classes: int) -> Metric:
    """Mean F1 × 100 over all classes; of a class that occurs in neither gold nor guesses it is 0."""
    return _of_confusion("f1_macro", n_classes, lambda parts: 100 * _f1(parts).mean(axis=-1))


def f1_weighted(n_classes: int) -> Metric:
    """Mean F1 × 100 over all classes, each weighted by how often it is gold."""
    return _of_confusion("f1_weighted", n_classes, _f1_weighted)


ACCURACY = Metric(
    "accuracy",
    lambda values: (sum(gold == guess for gold, guess in values), len(values)),
    lambda sums: 100 * sums[..., 0] / sums[..., 1],
)
"""Share of right guesses × 100."""


def _of_confusion(name: str, n_classes: int, compute: Callable[[Parts], Numbers], **settings: Any) -> Metric:
    def computed(sums: Numbers) -> Numbers:
        return np.where(sums.sum(axis=-1) > 0, compute(_parts(n_classes, sums)), np.nan)

    return Metric(
        name,
        partial(_confusion, n_classes),
        computed,
        size=lambda sums: np.asarray(sums.sum(axis=-1)),
        is_mean=False,
        **settings,
    )


def _confusion(n_classes: int, values: Sequence[Any]) -> list[float]:
    """The confusion matrix of (gold, guess) pairs, gold by row; the last column counts unreadable guesses."""
    counts = [0.0] * (n_classes * (n_classes + 1))
    for gold, guess in values:
        counts[gold * (n_classes + 1) + (n_classes if guess is None else guess)] += 1
    return counts


def _parts(n_classes: int, sums: Numbers) -> Parts:
    """Of each class: how often a guess was right, how often it is gold, how often it was guessed (unreadable last)."""
    table = sums.reshape(*sums.shape[:-1], n_classes, n_classes + 1)
    return table.diagonal(axis1=-2, axis2=-1), table.sum(axis=-1), table.sum(axis=-2)


def _mcc(parts: Parts) -> Numbers:
    hits, gold, guessed = parts
    n = gold.sum(axis=-1)
    covariance = hits.sum(axis=-1) * n - (gold * guessed[..., :-1]).sum(axis=-1)
    spread = np.sqrt((n**2 - (gold**2).sum(axis=-1)) * (n**2 - (guessed**2).sum(axis=-1)))
    return np.where(spread == 0, 0.0, 100 * covariance / spread)


def _balanced_accuracy(parts: Parts) -> Numbers:
    hits, gold, _ = parts
    recall = np.where(gold > 0, hits / gold, 0.0)
    return 100 * recall.sum(axis=-1) / (gold > 0).sum(axis=-1)


def _f1(parts: Parts) -> Numbers:
    hits, gold, guessed = parts
    both = gold + guessed[..., :-1]
    return np.where(both > 0, 2 * hits / both, 0.0)


def _f1_weighted(parts: Parts) -> Numbers:
    _, gold, _ = parts
    return 100 * (gold * _f1(parts)).sum(axis=-1) / gold.sum(axis=-1)
