"""Calibration of stated confidences: expected calibration error (Naeini et al. 2015), Brier score.

Both are fractions, and 0 is best. Sums are exact, so the result does not depend on the order in which several ranks
return their documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

import numpy as np

from hueval_metrics.answers.confidence import FRACTION, ONE
from hueval_metrics.declare import Metric

BINS = 10  # as Naeini et al.; benchmarks seldom state the number


def ece(bins: int = BINS) -> Metric:
    """Mean distance, over all answers, between the mean confidence and the accuracy of an answer's confidence bin.

    The bins have equal widths and are closed on the left; the last one is closed on both sides. The metric takes one
    value per answer: a pair (confidence from 0 to 1, whether correct), or any form that `settled` accepts; None for no
    pair. Pass the values of a whole run, since the meaning of the whole number 1 depends on the other answers.

    Args:
        bins: number of bins, at least 1.

    Raises:
        ValueError: `bins` is less than 1; the metric raises it for a confidence outside 0 to 1.

    >>> ece()([(1.0, True), (1.0, False), None, (0.25, False), (0.25, False)])
    0.375
    """
    if bins < 1:
        raise ValueError(f"{bins} bins: at least one is needed")

    def statistics(pairs: Sequence[Any]) -> list[float]:
        found = [0.0] * (2 * bins)
        for pair in pairs:
            confidence, correct = _checked(pair)
            place = bin_of(confidence, bins)
            found[place] += confidence - correct
            found[bins + place] += 1
        return found

    return Metric(
        "ece",
        statistics,
        # The size of a bin times |mean confidence - accuracy| is the absolute value of the sum of its gaps.
        lambda sums: np.abs(sums[..., :bins]).sum(axis=-1) / sums[..., bins:].sum(axis=-1),
        size=lambda sums: sums[..., bins:].sum(axis=-1),
        is_error=True,
        bounds=(0.0, 1.0),
        better="lower",
        unit="fraction",
        settle=settled,
    )


def bin_of(confidence: float, bins: int = BINS) -> int:
    """The index of the bin of a confidence from 0 to 1.

    >>> bin_of(0.95), bin_of(1.0), bin_of(0.29, bins=100)
    (9, 9, 29)
    """
    place = int(round(confidence * bins, 9))  # 0.29 × 100 is 28.999… in floating point, but 0.29 is in bin 29
    return min(place, bins - 1)


def squared_error(pair: Sequence[float]) -> float:
    """The squared difference between one confidence and its outcome: an answer's term of the Brier score."""
    confidence, correct = pair
    return (confidence - correct) ** 2


def settled(pairs: Iterable[Sequence[Any] | None]) -> list[tuple[float, float] | None]:
    """The pairs of a run with each stated whole number 1 resolved, to 1.0 (certainty) or to 0.01 (one per cent).

    It means certainty if the run states more distinct fractions than distinct percentages.

    Args:
        pairs: (confidence, whether correct) or (confidence, whether correct, how it was stated), the last as returned
            by `answers.confidence`; None for no pair.

    >>> settled([(0.01, 1.0, "one"), (0.9, 0.0, "fraction"), None]), settled([(0.01, 1.0, "one"), (0.95, 1.0)])
    ([(1.0, 1.0), (0.9, 0.0), None], [(0.01, 1.0), (0.95, 1.0)])
    """
    given = list(pairs)
    stated = {(pair[0], pair[2] if len(pair) > 2 else None) for pair in given if pair is not None}
    ways = [how for confidence, how in stated if 0 < confidence < 1]
    one = 1.0 if ways.count(FRACTION) > ways.count(None) else 0.01
    return [None if pair is None else (one if len(pair) > 2 and pair[2] == ONE else pair[0], pair[1]) for pair in given]


def _checked(pair: Sequence[Any]) -> tuple[float, bool]:
    confidence, correct = pair
    if not 0 <= confidence <= 1:
        raise ValueError(f"confidence {confidence} is not from 0 to 1")
    return confidence, bool(correct)


def _squared_errors(pairs: Sequence[Any]) -> tuple[float, int]:
    return fsum(squared_error(_checked(pair)) for pair in pairs), len(pairs)


ECE = ece()

BRIER = Metric(
    "brier",
    _squared_errors,
    lambda sums: sums[..., 0] / sums[..., 1],
    bounds=(0.0, 1.0),
    better="lower",
    unit="fraction",
    settle=settled,
)
"""Mean squared difference between confidence and outcome (Brier 1950, halved form); values as for `ece`."""
