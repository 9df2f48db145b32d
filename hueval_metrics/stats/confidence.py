"""The interval of an expected calibration error, by inverting a bootstrap test of each possible value.

The plug-in estimate sums absolute values, so noise biases it upwards: a perfectly calibrated model gets about 0.02 from
1,300 answers, and a percentile interval never contains the true 0. A test accounts for this bias, because the estimate
under its hypothesis has the same (test inversion: Carpenter 1999, J. R. Stat. Soc. B 61; with the nuisance parameters
nearest to the estimate: hybrid resampling, Chuang & Lai 2000, Statistica Sinica 10).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_HALVINGS = 40
_SETTLE_EVERY = 4  # halvings; more often costs more than it saves
_TAIL = 0.025
_ROUNDING = 1e-12  # more than that of a sum of gaps, which are at most 1


def error_interval(gaps: Numbers, deviations: Numbers) -> tuple[float, float]:
    """The sums of absolute true gaps that a test of size 5 % does not reject.

    The test has equal tails, except near 0: there an estimate below that of a calibrated model is chance, not evidence,
    so the whole size is in the upper tail (as in the unified approach: Feldman & Cousins 1998, Phys. Rev. D 57).

    Args:
        gaps: for each bin the sum of confidence minus outcome, divided by the number of all answers; shape (bins,).
        deviations: resampled gaps minus `gaps`; shape (resamples, bins), not all 0.

    Returns:
        (low, high), with the plug-in estimate between them; low is 0 where calibration is not rejected.
    """
    used = (gaps != 0) | deviations.any(axis=0)
    gaps, deviations = gaps[used], deviations[:, used]
    signs, variances = np.where(gaps < 0, -1.0, 1.0), deviations.var(axis=0)
    observed = float(np.abs(gaps).sum())
    calibrated = float(np.median(np.abs(deviations).sum(axis=1)))
    # Slightly more than the pull that makes all varying gaps 0: rounding would leave some above it.
    farthest = 1.01 * float((np.abs(gaps) / np.where(variances > 0, variances, np.inf)).max())

    def true_gaps(pull: float) -> Numbers:
        """The nearest gaps, in units of their variances, with a smaller sum; a larger one if `pull` is negative."""
        return signs * np.maximum(np.abs(gaps) - pull * variances, 0)

    def true_error(share: float, estimate: float) -> float:
        """The true sum for which this share of the estimates is at least `estimate`; the lowest one if none is."""
        pull = _largest_pull(true_gaps, deviations, share, estimate, -1 / float(np.sqrt(variances.sum())), farthest)
        return float(np.abs(true_gaps(pull)).sum())

    one_tailed = true_error(1 - _TAIL, calibrated)
    low = np.clip(one_tailed, true_error(_TAIL, observed), true_error(2 * _TAIL, observed))
    high = true_error(1 - _TAIL, observed)
    return min(float(low), observed), max(one_tailed, high, observed)


def _largest_pull(
    true_gaps: Callable[[float], Numbers],
    deviations: Numbers,
    share: float,
    estimate: float,
    near: float,
    far: float,
) -> float:
    """The largest pull up to `far` for which more than a share of the estimates is at least `estimate`, by bisection.

    Estimates that no pull between the two ends can move across `estimate` are counted once and left out from then on:
    after a few halvings those are nearly all.

    Args:
        true_gaps: pull → gaps, each of them monotone in the pull.
        deviations: resampled deviations from them, shape (resamples, bins).
        share, estimate: as above; it holds far enough below 0.
        near: the first guess below 0.
        far: the largest pull.
    """
    n, above = len(deviations), 0

    def estimates(pull: float) -> Numbers:
        return np.asarray(np.abs(true_gaps(pull) + deviations).sum(axis=1))

    def holds(found: Numbers) -> bool:
        return (above + int(np.count_nonzero(found >= estimate))) / n > share

    if holds(estimates(far)):
        return far
    while not holds(estimates(near)):
        near *= 2
    for halving in range(_HALVINGS):
        middle = (near + far) / 2
        found = estimates(middle)
        near, far = (middle, far) if holds(found) else (near, middle)
        if halving % _SETTLE_EVERY:
            continue
        reach = float(np.abs(true_gaps(near) - true_gaps(far)).sum()) + _ROUNDING
        is_open = np.abs(found - estimate) <= reach
        above += int(np.count_nonzero(found[~is_open] >= estimate))
        deviations = deviations[is_open]
    return near
