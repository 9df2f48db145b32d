"""What came of one prediction, in a word to filter by and a short mark to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hueval_metrics.metrics import simple_qa
from hueval_metrics.records import has_verdict, number_of
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.validation.scales import is_judged, scale_of

Outcome = Literal["right", "partly", "wrong", "not_attempted", "unjudged"]


def outcome(row: Mapping[str, Any]) -> tuple[Outcome, str]:
    """The outcome of a row of `items.jsonl`, which anyone may have written, and its mark.

    Returns:
        The outcome, and a mark such as `7/10` (a judge's score) or `3/9` (blanks); empty where the outcome says it all.
        Of scores the highest grade of the rubric is right, the lowest one wrong.

    >>> outcome({"metrics": {"blank_acc": 33.3}, "blanks_correct": 3, "blanks_total": 9})
    ('partly', '3/9')
    """
    total = number_of(row.get("blanks_total"))
    if total:
        correct = number_of(row.get("blanks_correct")) or 0.0
        return _of(correct >= total, correct <= 0), f"{correct:g}/{total:g}"
    verdict, task = row.get("verdict"), str(row.get("task"))
    if is_judged(task) and not has_verdict(verdict):
        return "unjudged", ""
    if isinstance(verdict, Mapping):
        if verdict.get("label") == simple_qa.NOT_ATTEMPTED:
            return "not_attempted", ""
        score = number_of(verdict.get("score"))
        if score is not None and is_judged(task) and not scale_of(task).is_label:
            low, high = scale_of(task).ends
            return _of(score >= high, score <= low), f"{score:g}/{scale_of(task).words[-1]}"
    value = _headline(task, row.get("metrics"))
    return ("unjudged" if value is None else _of(value >= 100, value <= 0)), ""


def _of(is_right: bool, is_wrong: bool) -> Outcome:
    return "right" if is_right else "wrong" if is_wrong else "partly"


def _headline(task: str, metrics: object) -> float | None:
    """The first metric of a task that the item has: a headline, where it has one."""
    if not isinstance(metrics, Mapping):
        return None
    known = declared(task) if task in known_tasks() else None
    names = [*known.headline, *known.metrics] if known else []
    return next((value for name in [*names, *metrics] if (value := number_of(metrics.get(name))) is not None), None)
