"""Group contrasts by hand, with intervals from the draws they were given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import linregress

from hueval_metrics.stats.contrasts import by_size, larger_against_smaller, open_against_closed, reasoning_against_base
from hueval_metrics.stats.joint import JointScores
from hueval_metrics.stats.model_cards import ModelCard
from tests.each import each


def alone(labels, values) -> JointScores:
    """Scores that no resample changes."""
    return JointScores(labels, values, values[None, :])


CARDS = {
    "base": ModelCard(size_b=7, reasoning=False, open=True, series="A"),
    "large": ModelCard(size_b=70, reasoning=False, open=True, series="A"),
    "reasoner": ModelCard(size_b=7, reasoning=True, open=True, series="A", base="base"),
    "closed": ModelCard(reasoning=False, open=False),
}
LABELS = ("closed", "base", "reasoner", "large", "stranger")
VALUES = np.array([60.0, 40.0, 50.0, 46.0, 99.0])
SCORES = alone(LABELS, VALUES)
SHIFT = np.linspace(-10, 10, 1001)[:, None]
# All models move alike, the reasoner twice as far.
RESAMPLED = JointScores(LABELS, VALUES, VALUES + SHIFT * [1, 1, 2, 1, 1])


def test_reasoning_against_base():
    (found,) = reasoning_against_base(SCORES, CARDS)
    assert (found.first, found.second) == (("reasoner",), ("base",))
    assert (found.first_mean, found.second_mean, found.difference) == (50, 40, 10)
    assert found.relative_gain == pytest.approx(25)
    assert (found.difference_ci95, found.relative_gain_ci95) == (None, None)


def test_intervals_are_those_of_the_paired_draws():
    (found,) = reasoning_against_base(RESAMPLED, CARDS)
    assert found.difference_ci95 == pytest.approx((0.5, 19.5))  # of 10 + a shift of one
    gains = 100 * (10 + SHIFT) / (40 + SHIFT)
    assert found.relative_gain_ci95 == pytest.approx(np.percentile(gains, [2.5, 97.5]))


def test_reasoner_without_its_base_in_the_table():
    closed = alone(("reasoner", "closed"), np.array([50.0, 60.0]))
    assert reasoning_against_base(closed, CARDS) == []


def test_open_against_closed_leaves_models_without_a_card_out():
    found = open_against_closed(RESAMPLED, CARDS)
    assert (found.first, found.second) == (("base", "reasoner", "large"), ("closed",))
    assert found.difference == pytest.approx(136 / 3 - 60)
    assert found.difference_ci95 == pytest.approx((136 / 3 - 60 - 9.5 / 3, 136 / 3 - 60 + 9.5 / 3))


def test_open_models_alone():
    assert open_against_closed(alone(("base",), np.array([40.0])), CARDS) is None


def test_model_without_a_score_is_in_no_group():
    values = np.where(np.array(LABELS) == "large", np.nan, VALUES)
    found = open_against_closed(alone(LABELS, values), CARDS)
    assert found.first == ("base", "reasoner")
    assert reasoning_against_base(alone(LABELS, np.full(5, np.nan)), CARDS) == []


def test_base_that_scores_zero_has_no_relative_gain():
    zero = JointScores(("base", "reasoner"), np.array([0.0, 5.0]), np.array([[0.0, 4.0], [0.0, 6.0]]))
    (found,) = reasoning_against_base(zero, CARDS)
    assert (found.difference, found.relative_gain, found.relative_gain_ci95) == (5, None, None)


def test_resamples_of_a_base_below_zero_are_no_gains():
    """Scores may be below 0, as rescaled WB-scores; divided by one, a lead of 5 points would be a loss."""
    draws = np.array([[-1.0, 4.0]] * 2 + [[1.0, 6.0], [2.0, 8.0]] * 20)
    (found,) = reasoning_against_base(JointScores(("base", "reasoner"), np.array([1.5, 7.0]), draws), CARDS)
    assert found.relative_gain_ci95 == pytest.approx((300, 500))


def test_base_near_zero_has_a_gain_without_interval():
    """Half of the resamples have nothing to divide by."""
    draws = np.array([[0.0, 4.0], [1.0, 6.0]] * 10)
    (found,) = reasoning_against_base(JointScores(("base", "reasoner"), np.array([0.5, 5.0]), draws), CARDS)
    assert (found.relative_gain, found.relative_gain_ci95) == (pytest.approx(900), None)
    assert found.difference_ci95 == pytest.approx((4, 5))


def test_larger_against_smaller_of_a_series_reasoning_apart():
    (found,) = larger_against_smaller(SCORES, CARDS)
    assert (found.first, found.second, found.difference) == (("large",), ("base",), 6)


def test_series_of_three_sizes_goes_step_by_step_and_equal_sizes_are_no_step():
    cards = {
        name: ModelCard(size_b=size, reasoning=False, open=True, series="A")
        for name, size in zip("abcd", (1, 7, 7, 70), strict=True)
    }
    found = larger_against_smaller(alone(tuple("abcd"), np.array([1.0, 2.0, 3.0, 4.0])), cards)
    assert [(contrast.first, contrast.second) for contrast in found] == [(("b",), ("a",)), (("d",), ("c",))]


@each("n", [3, 5, 10])
def test_size_trend_agrees_with_scipys_regression(n):
    draw = np.random.default_rng(n)
    sizes = draw.uniform(1, 400, n)
    cards = {f"m{i}": ModelCard(size_b=size, reasoning=False, open=True) for i, size in enumerate(sizes)}
    values = draw.uniform(0, 100, n)
    draws = values + draw.normal(size=(200, n))
    found = by_size(JointScores(tuple(cards), values, draws), cards)
    assert found.slope == pytest.approx(linregress(np.log10(sizes), values).slope)
    slopes = [linregress(np.log10(sizes), own).slope for own in draws]
    assert found.slope_ci95 == pytest.approx(np.percentile(slopes, [2.5, 97.5]))
    assert found.labels == tuple(cards)


def test_size_trend_of_ten_times_the_size():
    cards = {
        name: ModelCard(size_b=size, reasoning=False, open=True) for name, size in zip("abc", (1, 10, 100), strict=True)
    }
    found = by_size(alone(tuple("abc"), np.array([10.0, 20.0, 30.0])), cards)
    assert (found.slope, found.spearman_rho, found.slope_ci95) == (pytest.approx(10), pytest.approx(1), None)
    level = by_size(alone(tuple("abc"), np.array([10.0, 10.0, 10.0])), cards)
    assert (level.slope, level.spearman_rho) == (pytest.approx(0), None)


def test_no_trend_of_two_models_or_one_size():
    assert by_size(alone(("base", "large"), np.array([1.0, 2.0])), CARDS) is None
    same = {name: ModelCard(size_b=7, reasoning=False, open=True) for name in "abc"}
    assert by_size(alone(tuple("abc"), np.array([1.0, 2.0, 3.0])), same) is None
