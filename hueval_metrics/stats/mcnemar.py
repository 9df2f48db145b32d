"""Two models, right or wrong on the same items: McNemar's test, an interval of the difference, and Cohen's h.

Only items on which one model alone is right count in test and interval (McNemar 1947).
"""

from __future__ import annotations

import math

_Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def mcnemar_p(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value that both models are equally often the only one to be right.

    Args:
        only_first: items that only the first model has right.
        only_second: items that only the second model has right.

    Returns:
        Above 0, at most 1; 1 without any such item.

    >>> round(mcnemar_p(9, 1), 4)
    0.0215
    """
    from scipy.stats import binom

    return min(1.0, 2 * float(binom.cdf(min(only_first, only_second), only_first + only_second, 0.5)))


def paired_difference_ci95(only_first: int, only_second: int, n: int) -> tuple[float, float]:
    """The 95 % score interval of the difference between two paired proportions (Tango 1998).

    Its coverage is good with few items and at the ends of the scale (Fagerland, Lydersen & Laake 2014), and its width
    depends on n even where no item discords. The exact test is more conservative: p may exceed 0.05 where the interval
    just excludes 0.

    Args:
        only_first: items that only the first model has right.
        only_second: items that only the second model has right.
        n: all items, at least 1.

    Returns:
        (low, high) of first minus second, from -1 to 1.

    >>> low, high = paired_difference_ci95(12, 2, 50)
    >>> round(low, 3), round(high, 3)
    (0.061, 0.345)
    """
    from scipy.optimize import brentq

    value = (only_first - only_second) / n

    def beyond(delta: float) -> float:
        return _score_statistic(only_first, only_second, n, delta)

    low = -1.0 if value == -1 else brentq(lambda delta: beyond(delta) - _Z, -1 + 1e-12, value)
    high = 1.0 if value == 1 else brentq(lambda delta: beyond(delta) + _Z, value, 1 - 1e-12)
    return float(low), float(high)


def cohen_h(first: float, second: float) -> float:
    """Cohen's h of two proportions (Cohen 1988, ch. 6): 0.2 is small, 0.5 medium, 0.8 large, anywhere on the scale.

    Args:
        first, second: from 0 to 1.

    Returns:
        From -π to π; above 0 if the first is larger.

    >>> round(cohen_h(0.75, 0.5), 4)
    0.5236
    """
    return 2 * math.asin(math.sqrt(first)) - 2 * math.asin(math.sqrt(second))


def _score_statistic(only_first: int, only_second: int, n: int, delta: float) -> float:
    """How many standard errors the difference lies above `delta` (Tango 1998)."""
    b, c = only_first, only_second
    slope = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    # Maximum-likelihood share of items that only the second model has right, given the difference `delta`.
    share = (math.sqrt(max(slope**2 - 8 * n * constant, 0.0)) - slope) / (4 * n)
    variance = n * (2 * share + delta * (1 - delta))
    distance = b - c - n * delta
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance) if distance else 0.0
