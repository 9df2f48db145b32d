"""Two models, right or wrong on the same items: McNemar's test and an interval of the difference.

Only items on which one model alone is right tell the two apart (McNemar 1947).
"""

from __future__ import annotations

import math

_Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def mcnemar_p(only_first: int, only_second: int, *, mid: bool = False) -> float:
    """The exact two-sided p-value that both models are equally often the only one to be right.

    Args:
        only_first: items that only the first model has right.
        only_second: items that only the second model has right.
        mid: count what is as likely as the observed only half (mid-p: Lancaster 1961; Fagerland, Lydersen & Laake
            2013 recommend it, as the exact test is cautious: it rejects too rarely with few such items).

    Returns:
        Above 0, at most 1; 1 without any such item.

    >>> round(mcnemar_p(9, 1), 4), round(mcnemar_p(9, 1, mid=True), 4)
    (0.0215, 0.0117)
    """
    from scipy.stats import binom

    n, fewer = only_first + only_second, min(only_first, only_second)
    p = 2 * float(binom.cdf(fewer, n, 0.5))
    return min(1.0, p - float(binom.pmf(fewer, n, 0.5)) if mid else p)


def paired_difference_ci95(only_first: int, only_second: int, n: int) -> tuple[float, float]:
    """The 95 % score interval of the difference between two paired proportions (Tango 1998).

    It holds its coverage with few items and at the ends of the scale (Fagerland, Lydersen & Laake 2014), and without
    any item that tells the models apart it is still as wide as n allows. The exact test is more cautious: its p may
    stay above 0.05 where the interval just leaves out 0.

    Args:
        only_first: items that only the first model has right.
        only_second: items that only the second model has right.
        n: all items, at least 1.

    Returns:
        (low, high) of first minus second, from -1 to 1.

    Raises:
        ValueError: there are fewer items than were counted, or none.

    >>> low, high = paired_difference_ci95(12, 2, 50)
    >>> round(low, 3), round(high, 3)
    (0.061, 0.345)
    """
    from scipy.optimize import brentq

    if not 0 < n >= only_first + only_second or min(only_first, only_second) < 0:
        raise ValueError(f"{only_first} and {only_second} of {n} items")
    value = (only_first - only_second) / n

    def beyond(delta: float) -> float:
        return _score_statistic(only_first, only_second, n, delta)

    low = -1.0 if value == -1 else brentq(lambda delta: beyond(delta) - _Z, -1 + 1e-12, value)
    high = 1.0 if value == 1 else brentq(lambda delta: beyond(delta) + _Z, value, 1 - 1e-12)
    return float(low), float(high)


def _score_statistic(only_first: int, only_second: int, n: int, delta: float) -> float:
    """How many standard errors the difference lies above `delta` (Tango 1998)."""
    b, c = only_first, only_second
    slope = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    # The most likely share of items that only the second model has right, if the difference were `delta`.
    share = (math.sqrt(max(slope**2 - 8 * n * constant, 0.0)) - slope) / (4 * n)
    variance = n * (2 * share + delta * (1 - delta))
    distance = b - c - n * delta
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance) if distance else 0.0
