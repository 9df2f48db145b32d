"""HuWildBench: the WB-score (OpenHuEval §2.2, Table 10; after WildBench, Lin et al. 2024) of single answers.

A judge scores each answer from 1 to 10 by a checklist. The paper averages and multiplies by 10; the public scorer
rescales as WildBench does, so that a fair answer (5) is worth 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

LOWEST, HIGHEST = 1, 10  # Table 10
DEFAULT = 1.0  # of an unreadable verdict, in `wb_score_racka` alone (Racka, Appendix C.4)
_FAIR = 5  # WildBench's zero point


def wb_score(scores: Iterable[float | None]) -> float | None:
    """Mean score × 10 (§2.2), from 10 to 100; None without any score.

    >>> wb_score([8, 5, None])
    65.0
    """
    mean = _mean(scores)
    return None if mean is None else 10 * mean


def wb_score_ref(scores: Iterable[float | None]) -> float | None:
    """(Mean score - 5) × 20, as the public scorer prints it, from -80 to 100; None without any score.

    >>> wb_score_ref([8, 5, None])
    30.0
    """
    mean = _mean(scores)
    return None if mean is None else 20 * (mean - _FAIR)


def share_of_scale(score: float) -> float:
    """How far up the scale a score is: 0 for the lowest, 1 for the highest.

    >>> share_of_scale(1), share_of_scale(10)
    (0.0, 1.0)
    """
    return (score - LOWEST) / (HIGHEST - LOWEST)


def _mean(scores: Iterable[float | None]) -> float | None:
    given = [score for score in scores if score is not None]
    return fsum(given) / len(given) if given else None
