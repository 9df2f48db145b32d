"""Proportion of Bidirectional Correctness (KoLasSimpleQA §4.4): is a fact known from both sides?

A value is (knowledge_track_id, whether the question is the reverse one, whether the answer is correct); None without a
verdict. A pair counts only if both of its questions have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import N_ITEMS


def _is_pair(values: Sequence[Any]) -> bool:
    return len({is_reverse for _, is_reverse, _ in values}) == 2


def _both_and_any(values: Sequence[Any]) -> tuple[int, int]:
    if not _is_pair(values):
        return 0, 0
    right = [bool(correct) for _, _, correct in values]
    return int(all(right)), int(any(right))


def _track(value: Any) -> Any:
    return value[0]


BIDIRECTIONAL = Metric(
    "bidirectional",
    _both_and_any,
    lambda sums: 100 * sums[..., 0] / sums[..., 1],
    cluster=_track,
)
"""Pairs with both answers correct, in percent of the pairs with at least one; undefined where no pair has one."""

N_PAIRS = N_ITEMS.but(name="n_pairs", statistics=lambda values: (int(_is_pair(values)),), cluster=_track)
"""The number of pairs with a verdict on both questions."""

N_UNPAIRED = N_ITEMS.but(
    name="n_unpaired",
    statistics=lambda values: (int(len(values) > 0 and not _is_pair(values)),),
    cluster=_track,
    better="lower",
)
"""The number of facts with a verdict on one question only: the other has none, or was not asked."""
