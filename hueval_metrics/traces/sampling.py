"""Which replies a judge sees under `--limit`, and how many replies each of them stands for.

Replies are drawn by stratum, the replies of one verdict in a task of a run: N replies of a task are divided equally
among its verdicts, and what a small stratum leaves over goes to the others. A reply stands for as many as its stratum
has, divided by those drawn of it (the weight of Horvitz and Thompson 1952), so that weighted sums and rates over all
verdicts are unbiased. At least one reply of each verdict is drawn, or its replies would be missing in every rate.

The order of the draw is a hash of the item and nothing else: the same items are drawn of every run, a larger limit
draws those of a smaller one and more, and other files beside a run change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from hueval_metrics.traces.item import TraceItem

SEED = 1  # part of the signature
Group = tuple[str, str]  # run and task


class Draw:
    """Gathers the replies that a judge may see.

    Args:
        limit: how many are drawn of each run and task; None for all.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._found: dict[Group, dict[str, list[tuple[bytes, int]]]] = {}

    def add(self, item: TraceItem) -> None:
        """Add a reply."""
        strata = self._found.setdefault((item.run, item.task), {})
        order = sha256(f"{SEED}/{item.task}/{item.key}".encode("utf-8", "replace")).digest()[:8]
        strata.setdefault(item.verdict or "", []).append((order, item.index))

    def weights(self, tasks: Iterable[str]) -> dict[int, float]:
        """Index of each reply that was drawn of some tasks → how many replies it stands for."""
        wanted = set(tasks)
        drawn: dict[int, float] = {}
        for (_, task), strata in self._found.items():
            if task in wanted:
                shares = shared({verdict: len(replies) for verdict, replies in strata.items()}, self._limit)
                for verdict, replies in strata.items():
                    weight = len(replies) / shares[verdict]
                    drawn.update((index, weight) for _, index in sorted(replies)[: shares[verdict]])
        return drawn


def shared(sizes: Mapping[str, int], limit: int | None) -> dict[str, int]:
    """How many are drawn of each stratum.

    Args:
        sizes: how many replies each has, at least one.
        limit: how many are drawn in all, at least one; None for all.

    >>> shared({"right": 50, "wrong": 3, "not attempted": 50}, 11)
    {'right': 4, 'wrong': 3, 'not attempted': 4}
    >>> shared({"right": 5, "wrong": 5}, 1)
    {'right': 1, 'wrong': 1}
    """
    if limit is None:
        return dict(sizes)
    left, found = limit, {}
    by_size: Sequence[str] = sorted(sizes, key=lambda stratum: sizes[stratum])  # what small ones leave is divided on
    for place, stratum in enumerate(by_size):
        found[stratum] = min(sizes[stratum], max(1, left // (len(by_size) - place)))
        left -= found[stratum]
    return {stratum: found[stratum] for stratum in sizes}
