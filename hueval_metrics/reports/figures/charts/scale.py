"""Ends and ticks of axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from hueval_metrics.reports.figures.points import Point

_PAD = 0.04  # share of the span beside the outermost values
_FEWEST = 2  # steps on an axis
_STRETCH = 1.4  # how much longer the axis of scores may become for the sake of baselines


def round_up(value: float) -> float:
    """The end of an axis for values up to this one, such that half of it is a round number too.

    >>> round_up(3.4), round_up(0.02), round_up(0)
    (4.0, 0.02, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if value <= step * power * (1 + 1e-9))


def top_of(points: Iterable[Point | None]) -> float:
    """The end of an axis for points and their intervals."""
    return round_up(max((one.high or one.value for one in points if one), default=100.0))


def span(points: Sequence[Point], references: Sequence[Point], bounds: tuple[float, float]) -> tuple[float, float]:
    """The values that an axis has to show: scores with their intervals, and the baselines that are not far from them.

    Args:
        points: at least one; a lone one is shown within all of its scale.
        references: of the baselines; one that would make the axis much longer is left outside.
        bounds: of the scale.

    >>> span([Point(50, 48, 52), Point(60, 58, 62)], [Point(45), Point(100)], (0, 100))
    (44.32, 62.68)
    >>> span([Point(50)], [], (0, 100))
    (0, 100)
    """
    least, most = bounds
    if len(points) < 2:
        return bounds
    low = min(one.value if one.low is None else one.low for one in points)
    high = max(one.value if one.high is None else one.high for one in points)
    longest = _STRETCH * max(high - low, (most - least) / 50)
    for one in sorted(references, key=lambda one: max(low - one.value, one.value - high)):
        if max(high, one.value) - min(low, one.value) <= longest:
            low, high = min(low, one.value), max(high, one.value)
    pad = _PAD * max(high - low, (most - least) / 50)
    return max(least, low - pad), min(most, high + pad)


def ticks(low: float, high: float) -> list[float]:
    """Two to five round numbers within an axis.

    >>> ticks(39.0, 63.0), ticks(0, 100), ticks(-0.1, 0.1)
    ([40.0, 50.0, 60.0], [0.0, 50.0, 100.0], [-0.1, 0.0, 0.1])
    """
    power = 10.0 ** math.floor(math.log10((high - low) / _FEWEST))
    for step in (5 * power, 2 * power, power):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first >= _FEWEST or step == power:
            return [float(f"{tick * step:.12g}") for tick in np.arange(first, last + 1).tolist()]
    raise AssertionError("the smallest step always fits")
