"""What every judged task reports beside its scores: the label that counts, and rates that need no verdict."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.records import Filtered, has_verdict
from hueval_metrics.text.langid import is_in_language

_LESS = PERCENT.but(better="lower")


def rate_metrics(language_rate: str) -> dict[str, Metric]:
    """The metrics that need no verdict, as columns.

    Args:
        language_rate: the name of the share of answers in the language that was asked for.
    """
    return {"judge_coverage": PERCENT, language_rate: PERCENT, "truncated_rate": _LESS, "suspicious_rate": _LESS}


def label_of(filtered: Filtered, labels: Sequence[str]) -> str | None:
    """The verdict's label; None if it is missing, or none of the task's, such as that of another rubric."""
    label = filtered.verdict.get("label") if filtered.verdict is not None and has_verdict(filtered.verdict) else None
    return label if label in labels else None


def rates(filtered: Filtered, answer: str, languages: Sequence[str], language_rate: str) -> dict[str, float | None]:
    """The values of `rate_metrics` but for `judge_coverage`.

    Args:
        filtered: the filtered response.
        answer: the text whose language is looked at.
        languages: ISO 639-1, of which it should be one.
        language_rate: see `rate_metrics`.
    """
    is_asked_for = is_in_language(answer, languages)
    return {
        language_rate: None if is_asked_for is None else float(is_asked_for),
        "truncated_rate": float(filtered.truncated),
        "suspicious_rate": _suspicious(filtered),
    }


def _suspicious(filtered: Filtered) -> float | None:
    """Whether the response is marked as aimed at the judge; None where that was not checked, as in older verdicts."""
    signs = filtered.verdict.get("suspicious") if filtered.verdict is not None else None
    return float(bool(signs)) if isinstance(signs, list) else None
