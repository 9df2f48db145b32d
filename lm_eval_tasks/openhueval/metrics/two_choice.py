"""Two-choice questions shown in both orders: HuProverbRea-2CQ (OpenHuEval §2.4).

Each proverb is asked twice with its options swapped. The headline `acc` follows the reference scorer, which produced
the published numbers: a proverb is right only if both presentations are. `acc_single` is the paper's plain ratio.

A value is (qid, correct option, answer). Options are 1 or 2; an unreadable answer is None and counts as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT


def _single(values: Sequence[Any]) -> tuple[int, int]:
    return sum(answer == correct for _, correct, answer in values), len(values)


def _pair(values: Sequence[Any]) -> tuple[int, int]:
    asked = len({correct for _, correct, _ in values}) == 2
    return int(asked and all(answer == correct for _, correct, answer in values)), int(asked)


def _in_one_order(values: Sequence[Any]) -> tuple[int]:
    return (int(len({correct for _, correct, _ in values}) == 1),)


def _first_option(values: Sequence[Any]) -> tuple[int, int]:
    answers = [answer for _, _, answer in values if answer is not None]
    return answers.count(1), len(answers)


def _proverb(value: Any) -> Any:
    return value[0]


SINGLE_ACCURACY = PERCENT.but(name="single_accuracy", statistics=_single)
"""Presentations answered right, in percent of all presentations."""

PAIR_ACCURACY = PERCENT.but(name="pair_accuracy", statistics=_pair, cluster=_proverb)
"""Proverbs right in both orders, in percent of the proverbs that were asked in both.

Proverbs asked in one order only (a run with a limit) are excluded.
"""

POSITION_BIAS = Metric(
    "position_bias",
    _first_option,
    lambda sums: 100 * sums[..., 0] / sums[..., 1] - 50,
    bounds=(-50.0, 50.0),
    better=None,  # 0 is best
)
"""Share of readable answers that choose option 1, in percent, minus 50."""

N_SINGLE_ORDER = N_ITEMS.but(name="n_single_order", statistics=_in_one_order, better="lower", cluster=_proverb)
"""The number of proverbs asked in one order only."""


def reference_choice(response: str) -> int | None:
    """The option as the reference scorer reads it: the digit 1 or 2 that occurs if the other does not.

    >>> reference_choice("Option 1"), reference_choice("1, not 2")
    (1, None)
    """
    one, two = "1" in response, "2" in response
    return None if one == two else (1 if one else 2)
