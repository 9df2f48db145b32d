from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hueval_metrics.stats.crossed import crossed_interval

BOUNDS = (0.0, 100.0)


def of(values):
    values = np.array(values, dtype=float)
    return crossed_interval(values, np.ones_like(values), BOUNDS)


def test_by_hand():
    """Means of items 53.3, 53.3, 53.3, 40 and of prompts 60, 40, 50; mean squares 133.33, 400, 33.33 of both.

    Variance (133.33 + 400 - 33.33) / 12 = 41.67 with 500² / (133.33² / 3 + 400² / 2 + 33.33² / 6) = 2.903 degrees of
    freedom, of which Student's quantile is 3.2433.
    """
    found = of([[70, 40, 50], [60, 40, 60], [60, 50, 50], [50, 30, 40]])
    half = 3.2433 * (500 / 12) ** 0.5
    assert (found.low, found.high) == (pytest.approx(50 - half, abs=1e-3), pytest.approx(50 + half, abs=1e-3))
    assert found.method == "crossed"


def test_prompts_that_are_alike_leave_the_items():
    """No spread of prompts beyond that of draws: Student's interval of the items' means, 75 and three degrees less."""
    found = of([[100, 100, 100], [100, 100, 100], [100, 100, 100], [0, 0, 0]])
    assert (found.low, found.high) == (pytest.approx(max(0.0, 75 - 3.1824 * 25), abs=1e-3), 100.0)


@pytest.mark.parametrize("shape", [(4, 2), (1, 3), (4, 1)])
def test_too_few(shape):
    assert of(np.zeros(shape)) is None


def test_values_that_are_all_alike_show_no_spread():
    assert of(np.full((50, 3), 100.0)) is None


def test_no_weight_under_a_prompt():
    weights = np.ones((4, 3))
    weights[:, 1] = 0
    assert crossed_interval(np.zeros((4, 3)), weights, BOUNDS) is None


@given(arrays(float, (6, 4), elements=st.integers(0, 100)), st.permutations(range(6)), st.permutations(range(4)))
def test_the_order_of_items_and_prompts_does_not_matter(values, items, prompts):
    one, other = of(values), of(values[items][:, prompts])
    if one is None or other is None:
        assert one is other and not values.std(axis=0).any()
        return
    assert (one.low, one.high) == (pytest.approx(other.low, abs=1e-6), pytest.approx(other.high, abs=1e-6))
    assert 0 <= one.low <= values.mean() + 1e-9 and values.mean() - 1e-9 <= one.high <= 100
