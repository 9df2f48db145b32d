"""What a team is told of a score on hidden labels, so that scores cannot be used to read the labels.

An exact score is an oracle: a prediction flipped between two submissions reads one label. After the Ladder (Blum &
Hardt 2015), a team is told a number only if it is better than its best one, here by two standard errors and by the
paired test over items; the number stands on a grid of one standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

STEPS = 2.0  # standard errors by which a score must beat the team's best
LEVEL = 0.05  # of the paired test

Kind = Literal["exact", "first", "better", "not distinguishable"]


@dataclass(frozen=True)
class Told:
    """What a team is told.

    Attributes:
        kind: `exact` on public answers; otherwise `first` or `better` with a score, `not distinguishable` without.
        score: on the grid of `step`, in the metric's unit; None where there is none.
        step: the grid, one standard error; 0 where the score is exact.
    """

    kind: Kind
    score: float | None
    step: float


def tell(
    score: float,
    standard_error: float,
    best: float | None,
    p: float | None,
    *,
    higher_is_better: bool = True,
) -> Told:
    """What a team is told of a score on hidden labels.

    Args:
        score: exact.
        standard_error: of it, > 0.
        best: the exact score of the team's best submission of which it was told a number; None for none.
        p: of the paired test between the two, two-sided; None where there is no best or no test.
        higher_is_better: whether the higher score is the better one.
    """
    step = _two_digits(standard_error)
    shown = round(score / step) * step if step else score
    if best is None:
        return Told("first", shown, step)
    gain = score - best if higher_is_better else best - score
    if gain > STEPS * standard_error and p is not None and p < LEVEL:
        return Told("better", shown, step)
    return Told("not distinguishable", None, step)


def _two_digits(value: float) -> float:
    """A standard error with two digits: more would say something about the labels."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    places = 1 - math.floor(math.log10(value))
    return round(value, places)
