"""Multiple testing: p-values corrected for the family-wise error rate (Holm 1979)."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values after Holm's step-down correction, which does not assume that the tests are independent.

    Args:
        p_values: from 0 to 1; None where there was no test, which is not counted.

    Returns:
        The corrected values in the same order, at most 1.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for step, (p, place) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - step) * p))
        corrected[place] = largest
    return corrected
