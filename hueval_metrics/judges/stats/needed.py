"""How many more ratings by the reference would make the interval of a calibrated score narrower."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hueval_metrics.judges.stats.estimates import Estimate

TIMES = (2, 4, 8)


def ratings_needed(estimate: Estimate, most: int | None = None) -> Needed:
    """The width of an interval with more ratings, and how many would halve it.

    The variance is a part of the judged items, which stays, and a part of the ratings, which falls with their number:
    V(t) = V ((1 - s) + s / t) with t times the ratings, and s the second part's share now. So a quarter of the variance
    needs t = s / (s - 3/4), if s is above 3/4.

    Args:
        estimate: the calibrated score.
        most: how many items there are to rate; None without a limit, as of other runs.

    >>> ratings_needed(Estimate(50.0, 45.0, 55.0, "percentile", 0.9, "ppi++", 100), most=1343).to_halve
    600
    """
    share, n, width = estimate.calibration_share, estimate.n, estimate.high - estimate.low
    widths = {
        times: width * math.sqrt(1 - share + share / times) for times in TIMES if most is None or times * n <= most
    }
    to_halve = math.ceil(round(n * share / (share - 0.75), 6)) if share > 0.75 else None
    return Needed(widths, None if most is not None and to_halve is not None and to_halve > most else to_halve)


@dataclass(frozen=True, slots=True)
class Needed:
    """What more ratings would give.

    Attributes:
        widths: with so many times the ratings → the width of the interval, in the metric's unit; without what exceeds
            the items that there are.
        to_halve: how many ratings in all would halve the interval; None where no number would, since the judged items
            alone keep it wider, or there are too few.
    """

    widths: dict[int, float]
    to_halve: int | None
