"""The calibrated metrics of a run: for each a `Metric` and its rows over clusters, or why it is not given.

Two cases that are never mixed. *Own*: the reference rated some of the run's own items, and whatever the judge's errors
are, they are seen on a sample of these very answers. *Transported*: it rated items of other runs, and the judge must
make the same errors on this one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hueval_metrics.judges.stats.errors import corrected_gaps, gap_rows, of_gaps, sparse_fault
from hueval_metrics.judges.stats.items import LEAST_RATED, Columns, RatedItem, clusters_of, frozen
from hueval_metrics.judges.stats.means import MEAN_WIDTH, mean_rows, of_mean
from hueval_metrics.judges.stats.shares import (
    LEAST_YOUDEN,
    Shares,
    of_shares,
    prediction_powered_shares,
    rogan_gladen_shares,
    youden,
)
from hueval_metrics.metric import Metric
from hueval_metrics.stats.agreement import Rating

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Gaps = Callable[[Numbers], Numbers]

Method = Literal["ppi++", "rogan-gladen", "linear"]
_ARRAYS = 3  # of which one run's metrics need the shares: resamples, and two of the jackknife
Labels = Mapping[Rating, Mapping[str, Any]]  # label → metric → the value of an item with it


def calibrated_tables(
    metrics: Mapping[str, Metric],
    items: Sequence[RatedItem],
    clusters: Mapping[str, str],
    *,
    labels: Labels | None = None,
    pool: Sequence[RatedItem] | None = None,
    method: Method | None = None,
) -> Tables:
    """The calibrated metrics of one task in one run.

    Args:
        metrics: name → the metric of the judge's verdicts; one that counts items is left out.
        items: of the run, those that the judge rated.
        clusters: cluster → stratum: `clusters_of` this run's items and the pool's, or of those of several runs, so that
            their rows are over the same clusters.
        labels: each label of the rubric → metric → the value of an item with it (no entry where it has none); None
            where ratings are scores.
        pool: the items that both rated, if the calibration is transported; None for the own ones among `items`.
        method: how labels are corrected; None for `ppi++` from own items, `rogan-gladen` from a pool.

    Raises:
        ValueError: `ppi++` is asked for from a pool, which it does not allow.
    """
    chosen = method or ("ppi++" if pool is None else "rogan-gladen")
    if pool is not None and chosen == "ppi++":
        raise ValueError("ppi++ needs items of the run itself")
    found = Tables(clusters)
    run = Columns.of(items, clusters)
    both = run.rated() if pool is None else Columns.of(pool, clusters).rated()
    shares = _remembered(prediction_powered_shares if chosen == "ppi++" else rogan_gladen_shares)
    for name, metric in metrics.items():
        if not metric.is_sampled:
            continue
        own, rated = run.within(metric.stratum), both.within(metric.stratum) if pool is None else both
        if rated.n < LEAST_RATED:
            found.refused[name] = _too_few(rated.n)
        elif labels is not None and _is_of_label(name, own, labels):
            rows = label_rows(own, rated, tuple(labels))
            if fault := _fault(rows.sum(axis=0), tuple(labels)) if chosen == "rogan-gladen" else None:
                found.refused[name] = fault
            else:
                statistics = np.array([_statistics(metric, values.get(name)) for values in labels.values()], float)
                found.add(name, of_shares(metric, statistics, shares), rows, chosen, rated.n, range(len(labels)))
        else:
            every = own if pool is None else both
            _add_mean(found, name, metric, own, every, "linear" if labels is None and pool is not None else chosen)
    return found


def _add_mean(found: Tables, name: str, metric: Metric, run: Columns, pool: Columns, method: Method) -> None:
    """Add the mean of a score, or of any value of an item, where it can be corrected; or a calibration error.

    Args:
        run: the run's items.
        pool: the items among which the rated ones are; the run's own, or those of other runs.
    """
    if method == "rogan-gladen" or (metric.is_error and method == "linear"):
        found.refused[name] = "it depends on more than the label, so it needs ratings of this run's own items"
        return
    values, ours = (_settled(metric, [item.values.get(name) for item in some.items]) for some in (run, pool))
    # What a value means may depend on all others (`Metric.settle`), so the rated ones are not looked at alone.
    by_reference = [item.values if item.reference is None else item.reference_values for item in pool.items]
    theirs = _settled(metric, [some.get(name) for some in by_reference])
    given = [value is not None for value in values]
    kept = [
        None not in (item.reference, mine, other) for item, mine, other in zip(pool.items, ours, theirs, strict=True)
    ]
    run, rated = run.where(given), pool.where(kept)
    values, ours, theirs = ([*compress(some, keep)] for some, keep in ((values, given), (ours, kept), (theirs, kept)))
    if rated.n < LEAST_RATED:
        found.refused[name] = _too_few(rated.n)
    elif metric.is_error:
        rows = gap_rows(metric, run, rated, values, (theirs, ours))
        sums = rows.sum(axis=0)
        if fault := sparse_fault(sums):
            found.refused[name] = fault
        else:
            found.gaps[name] = corrected_gaps(sums)
            judged = [place for place in range(len(sums)) if place % MEAN_WIDTH < 2]
            found.add(name, of_gaps(metric, len(sums), found.gaps[name]), rows, method, rated.n, judged)
    elif not metric.is_mean or not _is_mean_of_items(metric, {*values, *ours, *theirs}):
        found.refused[name] = "it is not a mean of one value an item"
    else:
        scores, *pairs = (_scores(metric, some) for some in (values, theirs, ours))
        rows = mean_rows(run, scores, rated, np.array(pairs), of_reference=method == "linear")
        corrected = of_mean(metric, method)
        if corrected.of(rows.sum(axis=0)) is None:
            found.refused[name] = "the judge's scores do not rise with the reference's"
        else:
            found.add(name, corrected, rows, method, rated.n, (0, 1))


def _settled(metric: Metric, values: Sequence[Any]) -> list[Any]:
    return [frozen(value) for value in (values if metric.settle is None else metric.settle(values))]


def _is_mean_of_items(metric: Metric, values: set[Any]) -> bool:
    """Whether each of some values weighs as much as any other."""
    return metric.cluster is None and all(
        float(metric.size(np.array(metric.statistics((value,)), dtype=float))) == 1 for value in values
    )


def _scores(metric: Metric, values: Sequence[Any]) -> Numbers:
    """The metric of each value alone."""
    known = {value: float(metric.compute(np.array(metric.statistics((value,)), dtype=float))) for value in {*values}}
    return np.array([known[value] for value in values], dtype=float)


def _too_few(n: int) -> str:
    return f"the reference rated {n} of its items, and {LEAST_RATED} are the least"


def label_rows(run: Columns, rated: Columns, labels: Sequence[Rating]) -> Numbers:
    """The rows of `shares`, one a cluster: K weighted counts of the judge, K² of the items that both rated."""
    k = len(labels)
    places = {label: place for place, label in enumerate(labels)}
    judged = np.array([places[item.judge] for item in run.items], dtype=np.intp)
    pairs = [places[item.reference] * k + places[item.judge] for item in rated.items if item.reference is not None]
    joint = rated.sums(np.array(pairs, dtype=np.intp), k * k, rated.weights)
    return np.column_stack([run.sums(judged, k, run.run_weights), joint])


def confusion(items: Sequence[RatedItem], labels: Sequence[Rating]) -> Numbers:
    """The weighted counts [reference, judge] of the items that both rated; shape (K, K).

    >>> item = RatedItem("q1", "YES", {}, "NO", weight=2.0)
    >>> confusion([item, item], ["YES", "NO"])
    array([[0., 0.],
           [4., 0.]])
    """
    rated = Columns.of(items, clusters_of(items)).rated()
    k = len(labels)
    return np.asarray(label_rows(rated, rated, labels).sum(axis=0)[k:].reshape(k, k))


def _is_of_label(name: str, run: Columns, labels: Labels) -> bool:
    """Whether all items with a label have the value that the label has."""
    known = {label: frozen(values.get(name)) for label, values in labels.items()}
    return all(frozen(item.values.get(name)) == known[item.judge] for item in run.items)


def _fault(sums: Numbers, labels: Sequence[Rating]) -> str | None:
    """Why the confusion matrix is not inverted; None where it is."""
    k = len(labels)
    joint = sums[k:].reshape(k, k)
    for label, rated, used in zip(labels, joint.sum(axis=1), sums[:k] + joint.sum(axis=0), strict=True):
        if used and not rated:
            return f"the reference rated no item {label}, so the judge's errors on such items are unknown"
    for label, value in zip(labels, youden(joint), strict=True):
        if value < LEAST_YOUDEN:
            return (
                f"the judge hardly recognises {label}: sensitivity + specificity - 1 is {value:.2f}, "
                f"and {LEAST_YOUDEN} is the least"
            )
    return None


def _statistics(metric: Metric, value: Any) -> Sequence[float]:
    return metric.statistics(() if value is None else (value,))


def _remembered(shares: Shares) -> Shares:
    """The function with its last results: all metrics of a task ask for the shares of the same arrays of sums."""
    last: deque[tuple[Numbers, Numbers]] = deque(maxlen=_ARRAYS)

    def of(sums: Numbers, k: int) -> Numbers:
        found = next((result for known, result in last if known is sums), None)
        if found is None:
            found = shares(sums, k)
            if sums.ndim > 1:
                last.append((sums, found))
        return found

    return of


@dataclass(frozen=True)
class Tables:
    """The calibrated metrics of one task in one run.

    Attributes:
        clusters: cluster → stratum, in the order of the rows.
        tables: name → the metric and its rows (`stats.intervals.Table`). Metrics of the same rows share the array.
        methods: name → how it is corrected.
        n: name → how many items that both rated it rests on.
        judged: name → the columns of its rows that hold the judge's ratings of the run, and not the rated items.
        refused: name → why it is not given, in a few words.
        gaps: name of a calibration error → from sums to its corrected gaps (`errors.corrected_gaps`).
    """

    clusters: Mapping[str, str]
    tables: dict[str, tuple[Metric, Numbers]] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)
    n: dict[str, int] = field(default_factory=dict)
    judged: dict[str, tuple[int, ...]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    gaps: dict[str, Gaps] = field(default_factory=dict)

    def add(self, name: str, metric: Metric, rows: Numbers, method: Method, n: int, judged: Sequence[int]) -> None:
        """Add one metric."""
        known = (table for table in self.tables.values() if np.array_equal(table[1], rows))
        self.tables[name] = metric, next(known, (metric, rows))[1]
        self.methods[name] = method
        self.n[name] = n
        self.judged[name] = tuple(judged)
