"""A metric as one object: statistics of a cluster that can be summed, and the metric of the sums."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Better = Literal["higher", "lower"]
Unit = Literal["%", "fraction", "count"]


class Metric:
    """A metric as a function of sums over clusters, after sacrebleu's `Metric`: statistics, then compute.

    A cluster is what is not independent of one another: the blanks of a question, the two orders of an item. Its
    statistics, summed over all clusters, give the metric; summed over a resample, the metric of the resample. So this
    one object is lm-eval's aggregation, and what intervals, paired tests, tables and exports are computed from.

    Args:
        name: what it computes, for messages; a task gives it the name of its column.
        statistics: the values of one cluster, None left out → k numbers that can be summed over clusters. Of no
            values: zeros.
        compute: summed statistics, shape (..., k) → the metric, shape (...); NaN where it is undefined.
        size: summed statistics, shape (..., k) → how much they weigh, shape (...); 0 where the metric does not apply.
        is_mean: whether the metric of a sum is the mean of its clusters' metrics, weighted by their sizes. Only then
            has one item alone a value, and do closed intervals and tests of shares apply.
        is_sampled: whether it varies with the sample of items. One that does not, as a number of items, has no interval
            and is not compared.
        is_error: whether it is a calibration error over bins: k/2 sums of gaps, then the k/2 sizes of the bins.
        bounds: the ends of its scale.
        may_exceed: whether it can be above the upper end, as a reference scorer's count may.
        better: which end is the better one; None where neither is.
        unit: `%`, `fraction` (of 1) or `count`, a number of items.
        cluster: for values of several documents that belong together: the cluster in a value, for lm-eval hands over
            values alone. None where each value is a cluster of its own.
        settle: all values of a run → as many, where what one means depends on the others; None where it does not.
        stratum: the code of the stratum to which it is confined; None for all items.

    >>> accuracy = Metric("accuracy", lambda hits: (sum(hits), len(hits)), lambda s: 100 * s[..., 0] / s[..., 1])
    >>> accuracy([1.0, 0.0, None])
    50.0
    """

    def __init__(
        self,
        name: str,
        statistics: Callable[[Sequence[Any]], Sequence[float]],
        compute: Callable[[Numbers], Numbers],
        *,
        size: Callable[[Numbers], Numbers] = lambda sums: sums[..., 1],
        is_mean: bool = True,
        is_sampled: bool = True,
        is_error: bool = False,
        bounds: tuple[float, float] = (0.0, 100.0),
        may_exceed: bool = False,
        better: Better | None = "higher",
        unit: Unit = "%",
        cluster: Callable[[Any], Hashable] | None = None,
        settle: Callable[[Sequence[Any]], Sequence[Any]] | None = None,
        stratum: str | None = None,
    ) -> None:
        self.name = name
        self.statistics = statistics
        self._compute = compute
        self._size = size
        self.is_mean = is_mean and not is_error
        self.is_sampled = is_sampled
        self.is_error = is_error
        self.bounds = bounds
        self.may_exceed = may_exceed
        self.better = better
        self.unit = unit
        self.cluster = cluster
        self.settle = settle
        self.stratum = stratum

    def __repr__(self) -> str:
        return f"Metric({self.name!r})"

    def __call__(self, values: Sequence[Any]) -> float | int | None:
        """The metric of per-document values; None where it is undefined (of a count: 0).

        Sums are exact, so the number does not depend on the order in which several ranks hand over their documents.
        """
        given = list(values)
        clusters = None
        if self.cluster is not None:
            clusters = [place if value is None else self.cluster(value) for place, value in enumerate(given)]
        return self.of(total(self.rows(given, clusters)))

    def rows(self, values: Sequence[Any], clusters: Sequence[Hashable] | None = None) -> Numbers:
        """The statistics of each cluster.

        Args:
            values: per-document values, hashable or lists; None where the metric does not apply.
            clusters: for each value the cluster that it belongs to; None where each is one of its own.

        Returns:
            Shape (clusters, k), in the order in which clusters first appear; zeros where no value applies.
        """
        given = values if self.settle is None else self.settle(values)
        members: dict[Hashable, tuple[Any, ...]] = {}
        for cluster, value in zip(range(len(given)) if clusters is None else clusters, given, strict=True):
            known = members.get(cluster, ())
            frozen = tuple(value) if isinstance(value, list) else value
            members[cluster] = known if value is None else (*known, frozen)
        places: dict[tuple[Any, ...], int] = {}
        codes = [places.setdefault(found, len(places)) for found in members.values()]
        kinds = np.array([self.statistics(found) for found in places] or [self.statistics(())], dtype=float)
        return kinds[np.array(codes, dtype=np.intp)]

    def compute(self, sums: Numbers) -> Numbers:
        """The metric of summed statistics: shape (..., k) → (...); NaN where it is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self._compute(sums))

    def size(self, sums: Numbers) -> Numbers:
        """How much summed statistics weigh: shape (..., k) → (...)."""
        return np.asarray(self._size(sums))

    def applies(self, rows: Numbers) -> NDArray[np.bool_]:
        """Which rows count in the metric; their number is the metric's own n."""
        return self.size(rows) > 0

    def of(self, sums: Numbers) -> float | int | None:
        """The metric of one row of sums as a plain number; None where it is undefined."""
        value = float(self.compute(sums))
        if np.isnan(value):
            return None
        return int(value) if self.is_count else value

    @property
    def width(self) -> int:
        """k, how many numbers the statistics of a cluster are."""
        return len(self.statistics(()))

    def share(self, sums: Numbers) -> Numbers:
        """How far up its scale the metric of summed statistics is, from 0 to 1: shape (..., k) → (...)."""
        low, high = self.bounds
        return (self.compute(sums) - low) / (high - low)

    @property
    def is_count(self) -> bool:
        """Whether it counts items."""
        return self.unit == "count"

    def but(self, **changes: Any) -> Metric:
        """The same with other settings, such as `better="lower"` for a share of errors."""
        changed = copy(self)
        for name, value in changes.items():
            if name not in vars(self):
                raise TypeError(f"{self!r} has no {name}")
            setattr(changed, name, value)
        return changed

    def within(self, code: str) -> Metric:
        """The same, confined to one stratum."""
        return self.but(stratum=code)


def total(rows: Numbers, counts: Sequence[int] | NDArray[np.intp] | None = None) -> Numbers:
    """The exact sums of the columns of rows, each row taken so many times; shape (n, k) → (k,)."""
    times = np.ones(len(rows), dtype=np.intp) if counts is None else np.asarray(counts, dtype=np.intp)
    if (rows == np.rint(rows)).all():  # whole numbers are summed without rounding
        return times @ rows
    columns = (np.repeat(column[column != 0], times[column != 0]) for column in rows.T)
    return np.array([fsum(column.tolist()) for column in columns])


def by_stratum(name: str, metric: Metric, codes: Sequence[str]) -> dict[str, Metric]:
    """A metric within each stratum, as columns: `acc` in strata x and y is `acc_x` and `acc_y`."""
    return {f"{name}_{code}": metric.within(code) for code in codes}
