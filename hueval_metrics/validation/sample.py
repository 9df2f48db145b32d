"""A stratified sample of verdicts, in which rare labels occur (Cochran 1977, Sampling Techniques, ch. 5).

The strata are task, rubric, judge, band (the judge's label, or grade of its score) and dimension. The number to draw is
shared out twice: among the bands, in proportion to their size but with a floor, so that a judge's rare label can be
checked at all; and within a band among the dimensions. What is drawn hangs on the seed and the items alone, in whatever
order they come.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TypeVar

from hueval_metrics.validation.judged import JudgedItem
from hueval_metrics.validation.scales import scale_of

FLOOR = 10  # items a band, if it has as many; at most half of the sample is taken up by floors

Key = TypeVar("Key", bound=Hashable)


def draw(items: Iterable[JudgedItem], n: int, seed: int) -> Sample:
    """A sample of some verdicts.

    Args:
        items: all that may be drawn; only those that still may are held in memory.
        n: how many to draw, positive; all are taken where there are no more.
        seed: another seed is another sample.

    Returns:
        The items in an order that tells nothing, and the size of every stratum.
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
    # The letter keeps spreadsheets from taking an id for a number; made of content, an id would give away the model.
    return Sample(
        {f"s{name}-{row:0{width}}": item for row, item in enumerate(drawn, start=1)}, dict(sorted(population.items()))
    )


def allocate(sizes: Mapping[Key, int], n: int, floor: int) -> dict[Key, int]:
    """How many to draw of each group: in proportion to its size (Sainte-Laguë), but not less than a floor.

    Args:
        sizes: how many each group has, positive; where two are alike, the first comes first.
        n: how many to draw of all.
        floor: the least of a group that has as many; lowered where floors would take more than half of `n`, to 1 where
            each group can still have one, else to 0.

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
    """What the items of a stratum have in common; see `JudgedItem`, and for `band` `Scale.band`."""

    task: str
    rubric: str
    judge: str
    band: str
    dimension: str

    @property
    def whole_band(self) -> Stratum:
        """The band with all its dimensions, as a stratum."""
        return replace(self, dimension="")


@dataclass(frozen=True)
class Sample:
    """What was drawn.

    Attributes:
        items: opaque id → item, in the order of the sheet.
        population: how many items each stratum has in the runs.
    """

    items: Mapping[str, JudgedItem]
    population: Mapping[Stratum, int]
