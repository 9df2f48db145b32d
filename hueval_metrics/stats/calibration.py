"""The interval of an expected calibration error, by inverting a bootstrap test of each value that it may have.

The plug-in estimate adds up absolute values, so noise alone moves it up: a model calibrated to perfection gets 0.02 or
so from 1,300 answers, and a percentile interval around that never holds the true 0. A test knows this bias, because the
error under its hypothesis has it as well (test inversion: Carpenter 1999, J. R. Stat. Soc. B 61; with the other
parameters where they are nearest to the estimate: hybrid resampling, Chuang & Lai 2000, Statistica Sinica 10).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_HALVINGS = 40
_TAIL = 0.025


def error_interval(gaps: Numbers, deviations: Numbers) -> tuple[float, float]:
    """The sums of absolute true gaps that a test of size 5 % does not reject.

    The test has equal tails, but near 0: there an estimate lower than a calibrated model's is luck and no evidence, so
    that all of the size is in the other tail (as in the unified approach: Feldman & Cousins 1998, Phys. Rev. D 57).

    Args:
        gaps: of each bin the sum of confidence minus outcome, over the number of all answers; shape (bins,).
        deviations: how far resampled gaps are from `gaps`; shape (resamples, bins), not all 0.

    Returns:
        (low, high), with the plug-in estimate between them; low is 0 where the answers may be calibrated.
    """
    used = (gaps != 0) | deviations.any(axis=0)
    gaps, deviations = gaps[used], deviations[:, used]
    signs, variances = np.where(gaps < 0, -1.0, 1.0), deviations.var(axis=0)
    observed = float(np.abs(gaps).sum())
    calibrated = float(np.median(np.abs(deviations).sum(axis=1)))
    # A bit more than what makes all gaps that vary 0, or rounding would leave some.
    farthest = 1.01 * float((np.abs(gaps) / np.where(variances > 0, variances, np.inf)).max())

    def true_gaps(pull: float) -> Numbers:
        """The nearest gaps, in units of their variances, of a smaller sum; of a greater one where `pull` is below 0."""
        return signs * np.maximum(np.abs(gaps) - pull * variances, 0)

    def true_error(share: float, estimate: float) -> float:
        """The sum under which this share of estimates is at least this one; the lowest if under that still more are."""
        pull = _where(
            lambda pull: float((np.abs(true_gaps(pull) + deviations).sum(axis=1) >= estimate).mean()) > share,
            -1 / float(np.sqrt(variances.sum())),
            farthest,
        )
        return float(np.abs(true_gaps(pull)).sum())

    one_tailed = true_error(1 - _TAIL, calibrated)
    low = np.clip(one_tailed, true_error(_TAIL, observed), true_error(2 * _TAIL, observed))
    high = true_error(1 - _TAIL, observed)
    return min(float(low), observed), max(one_tailed, high, observed)


def _where(holds: Callable[[float], bool], near: float, far: float) -> float:
    """Up to where, at most to `far`, something holds that does so far enough below 0; `near` is a guess below 0."""
    if holds(far):
        return far
    while not holds(near):
        near *= 2
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (middle, far) if holds(middle) else (near, middle)
    return near
