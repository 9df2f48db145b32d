"""The numbers that figures show: a score with its interval, out of a run or computed from values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hueval_metrics.metrics.terms import statistic
from hueval_metrics.records import number_of
from hueval_metrics.runs.load import Run
from hueval_metrics.stats.intervals import intervals

_RESAMPLES = 1000  # enough for a line of a few pixels


def point(run: Run, task: str, metric: str) -> Point | None:
    """A score of a run in percent; None where it has none, or one that cannot be, as in a damaged file."""
    value = number_of(run.scores.get(task, {}).get(metric))
    if value is None or not 0 <= value <= 100:
        return None
    low, high = map(number_of, run.intervals.get(task, {}).get(metric) or (None, None))
    return Point(value) if low is None or high is None else Point(value, max(0.0, low), min(100.0, high))


def estimated(aggregation: Callable[..., Any], values: Mapping[Any, int]) -> Point | None:
    """A metric over some of the items, with its interval.

    Args:
        aggregation: as the task's YAML names it; it has a statistic (`metrics.terms`).
        values: per-document value → how many items have it.

    Returns:
        The metric; None without values.
    """
    found = statistic(aggregation)
    kinds = list(values)
    if found is None or not kinds:
        return None
    table = found.matrix(kinds, range(len(kinds)))
    interval = intervals({"": (found, table)}, counts=list(values.values()), resamples=_RESAMPLES)[""]
    value = aggregation(list(Counter(values).elements()))
    return Point(value, interval.low, interval.high) if interval else Point(value)


class Point(NamedTuple):
    """A score with its 95 % interval; the ends are None where there is no interval."""

    value: float
    low: float | None = None
    high: float | None = None


def columns_of(one: Point | None) -> dict[str, float | None]:
    """A point as columns of a CSV."""
    value, low, high = one or (None, None, None)
    return {"score": value, "ci95_low": low, "ci95_high": high}
