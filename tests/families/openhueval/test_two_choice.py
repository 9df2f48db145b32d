"""Pairs of presentations: literal values, from records and from their logged lists."""

from __future__ import annotations

import pytest

from lm_eval_tasks.openhueval.metrics.two_choice import (
    N_SINGLE_ORDER,
    PAIR_ACCURACY,
    POSITION_BIAS,
    SINGLE_ACCURACY,
    reference_choice,
)
from tests.helpers import load_cases, why

METRICS = {
    "acc": PAIR_ACCURACY,
    "acc_single": SINGLE_ACCURACY,
    "position_bias": POSITION_BIAS,
    "n_single_order": N_SINGLE_ORDER,
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("case", load_cases("two_choice"), ids=why)
def test_aggregate(case, metric):
    expected = case[metric] if case[metric] is None else pytest.approx(case[metric], abs=1e-12)
    assert METRICS[metric](case["choices"]) == expected
    assert METRICS[metric]([tuple(fields) for fields in case["choices"]]) == expected


@pytest.mark.parametrize(
    ("response", "option"),
    [
        ("1", 1),
        ("2", 2),
        ("Option 1", 1),
        ("**2**", 2),
        ("1, not 2", None),
        ("1 vagy 2", None),
        ("12", None),
        ("1918", 1),  # any digit of the text counts
        ("the 3 reasons for 2", 2),
        ("első", None),
        ("１", None),  # fullwidth
        ("", None),
    ],
)
def test_reference_choice(response, option):
    assert reference_choice(response) == option
