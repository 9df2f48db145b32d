"""A score with its interval, as figures show it: read from a run, or computed from values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hueval_metrics import registry
from hueval_metrics.metric import Metric, total
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.intervals import intervals

_RESAMPLES = 1000  # enough for the ends of a line in a drawing


def point(run: Run, task: str, metric: str) -> Point | None:
    """A score of a run; None without one, or where it is outside its scale, as in a damaged file."""
    value, declared = run.score(task, metric), registry.metric(task, metric)
    least, most = declared.bounds if declared else (0.0, 100.0)
    if value is None or not least <= value <= most:
        return None
    result = run.result(task)
    low, high = result.intervals.get(metric, (None, None))
    n = result.n_of(metric)
    return Point(value, n=n) if low is None or high is None else Point(value, max(least, low), min(most, high), n)


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
    n = sum(counts)
    return Point(value, interval.low, interval.high, n) if interval else Point(value, n=n)


class Point(NamedTuple):
    """A score with its 95 % interval and its n; the ends are None without an interval, n where it is unknown."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


def columns_of(one: Point | None) -> dict[str, float | None]:
    """A point as columns of a CSV."""
    value, low, high, _ = one or (None, None, None, None)
    return {"score": value, "ci95_low": low, "ci95_high": high}


def as_text(one: Point, form: str = ".1f") -> str:
    """A point as a text of numbers.

    >>> as_text(Point(61.23, 59.0, 63.15, 300))
    '61.2 [59.0, 63.1], n = 300'
    """
    text = format(one.value, form)
    if one.low is not None and one.high is not None:
        text += f" [{one.low:{form}}, {one.high:{form}}]"
    return text if one.n is None else f"{text}, n = {one.n}"
