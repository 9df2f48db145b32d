"""How large a difference is, whatever the number of items: effect sizes of two models over the same items."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def cohen_h(first: float, second: float) -> float:
    """Cohen's h of two shares (Cohen 1988, ch. 6): 0.2 is small, 0.5 medium, 0.8 large, wherever on the scale.

    Args:
        first, second: from 0 to 1.

    Returns:
        From -π to π; above 0 if the first is larger.

    >>> round(cohen_h(0.75, 0.5), 4)
    0.5236
    """
    return 2 * math.asin(math.sqrt(first)) - 2 * math.asin(math.sqrt(second))


def matched_odds_ratio(only_first: int, only_second: int) -> tuple[float | None, tuple[float, float | None]]:
    """How many times as often the first model is the only one to be right (Breslow & Day 1980, ch. 5).

    Args:
        only_first: items that only the first model has right.
        only_second: items that only the second model has right.

    Returns:
        The ratio and its exact 95 % interval (Clopper & Pearson 1934, of the share of the first). None stands for
        infinity; without any such item the ratio is None and the interval says nothing: (0, None).

    >>> ratio, (low, high) = matched_odds_ratio(12, 3)
    >>> ratio, round(low, 2), round(high, 2)
    (4.0, 1.08, 22.09)
    """
    from scipy.stats import binomtest

    n = only_first + only_second
    if not n:
        return None, (0.0, None)
    share = binomtest(only_first, n).proportion_ci(confidence_level=0.95, method="exact")
    ratio = only_first / only_second if only_second else None
    return ratio, (_odds(share.low) or 0.0, _odds(share.high))


def standardised_mean(differences: Sequence[float]) -> float | None:
    """The mean paired difference in units of its standard deviation, d_z (Cohen 1988, ch. 2).

    Args:
        differences: one a cluster, first minus second.

    Returns:
        0 where all are 0; None with fewer than two, and where all are alike but not 0.

    >>> standardised_mean([1, 0, 1, 0])
    0.8660254037844387
    """
    values = np.asarray(differences, dtype=float)
    if len(values) < 2:
        return None
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    if deviation <= 1e-12 * abs(mean):
        return None if mean else 0.0
    return mean / deviation


def _odds(share: float) -> float | None:
    return None if share >= 1 else float(share / (1 - share))
