"""Several sampled runs of one model: how far the score depends on the draw of its answers (Miller 2024)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def repeated(scores: Sequence[float]) -> Repeats:
    """The spread of the scores of k runs that differ in nothing but the draw.

    Args:
        scores: one a run, in any unit.

    Raises:
        ValueError: there is no run, or a score is not a finite number.

    >>> repeated([60.0, 62.0, 64.0])
    Repeats(k=3, mean=62.0, sd=2.0, standard_error=1.1547005383792517, minimum=60.0, maximum=64.0)
    """
    values = np.asarray(scores, dtype=float)
    if not len(values) or not np.isfinite(values).all():
        raise ValueError(f"scores of repeated runs must be finite, and at least one: {list(scores)}")
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    error = None if sd is None else sd / math.sqrt(len(values))
    return Repeats(len(values), float(values.mean()), sd, error, float(values.min()), float(values.max()))


@dataclass(frozen=True, slots=True)
class Repeats:
    """The scores of several runs of one model.

    It says nothing about other questions: that is what the interval over items is for.

    Attributes:
        k: how many runs.
        mean: of their scores.
        sd: standard deviation (k - 1); None with one run.
        standard_error: of the mean; None with one run.
        minimum, maximum: of the scores.
    """

    k: int
    mean: float
    sd: float | None
    standard_error: float | None
    minimum: float
    maximum: float
