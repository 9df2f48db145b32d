"""Matthews correlation (Gorodkin 2004, eq. 8) and weighted F1 of labels, both from the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hf_datasets.toybench.schema import LABELS
from hueval_metrics.metric import Metric

if TYPE_CHECKING:
    from hueval_metrics.metric import Numbers

_SHAPE = (len(LABELS), len(LABELS) + 1)  # gold × guess; the last column is for guesses that are no label


def confusion(pairs: Sequence[Any]) -> list[float]:
    """The confusion matrix of (gold, guess) pairs, row by row; the guess None is none of the labels."""
    counts = np.zeros(_SHAPE)
    for gold, guess in pairs:
        counts[LABELS.index(gold), len(LABELS) if guess is None else LABELS.index(guess)] += 1
    return list(counts.ravel())


def _parts(sums: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Of each label: how often it was right, how often it is gold, how often it was guessed."""
    table = sums.reshape(*sums.shape[:-1], *_SHAPE)
    return table.diagonal(axis1=-2, axis2=-1), table.sum(axis=-1), table.sum(axis=-2)


def _mcc(sums: Numbers) -> Numbers:
    hits, gold, guesses = _parts(sums)
    n = sums.sum(axis=-1)
    covariance = hits.sum(axis=-1) * n - (gold * guesses[..., :-1]).sum(axis=-1)
    spread = np.sqrt((n**2 - (gold**2).sum(axis=-1)) * (n**2 - (guesses**2).sum(axis=-1)))
    return np.where(n == 0, np.nan, np.where(spread == 0, 0.0, 100 * covariance / spread))


def _weighted_f1(sums: Numbers) -> Numbers:
    hits, gold, guesses = _parts(sums)
    f1 = np.nan_to_num(2 * hits / (gold + guesses[..., :-1]))
    return 100 * (gold * f1).sum(axis=-1) / gold.sum(axis=-1)


def _size(sums: Numbers) -> Numbers:
    return np.asarray(sums.sum(axis=-1))


MCC = Metric("mcc", confusion, _mcc, size=_size, is_mean=False, bounds=(-100.0, 100.0))
WEIGHTED_F1 = Metric("weighted_f1", confusion, _weighted_f1, size=_size, is_mean=False)
EXACT_MATCH = Metric("exact_match", lambda hits: (sum(hits), len(hits)), lambda sums: 100 * sums[..., 0] / sums[..., 1])
