"""The strata of clusters whose members may lie in several: a question and its reverse."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def of_clusters(clusters: Iterable[Hashable], strata: Iterable[str | None]) -> list[str | None]:
    """The stratum of each cluster, in the order in which clusters first appear.

    Args:
        clusters: of each item.
        strata: of each item; None where it has none.

    Returns:
        The stratum of a cluster's items; of items in several the names of all, sorted: clusters of such a kind are a
        stratum of their own.

    >>> of_clusters("aabbc", ["x", "x", "y", "x", None])
    ['x', 'x+y', None]
    """
    found: dict[Hashable, set[str | None]] = {}
    for cluster, stratum in zip(clusters, strata, strict=True):
        found.setdefault(cluster, set()).add(stratum)
    return [next(iter(some)) if len(some) == 1 else "+".join(sorted(map(str, some))) for some in found.values()]
