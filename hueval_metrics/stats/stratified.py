"""Stratified paired permutation test: two models over several tasks of a benchmark, whose metrics are unlike.

Under the null hypothesis either model may have given either set of answers to a cluster, in all tasks that have it, so
the two are swapped at random, cluster by cluster (`permutation`). The statistic is the sum of each task's difference
over its standard deviation under swaps, so that no task needs the unit of another; each task is a stratum, as only its
own clusters are swapped in it (Edgington & Onghena 2007, ch. 5; the sum of standardised statistics: Stouffer et al.
1949).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.stats.permutation import EXACT_UP_TO, PERMUTATIONS, SEED, all_signs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

STRATIFIED = "stratified paired permutation"
_ROUNDING = 1e-9  # relative; statistics this close are ties
_CELLS = 2_000_000  # permutations × kinds of clusters of a block: limits the memory to about 50 MB


def stratified_difference(
    strata: Sequence[Stratum], *, permutations: int = PERMUTATIONS
) -> StratifiedDifference | None:
    """Whether the first of two models is better over all strata together.

    Args:
        strata: the tasks; clusters of one name are swapped together wherever they are, such as a question that two
            tasks ask.
        permutations: size of the sample of swaps, unless all are enumerated.

    Returns:
        None where no stratum has a metric with a better end that is defined for both models.

    >>> import numpy as np
    >>> accuracy = Metric("accuracy", lambda hits: (sum(hits), len(hits)), lambda s: 100 * s[..., 0] / s[..., 1])
    >>> right, wrong = np.array([[1.0, 1.0]] * 3), np.array([[0.0, 1.0]] * 3)
    >>> two_tasks = [Stratum(ids, right, wrong, accuracy) for ids in ("abc", "def")]
    >>> found = stratified_difference(two_tasks)  # 2 of 64 swaps are as extreme
    >>> found.p, found.n_ahead
    (0.03125, 2)
    """
    strata = [one for one in strata if one.metric.better is not None and np.isfinite(one.difference)]
    if not strata:
        return None
    table, n = _differences(strata)
    observed = np.array([one.difference for one in strata])
    drawn = [_of_swaps(strata, sums) for sums in _swapped(table, permutations)]
    is_all = len(table) <= EXACT_UP_TO
    # A sample includes the observed swap, so that p is never 0 (Phipson & Smyth 2010); the enumeration has it.
    every = np.concatenate([*drawn, *[observed[None]] * (not is_all)])
    # The difference of a swap and of its reverse are opposite, so the mean under swaps is 0.
    scale = np.sqrt(np.nanmean(every**2, axis=0))
    varies = scale > _ROUNDING * np.array([max(1.0, *map(abs, one.metric.bounds)) for one in strata])
    sums, own = ((some[..., varies] / scale[varies]).sum(axis=-1) for some in (every, observed))
    # A swap with an undefined metric counts as extreme, which is conservative.
    is_extreme = ~(np.abs(sums) < abs(own) - _ROUNDING * max(1.0, abs(own)))
    return StratifiedDifference(
        float(own), float(is_extreme.mean()), n, int((observed > 0).sum()), int((observed < 0).sum()), len(strata)
    )


def _differences(strata: Sequence[Stratum]) -> tuple[Numbers, int]:
    """The terms of the first model minus those of the second, and the number of clusters of any stratum.

    A row for each cluster on which they differ, columns side by side.
    """
    places: dict[Hashable, int] = {}
    rows, changes = [], []
    for one in strata:
        differ = (one.first != one.second).any(axis=1)
        rows.append([places.setdefault(name, len(places)) for name in compress(one.ids, differ)])
        changes.append((one.first - one.second)[differ])
    table = np.zeros((len(places), sum(change.shape[1] for change in changes)))
    end = 0
    for place, change in zip(rows, changes, strict=True):
        table[place, end : end + change.shape[1]] = change
        end += change.shape[1]
    return table, len({name for one in strata for name in one.ids})


def _swapped(table: Numbers, permutations: int) -> Iterator[Numbers]:
    """The column sums with a random sign before each row, shape (block, columns); of few rows all signs.

    Rows that are alike, or opposite, are drawn together: the sum of m random signs is 2 × Binomial(m, 1/2) - m. So the
    cost depends on the number of kinds of difference (one, of right and wrong answers), not on that of clusters.
    """
    if len(table) <= EXACT_UP_TO:
        yield all_signs(len(table)) @ table
        return
    leading = np.take_along_axis(table, (table != 0).argmax(axis=1)[:, None], axis=1)
    table = table * np.sign(leading) + 0.0  # no -0.0, whose bytes differ
    as_bytes = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * table.shape[1])))
    _, first, counts = np.unique(as_bytes.ravel(), return_index=True, return_counts=True)
    kinds, draws = table[first], np.random.default_rng(SEED)
    block = max(1, _CELLS // len(kinds))
    for done in range(0, permutations, block):
        size = min(block, permutations - done)
        signs = np.stack([2.0 * draws.binomial(count, 0.5, size) - count for count in counts], axis=1)
        yield signs @ kinds


def _of_swaps(strata: Sequence[Stratum], sums: Numbers) -> Numbers:
    """The difference in each stratum under each swap, above 0 where the first model is better."""
    found, end = [], 0
    for one in strata:
        both = one.first.sum(axis=0) + one.second.sum(axis=0)
        own = sums[:, end : end + len(both)]
        end += len(both)
        found.append(one.sign * (one.metric.compute((both + own) / 2) - one.metric.compute((both - own) / 2)))
    return np.stack(found, axis=1)


@dataclass(frozen=True, eq=False, slots=True)
class Stratum:
    """Two models in one task.

    Attributes:
        ids: of the clusters, each once.
        first, second: the terms of each model, shape (clusters, k), rows alike (`metric.Metric.rows`).
        metric: the metric.
    """

    ids: Sequence[Hashable]
    first: Numbers
    second: Numbers
    metric: Metric

    @property
    def sign(self) -> int:
        """By what a difference is multiplied so that it is above 0 where the first is better."""
        return -1 if self.metric.better == "lower" else 1

    @property
    def difference(self) -> float:
        """How much better the first model is, in the metric's unit; NaN where it is undefined."""
        own, other = (float(self.metric.compute(terms.sum(axis=0))) for terms in (self.first, self.second))
        return self.sign * (own - other)


@dataclass(frozen=True, slots=True)
class StratifiedDifference:
    """Two models over several tasks.

    Attributes:
        statistic: the sum of the tasks' standardised differences; above 0 where the first is better.
        p: two-sided, of no difference in any task; above 0, at most 1.
        n: clusters of any task.
        n_ahead, n_behind: tasks in which the first has the better, and the worse score.
        n_strata: tasks that are compared.
    """

    statistic: float
    p: float
    n: int
    n_ahead: int
    n_behind: int
    n_strata: int
