"""Power and non-inferiority: the smallest difference that a task can detect, and whether one model is not much worse.

Detect: a test at 5 %, two-sided, finds a difference of that size in 80 % of all samples of as many items.
"""

from __future__ import annotations

import math

_Z_ALPHA = 1.959963984540054  # 5 % two-sided
_Z_POWER = 0.8416212335729143  # 80 % power


def smallest_difference(standard_error: float) -> float:
    """The smallest difference that a paired comparison can detect, by the normal distribution (Cohen 1988, ch. 2).

    Args:
        standard_error: of the difference, such as that of a paired bootstrap over clusters; in any unit.

    Returns:
        In the same unit.

    >>> round(smallest_difference(1.0), 3)
    2.802
    """
    return (_Z_ALPHA + _Z_POWER) * standard_error


def smallest_paired_difference(n: int, discordance: float) -> float | None:
    """The smallest difference of two proportions that McNemar's test can detect (Miettinen 1968; Connor 1987).

    The exact test is conservative and finds it in 75 to 79 % of the samples (simulated: 93 to 1,343 items).

    Args:
        n: items, at least 1.
        discordance: share of the items that one model alone has right, above 0 to 1.

    Returns:
        From 0 to `discordance`; None where the test could not even detect that one model is right on all these items.

    >>> round(smallest_paired_difference(1343, 0.2), 4)
    0.0342
    """
    # Solves n δ² = (z_α √ψ + z_β √(ψ - δ²))² for δ.
    square = n + _Z_POWER**2
    middle = _Z_ALPHA * math.sqrt(n * discordance)
    inner = middle**2 - square * discordance * (_Z_ALPHA**2 - _Z_POWER**2)
    if inner < 0:
        return None
    found = (middle + math.sqrt(inner)) / square
    return found if found <= discordance else None


def is_not_worse(ci95: tuple[float, float], margin: float, *, higher_is_better: bool = True) -> bool:
    """Whether the first model is shown to be not worse than the second by more than a margin.

    True where the 95 % interval of the difference excludes the margin, a one-sided test at 2.5 % (Piaggio et al. 2012,
    CONSORT for non-inferiority trials). False does not show that it is worse.

    Args:
        ci95: of first minus second.
        margin: the largest acceptable loss, in the unit of the interval, chosen before the results are seen; above 0.
        higher_is_better: False for errors, such as `ece`.

    >>> is_not_worse((-1.2, 3.0), 2), is_not_worse((-2.4, 3.0), 2)
    (True, False)
    """
    low, high = ci95
    return low > -margin if higher_is_better else high < margin
