"""Intervals of the calibration error: a bias that a test knows, and cases where nothing varies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from hueval_metrics.metrics.calibration import expected_calibration_error
from hueval_metrics.metrics.terms import statistic
from hueval_metrics.stats.calibration import error_interval
from hueval_metrics.stats.intervals import Interval, interval

CONFIDENCES = [0.5, 0.7, 0.8, 0.9, 0.95, 1.0]
ECE = statistic(expected_calibration_error)


def of(pairs: list[tuple[float, float]]) -> Interval:
    return interval(ECE, ECE.matrix(pairs, range(len(pairs))))


def answers(n: int, shift: float, seed: int = 0) -> list[tuple[float, float]]:
    """Confidences, and outcomes that are right `shift` less often than said."""
    draw = np.random.default_rng(seed)
    stated = draw.choice(CONFIDENCES, n)
    return [(float(c), float(draw.random() < c - shift)) for c in stated]


def test_a_calibrated_model_may_have_no_error():
    """Its plug-in estimate is above 0, and so are all resampled ones."""
    pairs = answers(1343, 0.0)
    found = of(pairs)
    assert found.low == 0
    assert expected_calibration_error(pairs) > 0.01
    assert found.method == "inversion"


@pytest.mark.parametrize("n", [300, 1343])
def test_overconfidence_is_no_chance(n):
    pairs = answers(n, 0.3)
    found = of(pairs)
    assert found.low > 0.2
    assert found.low < expected_calibration_error(pairs) < found.high


def test_one_bin_far_from_0_gets_the_interval_of_its_gap():
    """|gap| is then the gap: the inverted test of a normal mean is the usual interval."""
    deviations = 0.02 * norm.ppf((np.arange(20_000)[:, None] + 0.5) / 20_000)
    low, high = error_interval(np.array([-0.3]), deviations, 0.95)
    assert (low, high) == pytest.approx((0.3 - 1.959964 * 0.02, 0.3 + 1.959964 * 0.02), abs=1e-4)


def test_a_bin_without_a_gap_or_spread_changes_nothing():
    deviations = 0.02 * np.random.default_rng(0).standard_normal((2000, 1))
    alone = error_interval(np.array([0.1]), deviations, 0.95)
    assert error_interval(np.array([0.1, 0.0]), np.hstack([deviations, np.zeros((2000, 1))]), 0.95) == alone


def test_no_gap_at_all_is_luck_and_leaves_room_above():
    deviations = 0.01 * np.random.default_rng(0).standard_normal((2000, 2))
    low, high = error_interval(np.zeros(2), deviations, 0.95)
    assert low == 0
    assert 0.02 < high < 0.05


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_a_higher_level_holds_a_lower_one(level):
    pairs = answers(500, 0.1)
    rows = ECE.matrix(pairs, range(500))
    inner, outer = interval(ECE, rows, level=level), interval(ECE, rows, level=0.99)
    assert outer.low <= inner.low <= inner.high <= outer.high


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1.0, 1.0)] * 10, (0.0, 0.2775)),  # sure and right: as far off as Wilson's interval of 10 of 10
        ([(1.0, 0.0)] * 10, (0.7225, 1.0)),
        ([(0.0, 0.0)] * 10, (0.0, 0.2775)),
        ([(0.9, 1.0)] * 10, (0.0, 0.1775)),  # 0.9 - 0.7225
        ([(0.5, 0.0)], (0.0, 0.5)),  # one answer: its true share of right ones is 0 to 0.7935
    ],
)
def test_alike_answers(pairs, expected):
    found = of(pairs)
    assert (found.low, found.high) == pytest.approx(expected, abs=5e-5)


def test_two_bins_of_one_answer():
    found = of([(0.9, 1.0), (0.2, 0.0)])
    assert 0 <= found.low <= 0.15 <= found.high
