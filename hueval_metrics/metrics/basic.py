"""Metrics that most tasks use: mean in percent, pooled ratio in percent, number of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hueval_metrics.metric import Metric


def _mean_terms(values: Sequence[Any]) -> tuple[float, int]:
    return sum(values), len(values)


def _pooled_terms(values: Sequence[Any]) -> tuple[float, float]:
    return sum(part for part, _ in values), sum(whole for _, whole in values)


PERCENT = Metric("percent", _mean_terms, lambda sums: 100 * sums[..., 0] / sums[..., 1])
"""Mean in percent of values from 0 to 1."""

POOLED = PERCENT.but(name="pooled", statistics=_pooled_terms)
"""Correct over total in percent, pooled over all (correct, total) pairs (micro average)."""

N_ITEMS = Metric(
    "n_items",
    lambda values: (len(values),),
    lambda sums: sums[..., 0],
    size=lambda sums: sums[..., 0],
    is_mean=False,
    is_sampled=False,
    bounds=(0.0, float("inf")),
    unit="count",
)
"""The number of documents that have a value."""
