"""Short factual questions: correct given attempted and F-score (SimpleQA, Wei et al. 2024; arXiv:2503.21500, C.7).

A judge labels each answer as correct, incorrect or not attempted; c, i and n are the counts. Answers without a verdict
are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import POOLED

CORRECT, INCORRECT, NOT_ATTEMPTED = LABELS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")


def by_label(label: str | None, stated: Sequence[Any] | None) -> dict[str, Any]:
    """The values of one answer that follow from its label.

    Args:
        label: one of `LABELS`; None without a verdict.
        stated: the confidence from 0 to 1, and how it was stated, where the other answers must say what it means
            (`metrics.confidence.settled`); None without one.

    Returns:
        `correct`, `incorrect`, `not_attempted` as 0 or 1, the terms of `correct_given_attempted` and `f_score`, and for
        `ece` and `brier` the pair of confidence and whether correct (not attempted is wrong). None without a verdict.
    """
    if label is None:
        return dict.fromkeys(
            ("correct", "incorrect", "not_attempted", "correct_given_attempted", "f_score", "ece", "brier")
        )
    correct = float(label == CORRECT)
    pair = None if stated is None else (stated[0], correct, *filter(None, stated[1:]))
    return {
        "correct": correct,
        "incorrect": float(label == INCORRECT),
        "not_attempted": float(label == NOT_ATTEMPTED),
        "correct_given_attempted": attempted_term(label),
        "f_score": f_term(label),
        "ece": pair,
        "brier": pair,
    }


def reference_label(reply: str) -> str:
    """The label as the public reference scorer reads a judge's reply: by its first character alone.

    >>> reference_label("a)"), reference_label("CORRECT"), reference_label("As an AI, B")
    ('CORRECT', 'NOT_ATTEMPTED', 'CORRECT')
    """
    return dict(zip("abc", LABELS, strict=True)).get(reply.strip().lower()[:1], NOT_ATTEMPTED)


def attempted_term(label: str) -> tuple[int, int]:
    """What one answer adds to c and to c + i, numerator and denominator of formula 2.

    >>> attempted_term("CORRECT"), attempted_term("INCORRECT"), attempted_term("NOT_ATTEMPTED")
    ((1, 1), (0, 1), (0, 0))
    """
    return int(label == CORRECT), int(label != NOT_ATTEMPTED)


def _attempted(values: Sequence[Any]) -> tuple[int, int, int]:
    return sum(part for part, _ in values), sum(whole for _, whole in values), len(values)


def _given_attempted(sums: Any) -> Any:
    right, attempted, judged = (sums[..., place] for place in range(3))
    return np.where((attempted == 0) & (judged > 0), 0.0, 100 * right / attempted)


CORRECT_GIVEN_ATTEMPTED = Metric("correct_given_attempted", _attempted, _given_attempted)
"""c / (c + i) in percent (formula 2) of `attempted_term`s; 0 if nothing was attempted, as in the reference scorer."""


def f_term(label: str) -> tuple[int, int]:
    """What one answer adds to 2c and to 2c + 2i + n, numerator and denominator of formula 3.

    >>> f_term("CORRECT"), f_term("INCORRECT"), f_term("NOT_ATTEMPTED")
    ((2, 2), (0, 2), (0, 1))
    """
    return 2 * int(label == CORRECT), 1 if label == NOT_ATTEMPTED else 2


F_SCORE = POOLED.but(name="f_score")
"""2c / (2c + 2i + n) in percent of `f_term`s: the harmonic mean of c / (c + i + n) and c / (c + i) (formula 3)."""
