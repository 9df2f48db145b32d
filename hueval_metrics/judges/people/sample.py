"""A stratified sample of verdicts that contains rare labels (Cochran 1977, Sampling Techniques, ch. 5).

The strata are task, rubric, judge, band (the judge's label, or grade of its score) and dimension. The sample size is
allocated twice: among the bands, in proportion to their size but with a minimum, so that rare labels can be checked;
and within a band among the dimensions. The sample depends only on the seed and the items, not on their order.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TypeVar

from hueval_metrics.judges.people.judged import JudgedItem
from hueval_metrics.runs.scales import scale_of

FLOOR = 10  # items of a band, if it has as many; minimums take at most half of the sample

Key = TypeVar("Key", bound=Hashable)


def draw(items: Iterable[JudgedItem], n: int, seed: int) -> Sample:
    """A sample of some verdicts.

    Args:
        items: the population; only candidates are kept in memory.
        n: sample size, positive; all items are used where there are fewer.
        seed: of the draw.

    Returns:
        The items in random order, and the size of every stratum.
    """
    population: Counter[Stratum] = Counter()
    kept: defaultdict[Stratum, list[JudgedItem]] = defaultdict(list)

    def first(items: Iterable[JudgedItem], count: int) -> list[JudgedItem]:
        return nsmallest(count, items, key=lambda item: _place(seed, "draw", item))

    for item in items:
        stratum = stratum_of(item)
        population[stratum] += 1
        kept[stratum].append(item)
        if len(kept[stratum]) >= 2 * n:
            kept[stratum] = first(kept[stratum], n)
    bands: defaultdict[Stratum, dict[Stratum, int]] = defaultdict(dict)
    for stratum in sorted(population):
        bands[stratum.whole_band][stratum] = population[stratum]
    shares = allocate({band: sum(sizes.values()) for band, sizes in bands.items()}, n, FLOOR)
    drawn = []
    for band, sizes in bands.items():
        for stratum, count in allocate(sizes, shares[band], 1).items():
            drawn += first(kept[stratum], count)
    drawn.sort(key=lambda item: _place(seed, "order", item))
    name = _digest(seed, [(item.run, item.task, item.qid, item.response) for item in drawn])[:6]
    width = len(str(len(drawn)))
    # The letter prevents spreadsheets from reading an id as a number. A row number reveals no model, a hash would.
    return Sample(
        {f"s{name}-{row:0{width}}": item for row, item in enumerate(drawn, start=1)}, dict(sorted(population.items()))
    )


def allocate(sizes: Mapping[Key, int], n: int, floor: int) -> dict[Key, int]:
    """How many items to draw from each group: in proportion to its size (Sainte-Laguë), with a minimum.

    Args:
        sizes: of the groups, positive; of two equal ones the first takes precedence.
        n: number of items to draw from all.
        floor: the minimum of a group that has as many; reduced where minimums would take more than half of `n`, to 1
            where each group can still have one, otherwise to 0.

    >>> allocate({"often": 960, "seldom": 36, "rarely": 4}, 100, 10)
    {'often': 86, 'seldom': 10, 'rarely': 4}
    """
    if n >= sum(sizes.values()):
        return dict(sizes)
    floor = min(floor, max(n // (2 * len(sizes)), int(n >= len(sizes))))
    shares = {key: min(size, floor) for key, size in sizes.items()}
    for _ in range(n - sum(shares.values())):
        open_ = (key for key, size in sizes.items() if shares[key] < size)
        shares[max(open_, key=lambda key: sizes[key] / (2 * shares[key] + 1))] += 1
    return shares


def stratum_of(item: JudgedItem) -> Stratum:
    """The stratum of an item."""
    return Stratum(item.task, item.rubric, item.judge, scale_of(item.task).band(item.rating), item.dimension)


def _place(seed: int, purpose: str, item: JudgedItem) -> str:
    return _digest(seed, purpose, item.run, item.task, item.qid)


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, order=True)
class Stratum:
    """The values that the items of a stratum share; see `JudgedItem`, and `Scale.band` for `band`."""

    task: str
    rubric: str
    judge: str
    band: str
    dimension: str

    @property
    def whole_band(self) -> Stratum:
        """The stratum of the whole band, over all dimensions."""
        return replace(self, dimension="")


@dataclass(frozen=True)
class Sample:
    """A sample of verdicts.

    Attributes:
        items: opaque id → item, in the order of the sheet.
        population: number of items of each stratum in the runs.
    """

    items: Mapping[str, JudgedItem]
    population: Mapping[Stratum, int]
