"""What came of one prediction, in a word to filter by and a short mark to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hueval_metrics.metrics import simple_qa
from hueval_metrics.records import has_verdict, number_of

Outcome = Literal["right", "partly", "wrong", "not_attempted", "unjudged"]

JUDGED = ("_huwildbench", "_husimpleqa", "_huproverbrea_oe")
# The rubric of HuWildBench calls 9 and 10 perfect, 1 and 2 very poor (OpenHuEval, Figure 7; Lin et al. 2024).
_PERFECT, _VERY_POOR = 9.0, 2.0


def outcome(row: Mapping[str, Any]) -> tuple[Outcome, str]:
    """The outcome of a row of `items.jsonl`, which anyone may have written, and its mark.

    Returns:
        The outcome, and a mark such as `7/10` (a judge's score) or `3/9` (blanks); empty where the outcome says it all.

    >>> outcome({"metrics": {"blank_acc": 33.3}, "blanks_correct": 3, "blanks_total": 9})
    ('partly', '3/9')
    """
    total = number_of(row.get("blanks_total"))
    if total:
        correct = number_of(row.get("blanks_correct")) or 0.0
        return _of(correct >= total, correct <= 0), f"{correct:g}/{total:g}"
    verdict = row.get("verdict")
    if str(row.get("task")).endswith(JUDGED) and not has_verdict(verdict):
        return "unjudged", ""
    if isinstance(verdict, Mapping):
        if verdict.get("label") == simple_qa.NOT_ATTEMPTED:
            return "not_attempted", ""
        score = number_of(verdict.get("score"))
        if score is not None:
            return _of(score >= _PERFECT, score <= _VERY_POOR), f"{score:g}/10"
    value = _headline(row.get("metrics"))
    return ("unjudged" if value is None else _of(value >= 100, value <= 0)), ""


def _of(is_right: bool, is_wrong: bool) -> Outcome:
    return "right" if is_right else "wrong" if is_wrong else "partly"


def _headline(metrics: object) -> float | None:
    """The first metric of a task, in percent: each YAML names its headline first."""
    if not isinstance(metrics, Mapping):
        return None
    named = [metrics[name] for name in ("acc", "correct", "acc_single") if name in metrics]
    return next((value for value in map(number_of, [*named, *metrics.values()]) if value is not None), None)
