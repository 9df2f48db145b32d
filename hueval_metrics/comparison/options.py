"""What a comparison of runs is asked for: the options of `hueval compare` and `hueval.compare`, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from hueval_metrics.comparison.check import KINDS
from hueval_metrics.errors import OptionError


@dataclass(frozen=True)
class CompareOptions:
    """The options of a comparison.

    Attributes:
        metrics: see `measures.measures`.
        dimensions: whether to compare within each stratum of the items, too.
        all_pairs: whether to compare every two runs, not only each with the first that has the task.
        despite: kinds of difference between runs (`check.KINDS`) to ignore.
        margin: of non-inferiority in points, chosen before the results are seen; None for none.
        models: a file of model cards, to compare groups of models; None for none.
        against: other benchmarks, to compare the order of the models with theirs: see `ranking.benchmark_ranks`.
        published: whether to place the scores among those that the papers print.

    Raises:
        OptionError: `despite` has an unknown kind, or the margin is no number above 0 and at most 100.
    """

    metrics: Sequence[str] = ()
    dimensions: bool = True
    all_pairs: bool = False
    despite: Sequence[str] = ()
    margin: float | None = None
    models: Path | None = None
    against: Sequence[str] = ()
    published: bool = False

    def __post_init__(self) -> None:
        if unknown := [kind for kind in self.despite if kind not in KINDS]:
            raise OptionError(f'despite "{unknown[0]}": choose of {", ".join(KINDS)}')
        if not isinstance(self.margin, int | float | None):
            raise OptionError(f"margin: of type {type(self.margin).__name__}, expected points, such as 2.5")
        if self.margin is not None and not 0 < self.margin <= 100:
            raise OptionError(f"margin {self.margin:g}: expected points above 0, at most 100")

    def pairs(self, runs: Sequence[object]) -> list[tuple[int, int]]:
        """The indices of the runs that are compared with one another."""
        places = range(len(runs))
        return list(combinations(places, 2)) if self.all_pairs else [(0, place) for place in places[1:]]


USUAL = CompareOptions()
