"""95 % intervals of ratios over independent clusters (a question with its blanks, a proverb with its two orders).

A score of one yes or no a cluster gets Wilson's interval (Wilson 1927); any other ratio, such as the pooled blank
accuracy, a percentile bootstrap over clusters (Efron & Tibshirani 1993, ch. 13), since blanks of one question are not
independent of one another. With many clusters the normal interval of the linearised ratio (Cochran 1977, Sampling
Techniques, ch. 6) is the same to the third digit, and needs no matrix of resamples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 0
MANY = 5000  # clusters; from here on resampling errs more by chance than the normal distribution by its shape
_Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def ratio_ci95(terms: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The 95 % interval of sum(numerators) / sum(denominators).

    Args:
        terms: (numerator, denominator) of each cluster; clusters with denominator 0 are left out.

    Returns:
        (low, high) as fractions; None without any cluster, and for one that is partly right: it shows no spread.

    >>> low, high = ratio_ci95([(1, 1)] * 8 + [(0, 1)] * 2)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    counts: Counter[tuple[float, ...]] = Counter(term for term in map(tuple, terms) if term[1])
    n = counts.total()
    if not counts:
        return None
    ratios = {num / den for num, den in counts}
    if ratios <= {0.0, 1.0} and all(den == 1 for _, den in counts):
        return _wilson(int(sum(num * count for (num, _), count in counts.items())), n)
    if len(ratios) == 1 and ratios <= {0.0, 1.0}:
        # All right or all wrong: resampling sees no spread, but the next cluster may differ. One trial a cluster.
        return _wilson(n * int(ratios.pop()), n)
    if n > MANY:
        return _linearised(counts)
    return _bootstrap([term for term in terms if term[1]]) if n > 1 else None


def _wilson(successes: int, trials: int) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(confidence_level=0.95, method="wilson")
    return float(interval.low), float(interval.high)


def _linearised(counts: Mapping[tuple[float, ...], int]) -> tuple[float, float]:
    """The normal interval of a ratio from its first-order expansion; `counts` says how often each term occurs."""
    n = sum(counts.values())
    total = math.fsum(den * count for (_, den), count in counts.items())
    ratio = math.fsum(num * count for (num, _), count in counts.items()) / total
    squares = math.fsum(count * (num - ratio * den) ** 2 for (num, den), count in counts.items())
    margin = _Z * math.sqrt(squares * n / (n - 1)) / total
    return ratio - margin, ratio + margin


def _bootstrap(terms: Sequence[tuple[float, float]]) -> tuple[float, float]:
    import numpy as np

    num, den = np.asarray(terms, dtype=float).T
    weights = _weights(len(terms))
    low, high = np.percentile((weights @ num) / (weights @ den), [2.5, 97.5])
    return float(low), float(high)


@cache
def _weights(clusters: int) -> NDArray[np.float32]:
    """How often each cluster is drawn in each resample; shape (RESAMPLES, clusters)."""
    import numpy as np

    draws = np.random.default_rng(SEED).multinomial(clusters, np.full(clusters, 1 / clusters), size=RESAMPLES)
    return draws.astype(np.float32)
