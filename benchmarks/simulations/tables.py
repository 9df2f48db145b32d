"""What the simulations of coverage share: their tables, and how often an interval holds the true value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hueval_metrics.stats.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

HELD = (93.0, 97.0)  # demanded of 95 % intervals, in percent of the runs
MOST_ERRORS = 6.0  # demanded of tests at 5 %
RESAMPLES = 1000  # a tenth of those of `hueval score`, which would take as much longer
ROUNDING = 1e-9
Row = tuple[Sequence[str], bool]  # the cells, and whether they are as demanded


@dataclass(frozen=True)
class Table:
    """A table of a simulation.

    Attributes:
        titles: of the columns.
        rows: what simulates a case, by its name and the number of runs.
        cases: their names.
        runs: the default.
        texts: how many columns have text, and not numbers.
    """

    titles: Sequence[str]
    rows: Callable[[str, int], Iterable[Row]]
    cases: Collection[str]
    runs: int = 1000
    texts: int = 1


def holds(interval: Interval | None, truth: float) -> bool:
    """Whether there is an interval, and the true value is in it."""
    return interval is not None and interval.low - ROUNDING <= truth <= interval.high + ROUNDING


def is_kept(held: float, errs: float = 0.0) -> bool:
    """Whether the shares of intervals and of wrong tests, in percent, are as demanded."""
    return HELD[0] <= held <= HELD[1] and errs <= MOST_ERRORS
