"""HuWildBench: the WB-score (OpenHuEval §2.2, Table 10; after WildBench, Lin et al. 2024) of single answers.

A judge scores each answer from 1 to 10 by a checklist. The paper averages and multiplies by 10; the public scorer
rescales as WildBench does, so that a fair answer (5) scores 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any

from hueval_metrics.metric import Metric

LOWEST, HIGHEST = 1, 10  # Table 10
DEFAULT = 1.0  # score of an unreadable verdict, in `wb_score_racka` only (Racka, Appendix C.4)
_FAIR = 5  # WildBench's zero point


def _terms(values: Sequence[Any]) -> tuple[float, int]:
    return fsum(values), len(values)


WB_SCORE = Metric("wb_score", _terms, lambda sums: 10 * (sums[..., 0] / sums[..., 1]), bounds=(10.0, 100.0))
"""Mean score × 10 (§2.2)."""

WB_SCORE_REF = Metric(
    "wb_score_ref", _terms, lambda sums: 20 * (sums[..., 0] / sums[..., 1] - _FAIR), bounds=(-80.0, 100.0)
)
"""(Mean score - 5) × 20, as the public scorer prints it."""
