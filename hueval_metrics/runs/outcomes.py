"""How an item went: its outcome, its mark, and the numbers that items are sorted by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

from hueval_metrics.metric import Metric
from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.scales import is_judged, scale_of

Outcome = Literal["right", "partly", "wrong", "not_attempted", "unjudged"]


class Graded(NamedTuple):
    """The outcome of an item.

    Attributes:
        outcome: its outcome.
        mark: such as `7/10` (a judge's score) or `3/9` (parts); empty where the outcome is enough.
        share: how far up its scale it is, from 0 to 1; None without a grade.
    """

    outcome: Outcome
    mark: str
    share: float | None


def outcome(item: Item) -> Graded:
    """The outcome of an item.

    Of scores the highest grade of the rubric is right, the lowest one wrong; of a metric the better end of its scale is
    right, the other one wrong.
    """
    parts = declared(item.task).parts if item.task in known_tasks() else None
    if parts is not None and (total := number_of(item.row.get(parts[1]))):
        correct = number_of(item.row.get(parts[0])) or 0.0
        return Graded(_name(correct >= total, correct <= 0), f"{correct:g}/{total:g}", correct / total)
    verdict = item.verdict
    if is_judged(item.task) and (verdict is None or not verdict.is_given):
        return Graded("unjudged", "", None)
    if verdict is not None and is_judged(item.task):
        scale = scale_of(item.task)
        if verdict.label is not None and verdict.label == scale.no_answer:
            return Graded("not_attempted", "", 0.0)
        if verdict.score is not None and not scale.is_label:
            low, high = scale.ends
            share = _share_of(verdict.score, float(scale.values[0]), float(scale.values[-1]))
            name = _name(verdict.score >= high, verdict.score <= low)
            return Graded(name, f"{verdict.score:g}/{scale.words[-1]}", share)
    value, metric = _first_metric(item)
    if value is None:
        return Graded("unjudged", "", None)
    share = _share_of(value, *(metric.bounds if metric else (0.0, 100.0)))
    share = 1 - share if metric and metric.better == "lower" else share
    return Graded(_name(share >= 1, share <= 0), "", share)


def spread(item: Item) -> float | None:
    """How far the members of a panel are apart, from 0 to 1; None without two verdicts.

    Of labels: the share of the verdicts that are not the most frequent one. Of scores: the range, of the whole scale.
    """
    verdict = item.verdict
    ratings = [vote.rating for vote in verdict.votes] if verdict else []
    labels = [rating for rating in ratings if isinstance(rating, str)]
    scores = [rating for rating in ratings if isinstance(rating, float)]
    if len(labels) > 1:
        return 1 - max(Counter(labels).values()) / len(labels)
    if len(scores) < 2 or not is_judged(item.task) or scale_of(item.task).is_label:
        return None
    values = scale_of(item.task).values
    return (max(scores) - min(scores)) / (float(values[-1]) - float(values[0]))


def confidence(item: Item) -> float | None:
    """The confidence that the response states, from 0 to 1: the first number of a calibration error's value."""
    metrics = declared(item.task).metrics if item.task in known_tasks() else {}
    name = next((name for name, metric in metrics.items() if metric.is_error), None)
    pair = (item.values or {}).get(name) if name else None
    stated = number_of(pair[0]) if isinstance(pair, (list, tuple)) and pair else None
    return stated if stated is not None and 0 <= stated <= 1 else None


def _share_of(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low)


def _name(is_right: bool, is_wrong: bool) -> Outcome:
    return "right" if is_right else "wrong" if is_wrong else "partly"


def _first_metric(item: Item) -> tuple[float | None, Metric | None]:
    """The value of the item's first metric, and the metric where it is declared; headlines of its task come first.

    Metrics with no better end are left out, and rates: they say how replies could be read, not whether they are right.
    """
    task = declared(item.task) if item.task in known_tasks() else None
    metrics: Mapping[str, Metric] = task.metrics if task else {}
    for name in (*task.headline, *metrics) if task else ():
        if metrics[name].better is not None and not name.endswith("_rate"):
            value = item.metric(name)
            if value is not None:
                return value, metrics[name]
    others = (name for name, value in item.metrics.items() if name not in metrics and value is not None)
    return item.metrics.get(next((name for name in others if not name.endswith("_rate")), "")), None
