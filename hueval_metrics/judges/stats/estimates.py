"""Points and intervals of calibrated metrics, of several runs from the same resamples of clusters.

The interval is one between percentiles of resamples with random pseudo-items (`pseudo`), with Student's quantile. BCa
follows the jackknife out of the scale near a share of 0 or 1, and where the judge's errors are rare and ratings few,
it does not show that they may be more frequent (measured: README.md in stats).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hueval_metrics.judges.stats.pseudo import with_pseudo_items
from hueval_metrics.judges.stats.tables import Method, Tables
from hueval_metrics.metric import Metric, total
from hueval_metrics.stats.bootstrap import SEED, collapsed, resampled_sums
from hueval_metrics.stats.confidence import error_interval
from hueval_metrics.stats.intervals import (
    FEW_ANSWERS,
    Interval,
    Note,
    alike_interval,
    centred,
    opened,
)
from hueval_metrics.stats.joint import percentile_ci95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Gaps = Callable[[Numbers], Numbers]

RESAMPLES = 4_000  # the ends of an interval vary by 2 % of its width; ten models × three tasks within 3 s
_COLUMNS = 1_500  # of a block of runs: limits the memory to about 100 MB
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
        Key → name → estimate; without the metrics that are undefined. Those of a run do not depend on the other runs.
    """
    if not runs:
        return {}
    strata = collapsed(list(next(iter(runs.values())).clusters.values()))
    found: dict[Key, dict[str, Estimate]] = {}
    for block in _blocks(runs):
        drawn = calibrated_sums(block, resamples=resamples, seed=seed)
        jackknives: dict[int, Jackknife] = {}
        for key, run in block.items():
            found[key] = {}
            for name, (metric, rows) in run.tables.items():
                if id(rows) not in jackknives:
                    jackknives[id(rows)] = Jackknife.of(rows, run.judged[name])
                estimate = value_and_interval(
                    metric, drawn[key][name], jackknives[id(rows)], strata, run.gaps.get(name)
                )
                if estimate is not None:
                    found[key][name] = Estimate(*estimate, run.methods[name], run.n[name], calibrated_note(run, name))
    return found


