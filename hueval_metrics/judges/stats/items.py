"""The items of a run with the ratings of a judge and of a reference, and the clusters that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.stats.agreement import Rating

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

LEAST_RATED = 30  # items; with fewer that both rated, no correction by them is given


def clusters_of(*groups: Sequence[RatedItem]) -> dict[str, str]:
    """The clusters of some items, each with its stratum (empty where it has none), in the order of their names.

    >>> item = RatedItem("q2", "YES", {})
    >>> clusters_of([item], [RatedItem("q1", "NO", {}, stratum="x"), item])
    {'q1': 'x', 'q2': ''}
    """
    found = {item.cluster: item.stratum or "" for items in groups for item in items}
    return dict(sorted(found.items()))


def frozen(value: Any) -> Any:
    """An item's value, a list as a tuple, which can be a member of a set."""
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class RatedItem:
    """One item of a run that the judge rated.

    Attributes:
        cluster: what is resampled, such as a question; the same in all runs.
        judge: the judge's label or score.
        values: metric → the item's value under the judge's rating; None, or no entry, where it does not apply.
        reference: the reference's label or score; None where it did not rate the item.
        reference_values: metric → the item's value under the reference's rating; empty without one.
        weight: how many items it stands for, if the reference rated a sample by strata; 1 else.
        stratum: of the item, such as its dimension; None where it has none.
        run_weight: how many items it stands for, if the run itself is a sample by strata; 1 else.
    """

    cluster: str
    judge: Rating
    values: Mapping[str, Any]
    reference: Rating | None = None
    reference_values: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    stratum: str | None = None
    run_weight: float = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """Some items as arrays.

    Attributes:
        items: the items.
        clusters: the index of each item's cluster.
        n_clusters: number of clusters.
    """

    items: Sequence[RatedItem]
    clusters: Integers
    n_clusters: int

    @classmethod
    def of(cls, items: Sequence[RatedItem], clusters: Mapping[str, str]) -> Columns:
        """The columns of items whose clusters are among these."""
        places = {cluster: place for place, cluster in enumerate(clusters)}
        return cls(items, np.array([places[item.cluster] for item in items], dtype=np.intp), len(places))

    def where(self, kept: Sequence[bool] | NDArray[np.bool_]) -> Columns:
        """Some of the items, over the same clusters."""
        items = [item for item, keep in zip(self.items, kept, strict=True) if keep]
        return Columns(items, self.clusters[np.array(kept, dtype=bool)], self.n_clusters)

    def rated(self) -> Columns:
        """The items that the reference rated."""
        return self.where([item.reference is not None for item in self.items])

    def within(self, stratum: str | None) -> Columns:
        """The items of one stratum; all for None."""
        return self if stratum is None else self.where([item.stratum == stratum for item in self.items])

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def weights(self) -> Numbers:
        """The weight of each item as one that both rated."""
        return np.array([item.weight for item in self.items], dtype=float)

    @property
    def run_weights(self) -> Numbers:
        """The weight of each item as one of the run."""
        return np.array([item.run_weight for item in self.items], dtype=float)

    def total(self, values: Numbers) -> Numbers:
        """The sum of the items' values of each cluster; shape (clusters,)."""
        return np.bincount(self.clusters, values, minlength=self.n_clusters).astype(float)

    def sums(self, kinds: Integers, n_kinds: int, weights: Numbers) -> Numbers:
        """The weight of the items of each kind in each cluster; shape (clusters, n_kinds)."""
        flat = np.bincount(self.clusters * n_kinds + kinds, weights, minlength=self.n_clusters * n_kinds)
        return flat.reshape(self.n_clusters, n_kinds).astype(float)
