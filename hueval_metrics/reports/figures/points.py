"""A score with its interval, as figures show it: read from a run, or computed from values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hueval_metrics import registry
from hueval_metrics.declare import Metric, total
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.intervals import intervals

_RESAMPLES = 1000  # enough for the ends of a line in a drawing


def point(run: Run, task: str, metric: str) -> Point | None:
    """A score of a run; None without one, or where it is outside its scale, as in a damaged file."""
    value, declared = run.score(task, metric), registry.metric(task, metric)
    least, most = declared.bounds if declared else (0.0, 100.0)
    if value is None or not least <= value <= most:
        return None
    low, high = run.result(task).intervals.get(metric, (None, None))
    return Point(value) if low is None or high is None else Point(value, max(least, low), min(most, high))


def estimated(metric: Metric, values: Mapping[Any, int]) -> Point | None:
    """A metric over some of the items, with its interval.

    Args:
        metric: one whose clusters are single documents.
        values: per-document value → how many items have it.

    Returns:
        The metric; None without values.
    """
    if not values:
        return None
    rows, counts = metric.rows(list(values)), list(values.values())
    value = metric.of(total(rows, counts))
    if value is None:
        return None
    interval = intervals({"": (metric, rows)}, counts=counts, resamples=_RESAMPLES)[""]
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
