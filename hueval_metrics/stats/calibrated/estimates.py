"""Points and intervals of calibrated metrics, of several runs from the same resamples of clusters."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hueval_metrics.declare import Metric, total
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED, collapsed, resampled_sums
from hueval_metrics.stats.calibrated.tables import Method, Tables
from hueval_metrics.stats.intervals import Interval, alike_interval, value_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

Key = TypeVar("Key", bound=Hashable)


def calibrated_estimates(
    runs: Mapping[Key, Tables], *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[Key, dict[str, Estimate]]:
    """The calibrated metrics of some runs with their intervals.

    The clusters, of the runs and of the calibration, are resampled jointly, within strata: the interval has the error
    of the judged items, of the calibration, and of what both share.

    Args:
        runs: key → the tables of one task, all over the same clusters.
        resamples: number of resamples.
        seed: of the random number generator.

    Returns:
        Key → name → estimate; without the metrics that are undefined.
    """
    if not any(run.tables for run in runs.values()):
        return {key: {} for key in runs}
    arrays = {id(rows): rows for run in runs.values() for _, rows in run.tables.values()}
    strata = collapsed(list(next(iter(runs.values())).clusters.values()))
    sums = resampled_sums(np.column_stack([*arrays.values()]), strata=strata.tolist(), resamples=resamples, seed=seed)
    ends = np.cumsum([rows.shape[1] for rows in arrays.values()])[:-1]
    drawn = dict(zip(arrays, np.split(sums, ends, axis=1), strict=True))
    found: dict[Key, dict[str, Estimate]] = {key: {} for key in runs}
    for key, run in runs.items():
        for name, (metric, rows) in run.tables.items():
            value = metric.of(total(rows))
            if value is not None:
                ends_of = _interval(metric, rows, drawn[id(rows)], strata)
                found[key][name] = Estimate(
                    float(value), ends_of.low, ends_of.high, ends_of.method, run.methods[name], run.n[name]
                )
    return found


def _interval(metric: Metric, rows: Numbers, sums: Numbers, strata: Integers) -> Interval:
    """The interval of one metric; where resamples show no spread, as a perfect judge's of one label."""
    n = float(metric.applies(rows).sum())
    return value_interval(metric, rows, sums, strata) or alike_interval(metric, float(metric.share(total(rows))), n)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A calibrated metric.

    Attributes:
        value: in the metric's unit.
        low, high: its 95 % interval.
        interval: the interval's method, such as `bca` (`stats.intervals.Interval`).
        method: how it was corrected.
        n: how many items that both rated it rests on.
    """

    value: float
    low: float
    high: float
    interval: str
    method: Method
    n: int
