"""The interval of a mean over items and prompts where both are drawn from many: two-way random effects.

Source: Brennan 2001, Generalizability Theory, ch. 3 (mean squares of a crossed design); Satterthwaite 1946 (degrees of
freedom of a sum of them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.stats.intervals import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST = 3  # levels; of two the interval is 8 to 33 points wide on either side


def crossed_interval(sums: Numbers, weights: Numbers, bounds: tuple[float, float]) -> Interval | None:
    """The 95 % interval of the mean over all items and levels, had other levels of the facet been drawn, too.

    A mean of ratios is made linear around itself (Cochran 1977, ch. 6), so that items may have unequal weights.

    Args:
        sums: shape (items, levels): of each item its sum in the scale's unit, such as 100 for each right blank.
        weights: likewise: how many values the sum is of.
        bounds: the ends of the scale.

    Returns:
        The interval, within the bounds; None of fewer than three levels or two items, without weights, and of values
        that are all alike.

    >>> values = np.array([[100.0, 0, 100], [0, 0, 100], [100, 100, 100], [0, 0, 0]])
    >>> found = crossed_interval(values, np.ones_like(values), (0, 100))
    >>> round(found.low, 1), round(found.high, 1)
    (0.0, 100.0)
    """
    from scipy.stats import t

    n, levels = sums.shape
    total = weights.sum(axis=0)
    if n < 2 or levels < LEAST or not total.all():
        return None
    means = sums.sum(axis=0) / total
    values = means + (sums - means * weights) / (total / n)
    mean, of_items = float(values.mean()), values.mean(axis=1)
    rest = values - of_items[:, None] - means + mean
    squares = (
        levels * float(of_items.var(ddof=1)),
        n * float(means.var(ddof=1)),
        float((rest**2).sum()) / ((n - 1) * (levels - 1)),
    )
    freedoms = (n - 1, levels - 1, (n - 1) * (levels - 1))
    variance = squares[0] + squares[1] - squares[2]
    if variance <= squares[0]:  # the levels differ by no more than their draws do: only items are left
        variance, freedom = squares[0], float(n - 1)
    else:
        freedom = variance**2 / sum(square**2 / each for square, each in zip(squares, freedoms, strict=True))
    if variance <= 0:  # all items alike: mean squares do not say how much the next one may differ
        return None
    half = float(t.ppf(0.975, freedom)) * np.sqrt(variance / (n * levels))
    low, high = bounds
    return Interval(float(max(low, mean - half)), float(min(high, mean + half)), "crossed")
