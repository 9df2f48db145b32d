"""Spearman's rank correlation over clusters, with an interval.

The interval is Fisher's transform with a standard error from the influence function of the correlation of mid-ranks,
ties included (Croux & Dehon 2010, Statistical Methods & Applications 19; ties: Genest, Nešlehová & Rémillard 2013), so
that it holds for a yes or no, too, and for replies that come in clusters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

LEAST = 10  # clusters; the standard error of fewer is mere noise
_MOST = 1 - 1e-12  # beyond, Fisher's transform is infinite


def spearman(first: Numbers, second: Numbers, clusters: Integers) -> tuple[float, tuple[float, float] | None] | None:
    """The correlation of two values of each reply, and its 95 % interval.

    Args:
        first, second: the values, shape (n,).
        clusters: code of each reply's cluster.

    Returns:
        From -1 to 1, and the ends of the interval: None with fewer than `LEAST` clusters, and for a perfect
        correlation. None altogether where one of the values is the same in all replies.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 9.0]), np.arange(3))
    (1.0, None)
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    x, y = _grades(first), _grades(second)
    spread_x, spread_y = float(np.var(x)), float(np.var(y))
    rho = float(np.cov(x, y, bias=True)[0, 1]) / math.sqrt(spread_x * spread_y)
    n_clusters = len(np.unique(clusters))
    if n_clusters < LEAST or abs(rho) > _MOST:
        return max(-1.0, min(1.0, rho)), None
    # The influence of a reply on the mean of products of grades: its own product, and its part in all other grades.
    joint = x * y + _above(first, y) + _above(second, x)
    alone_x, alone_y = x**2 + 2 * _above(first, x), y**2 + 2 * _above(second, y)
    scale = math.sqrt(spread_x * spread_y)
    influence = (joint - joint.mean()) / scale
    influence -= rho / 2 * ((alone_x - alone_x.mean()) / spread_x + (alone_y - alone_y.mean()) / spread_y)
    sums = np.bincount(clusters, influence) / len(first)
    error = math.sqrt(float((sums**2).sum()) * n_clusters / (n_clusters - 1))
    from scipy.special import stdtrit

    margin = float(stdtrit(n_clusters - 1, 0.975)) * error / (1 - rho**2)
    return rho, (math.tanh(math.atanh(rho) - margin), math.tanh(math.atanh(rho) + margin))


def _grades(values: Numbers) -> Numbers:
    """The share of values below each one, of equal ones half."""
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values) + np.searchsorted(ordered, values, side="right")) / (2 * len(values))


def _above(values: Numbers, others: Numbers) -> Numbers:
    """For each reply the mean over all replies of `others`, where their value is higher; where it is equal, half."""
    order = np.argsort(values, kind="stable")
    ordered, reached = values[order], np.concatenate([[0.0], np.cumsum(others[order])])
    low, high = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray(reached[-1] - (reached[low] + reached[high]) / 2) / len(values)
