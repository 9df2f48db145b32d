"""What a task can tell apart: the smallest difference that it can resolve, and whether one model is not much worse.

Resolve: a difference of that size is found, at 5 % two-sided, in 80 % of all samples of as many items.
"""

from __future__ import annotations

import math

_Z_ALPHA = 1.959963984540054  # 5 % two-sided
_Z_POWER = 0.8416212335729143  # 80 % power


def smallest_difference(standard_error: float) -> float:
    """The smallest difference that a paired comparison can resolve, by the normal distribution (Cohen 1988, ch. 2).

    Args:
        standard_error: of the difference, such as that of a paired bootstrap, clusters respected; in any unit.

    Returns:
        In the same unit.

    >>> round(smallest_difference(1.0), 3)
    2.802
    """
    return (_Z_ALPHA + _Z_POWER) * standard_error


def smallest_paired_difference(n: int, discordance: float) -> float | None:
    """The smallest difference of two shares that McNemar's test can resolve (Miettinen 1968; Connor 1987).

    The exact test, cautious as it is, finds it in some 75 to 79 % of the samples (simulated: 93 to 1,343 items).

    Args:
        n: items, at least 1.
        discordance: share of the items that one model alone has right, above 0 to 1.

    Returns:
        From 0 to `discordance`; None where not even one model being right on all of these items could be resolved.

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

    It is where the 95 % interval of the difference lies on the right side of the margin, a one-sided test at 2.5 %
    (Piaggio et al. 2012, CONSORT for non-inferiority trials). False is no proof that it is worse.

    Args:
        ci95: of first minus second.
        margin: the largest loss that would not matter, in the unit of the interval, chosen before looking; above 0.
        higher_is_better: False for errors, such as `ece`.

    >>> is_not_worse((-1.2, 3.0), 2), is_not_worse((-2.4, 3.0), 2)
    (True, False)
    """
    low, high = ci95
    return low > -margin if higher_is_better else high < margin
