"""Rows of an analysis as arrays: what their measures count, where they belong and for how many replies they stand."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.traces.item import VERDICTS, Row
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.settings import SEGMENTS, THOUGHTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

_NONE = float("nan")  # a measure that does not apply to a row, or a row without a verdict's share


@dataclass(frozen=True)
class Codes:
    """Numbers for names, the same for all runs of a group."""

    parts: dict[str, int] = field(default_factory=lambda: {"": 0})
    tasks: dict[str, int] = field(default_factory=dict)
    clusters: dict[str, int] = field(default_factory=dict)
    items: dict[Hashable, int] = field(default_factory=dict)


class Gathering:
    """The rows of one run and group while they come in; 16 bytes a measure and row.

    Args:
        measures: what is counted.
        codes: of the group.
    """

    def __init__(self, measures: Sequence[Measure], codes: Codes) -> None:
        self._measures = measures
        self._codes = codes
        self._belongs, self._values, self._extra = array("q"), array("d"), array("d")

    def add(self, row: Row, part: str) -> None:
        """Add the row of one reply; `part` is the code of its part of the group, or empty."""
        codes, task, verdict = self._codes, str(row["task"]), row["verdict"]
        self._belongs.extend(
            (
                _code(codes.tasks, task),
                _code(codes.parts, part),
                -1 if verdict is None else VERDICTS.index(verdict),
                _code(codes.clusters, str(row["cluster"])),
                _code(codes.items, (task, *map(str, row["key"]))),
            )
        )
        share = row["share"]
        length = float(row["tokens"]) if row["blocks"] else _NONE
        self._extra.extend((float(row["weight"]), length, _NONE if share is None else float(share)))
        for measure in self._measures:
            self._values.extend(measure.of(row) or (_NONE, _NONE))

    def replies(self) -> Replies:
        """What has come in, without a copy."""
        belongs = np.frombuffer(self._belongs, dtype=np.int64).reshape(-1, 5)
        extra = np.frombuffer(self._extra).reshape(-1, 3)
        values = np.frombuffer(self._values).reshape(len(belongs), -1, 2)
        return Replies(belongs, values, extra)


@dataclass(frozen=True, eq=False)
class Replies:
    """Replies as arrays.

    Attributes:
        belongs: codes of task, part, verdict (-1 for none), cluster and item, shape (n, 5).
        values: numerator and denominator of each measure, shape (n, measures, 2); NaN where it does not apply.
        extra: weight, tokens of the trace (NaN without one) and share right (NaN without one), shape (n, 3).
    """

    belongs: Integers
    values: Numbers
    extra: Numbers

    def where(self, mask: NDArray[np.bool_ | np.intp]) -> Replies:
        """Those of a mask or of indices."""
        return Replies(self.belongs[mask], self.values[mask], self.extra[mask])

    def cell(self, part: int, verdict: int) -> Replies:
        """Those of a part (0: all) and verdict (-1: all)."""
        keep = np.ones(len(self.belongs), dtype=bool)
        if part > 0:
            keep &= self.parts == part
        if verdict >= 0:
            keep &= self.verdicts == verdict
        return self if keep.all() else self.where(keep)

    @property
    def tasks(self) -> Integers:
        """Codes of the tasks."""
        return self.belongs[:, 0]

    @property
    def parts(self) -> Integers:
        """Codes of the parts."""
        return self.belongs[:, 1]

    @property
    def verdicts(self) -> Integers:
        """Places in `item.VERDICTS`."""
        return self.belongs[:, 2]

    @property
    def clusters(self) -> Integers:
        """Codes of the clusters."""
        return self.belongs[:, 3]

    @property
    def items(self) -> Integers:
        """Codes of the items."""
        return self.belongs[:, 4]

    @property
    def strata(self) -> Integers:
        """Codes of what `--limit` draws from: task and verdict."""
        return self.tasks * (len(VERDICTS) + 1) + self.verdicts + 1

    def weights(self, measure: Measure) -> Numbers:
        """How many replies each stands for; 1 for what is measured in all of them, and not by a judge's step."""
        return self.extra[:, 0] if measure.step in (THOUGHTS, SEGMENTS) else np.ones(len(self.extra))

    def terms(self, measures: Sequence[tuple[int, Measure]]) -> Numbers:
        """Weighted sums of clusters, in the order of their codes.

        Args:
            measures: indices of measures among all, and the measures.

        Returns:
            Sums of numerators and denominators, shape (clusters, measures, 2); zeros where a measure does not apply.
        """
        codes, places = np.unique(self.clusters, return_inverse=True)
        sums = np.empty((len(codes), len(measures), 2))
        for column, (index, measure) in enumerate(measures):
            weights = self.weights(measure)
            for side in (0, 1):
                products = np.nan_to_num(self.values[:, index, side]) * weights
                sums[:, column, side] = np.bincount(places, products, len(codes))
        return sums


def _code(codes: dict[Any, int], name: Hashable) -> int:
    return codes.setdefault(name, len(codes))
