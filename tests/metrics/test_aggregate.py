"""Means in percent, of values and of counts."""

from __future__ import annotations

import pytest

from hueval_metrics.metrics.basic import PERCENT, POOLED


@pytest.mark.parametrize(
    ("values", "mean"),
    [([True, False], 50.0), ([1.0, None, 0.0, None], 50.0), ([None], None), ([], None), ([0.25], 25.0)],
)
def test_mean_percent(values, mean):
    assert PERCENT(values) == mean


@pytest.mark.parametrize(
    ("counts", "pooled"),
    [
        ([(1, 4), (3, 4)], 50.0),
        ([(1, 1), (0, 9)], 10.0),  # pooled over blanks; the mean over questions would be 50
        ([(5, 4)], 125.0),  # the reference protocol may exceed 100
        ([[1, 2], None], 50.0),  # a log makes a list of the pair
        ([None], None),
        ([(0, 0)], None),
        ([], None),
    ],
)
def test_pooled_percent(counts, pooled):
    assert POOLED(counts) == pooled
