"""What came of one prediction, in a word to filter by and a short mark to read."""

from __future__ import annotations

from typing import Literal

from hueval_metrics.metrics import simple_qa
from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.items import Item
from hueval_metrics.validation.scales import is_judged, scale_of

Outcome = Literal["right", "partly", "wrong", "not_attempted", "unjudged"]


def outcome(item: Item) -> tuple[Outcome, str]:
    """The outcome of an item, and its mark.

    Returns:
        The outcome, and a mark such as `7/10` (a judge's score) or `3/9` (blanks); empty where the outcome is enough.
        Of scores the highest grade of the rubric is right, the lowest one wrong.

    >>> outcome(Item("toybench_keywords", row={"blanks_correct": 3, "blanks_total": 9}))
    ('partly', '3/9')
    """
    total = number_of(item.row.get("blanks_total"))
    if total:
        correct = number_of(item.row.get("blanks_correct")) or 0.0
        return _of(correct >= total, correct <= 0), f"{correct:g}/{total:g}"
    verdict = item.verdict
    if is_judged(item.task) and (verdict is None or not verdict.is_given):
        return "unjudged", ""
    if verdict is not None:
        if verdict.label == simple_qa.NOT_ATTEMPTED:
            return "not_attempted", ""
        if verdict.score is not None and is_judged(item.task) and not scale_of(item.task).is_label:
            low, high = scale_of(item.task).ends
            return _of(
                verdict.score >= high, verdict.score <= low
            ), f"{verdict.score:g}/{scale_of(item.task).words[-1]}"
    value = _headline(item)
    return ("unjudged" if value is None else _of(value >= 100, value <= 0)), ""


def _of(is_right: bool, is_wrong: bool) -> Outcome:
    return "right" if is_right else "wrong" if is_wrong else "partly"


def _headline(item: Item) -> float | None:
    """The first metric of its task that the item has: a headline, where it has one."""
    known = declared(item.task) if item.task in known_tasks() else None
    names = [*known.headline, *known.metrics] if known else []
    return next((value for name in [*names, *item.metrics] if (value := item.metrics.get(name)) is not None), None)