def calibrated_sums(
    runs: Mapping[Key, Tables], *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[Key, dict[str, Numbers]]:
    """The sums of each resample: `metric.compute` of them are the draws of a calibrated metric.

    The runs share the resamples of clusters, and those with the same calibration its pseudo-items, so that the error
    of a calibration that two runs share cancels out in the difference of their draws. So do several calls over the same
    clusters.

    Args:
        runs: key → the tables of one task, all over the same clusters.
        resamples: number of resamples.
        seed: of the random number generator.

    Returns:
        Key → name → sums, shape (resamples, k); metrics of the same rows and method share the array.
    """
    arrays = {id(rows): rows for run in runs.values() for _, rows in run.tables.values()}
    if not arrays:
        return {key: {} for key in runs}
    strata = collapsed(list(next(iter(runs.values())).clusters.values()))
    parts = dict(zip(arrays, _resampled([*arrays.values()], strata, resamples, seed), strict=True))
    drawn: dict[tuple[int, Method], Numbers] = {}
    for run in runs.values():
        for name, (_, rows) in run.tables.items():
            place = id(rows), run.methods[name]
            if place not in drawn:
                drawn[place] = with_pseudo_items(parts[id(rows)], rows, len(run.judged[name]), place[1], seed)
    return {
        key: {name: drawn[id(rows), run.methods[name]] for name, (_, rows) in run.tables.items()}
        for key, run in runs.items()
    }


def calibrated_note(run: Tables, name: str) -> Note | None:
    """Why the interval of a calibrated metric covers too little: `few_answers`, as `intervals.coverage_note` has it.

    The answers of a calibration error are those that the reference rated.
    """
    return "few_answers" if name in run.gaps and run.n[name] < FEW_ANSWERS else None


def _blocks(runs: Mapping[Key, Tables]) -> Iterator[dict[Key, Tables]]:
    """Some runs at a time, so that memory does not grow with their number."""
    block: dict[Key, Tables] = {}
    for key, run in runs.items():
        block[key] = run
        if sum(rows.shape[1] for one in block.values() for _, rows in one.tables.values()) > _COLUMNS:
            yield block
            block = {}
    if block:
        yield block


def _resampled(arrays: Sequence[Numbers], strata: Integers, resamples: int, seed: int) -> list[Numbers]:
    """The sums of each array's rows in shared resamples (`bootstrap.resampled_sums`), stratum by stratum.

    So a column that is of one stratum costs the rows of this stratum, and columns that are equal there are summed once:
    a metric within a stratum has those of the metric over all, and runs share those of their calibration.
    """
    columns = np.concatenate([rows.T for rows in arrays])
    found = np.zeros((len(columns), resamples))
    for code in np.unique(strata):
        some = np.ascontiguousarray(columns[:, strata == code])
        used = np.flatnonzero(some.any(axis=1))
        places: dict[bytes, int] = {}
        same = [places.setdefault(some[column].tobytes(), len(places)) for column in used]
        first = used[np.unique(same, return_index=True)[1]]
        found[used] += resampled_sums(some[first].T, resamples=resamples, seed=[seed, int(code)]).T[same]
    ends = np.cumsum([rows.shape[1] for rows in arrays])[:-1]
    return [np.ascontiguousarray(part.T) for part in np.split(found, ends)]


def value_and_interval(
    metric: Metric,
    sums: Numbers,
    jackknife: Jackknife,
    strata: Integers,
    gaps: Gaps | None = None,
) -> tuple[float, float, float, str, float] | None:
    """One calibrated metric.

    Args:
        metric: the metric.
        sums: of each resample (`calibrated_sums`).
        jackknife: of its rows.
        strata: the code of each cluster's stratum.
        gaps: of a calibration error, from sums to its corrected gaps.

    Returns:
        Value, interval with its method, and the ratings' part of the variance; None where the metric is undefined.
    """
    value, draws = float(metric.compute(jackknife.total)), metric.compute(sums)
    if np.isnan(value):
        return None
    influences, of_ratings = (
        centred(np.nan_to_num(value - metric.compute(left)), strata, np.ones(len(strata)))
        for left in (jackknife.left, jackknife.left_ratings)
    )
    n = int(metric.applies(jackknife.rows).sum())
    found: Interval | None
    if gaps is not None:
        found = _error_interval(metric, gaps(jackknife.total), gaps(sums), n)
    elif (ends := percentile_ci95(draws, n)) is not None:
        found = Interval(min(ends[0], value), max(ends[1], value), "percentile")
    else:  # resamples to which no line can be fitted allow any score
        found = Interval(*metric.bounds, "percentile") if np.isnan(draws).any() else None
    if found is None:
        low, high = metric.bounds
        found = alike_interval(metric, (value - low) / (high - low), n)
    variance = float(influences @ influences)
    share = min(float(of_ratings @ of_ratings) / variance, 1.0) if variance else 0.0
    return value, found.low, found.high, found.method, share


def _error_interval(metric: Metric, total: Numbers, sums: Numbers, n: float) -> Interval | None:
    """The interval of a calibration error, from the corrected gaps and sizes of all and of each resample."""
    bins = len(total) // 2
    true, drawn = (some[..., :bins] / some[..., bins:].sum(axis=-1, keepdims=True) for some in (total, sums))
    if np.ptp(drawn, axis=0).max() == 0:
        return None
    return opened(metric, *error_interval(true, drawn - true), n, "inversion")


@dataclass(frozen=True, eq=False, slots=True)
class Jackknife:
    """Rows and their sums, which all metrics of these rows share.

    Attributes:
        rows: of each cluster.
        total: their sums.
        left: the sums without each cluster.
        left_ratings: the sums with each cluster's judged items, but without its ratings by the reference.
    """

    rows: Numbers
    total: Numbers
    left: Numbers
    left_ratings: Numbers

    @classmethod
    def of(cls, rows: Numbers, judged: Sequence[int]) -> Jackknife:
        """The sums of some rows; `judged` are the columns of the judge's ratings of the run."""
        sums, ratings = total(rows), rows.copy()
        ratings[:, judged] = 0
        return cls(rows, sums, sums - rows, sums - ratings)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A calibrated metric.

    Attributes:
        value: in the metric's unit.
        low, high: its 95 % interval.
        interval: the interval's method: `percentile`, `inversion` (a calibration error), or `wilson` where resamples
            show no spread.
        calibration_share: the part of the variance that more ratings by the reference would reduce, from 0 to 1.
        method: how it was corrected.
        n: how many items that both rated it rests on.
        note: why its interval covers too little (`calibrated_note`).
    """

    value: float
    low: float
    high: float
    interval: str
    calibration_share: float
    method: Method
    n: int
    note: Note | None = None
