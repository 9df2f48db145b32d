"""Length control against ordinary least squares with item and model dummies, and what it must do by design."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.api import OLS

from hueval_metrics.stats.length_control import length_controlled
from tests.each import each

SKILLS = np.array([60.0, 50.0, 50.0])


def simulated(n: int, slope: float, wordy=(0.0, 1.0, 0.0), seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores = item + model + slope × log length; the models write e ** wordy times as much."""
    draw = np.random.default_rng(seed)
    log_length = 6 + draw.normal(size=(n, 1)) + np.array(wordy) + 0.5 * draw.normal(size=(n, 3))
    lengths = np.round(np.exp(log_length))
    item = 5 * draw.normal(size=(n, 1))
    return SKILLS + item + slope * np.log1p(lengths) + draw.normal(size=(n, 3)), lengths


def dummies(scores: np.ndarray, lengths: np.ndarray):
    """The same model by brute force: a column for each item, for each model but the first, and for length."""
    n, models = scores.shape
    items = np.kron(np.eye(n), np.ones((models, 1)))
    runs = np.tile(np.eye(models)[:, 1:], (n, 1))
    z = np.log1p(lengths).ravel()
    return OLS(scores.ravel(), np.column_stack([items, runs, z])).fit()


@each("n", [5, 40, 150])
@each("slope", [0.0, 8.0])
def test_agrees_with_least_squares_with_dummies(n, slope):
    scores, lengths = simulated(n, slope)
    found, theirs = length_controlled("abc", scores, lengths, resamples=10), dummies(scores, lengths)
    assert found.slope == pytest.approx(theirs.params[-1] * np.log1p(lengths).std())
    leads = found.controlled.values - found.controlled.values[0]
    assert leads[1:] == pytest.approx(theirs.params[-3:-1])
    assert found.controlled.values.mean() == pytest.approx(scores.mean())


def test_takes_the_gain_by_length_out():
    """b and c are equally good, b writes e times as much and gains 8 points by it."""
    scores, lengths = simulated(800, 8.0)
    found = length_controlled("abc", scores, lengths)
    plain, controlled = found.plain.values, found.controlled.values
    assert plain[1] - plain[2] == pytest.approx(8, abs=0.5)
    assert controlled[1] - controlled[2] == pytest.approx(0, abs=0.5)
    assert controlled[0] - controlled[2] == pytest.approx(10, abs=0.5)
    low, high = found.slope_ci95
    assert 0 < low < found.slope < high


def test_leaves_scores_alone_where_length_does_nothing():
    scores, lengths = simulated(800, 0.0)
    found = length_controlled("abc", scores, lengths)
    assert found.controlled.values == pytest.approx(found.plain.values, abs=0.3)
    low, high = found.slope_ci95
    assert low < 0 < high


def test_intervals_cover_what_refitting_each_resample_gives():
    scores, lengths = simulated(30, 8.0)
    found = length_controlled("abc", scores, lengths)
    draw = np.random.default_rng(5)
    refitted = []
    for _ in range(400):
        rows = draw.integers(0, 30, 30)
        refitted.append(length_controlled("abc", scores[rows], lengths[rows], resamples=1).controlled.values[1])
    width = np.std(refitted)
    assert found.ci95(1) == pytest.approx(tuple(np.percentile(refitted, [2.5, 97.5])), abs=0.4 * width)
    assert found.ci95(1) != found.ci95(1, controlled=False)


def test_ranks_and_differences_can_be_made_of_the_result():
    found = length_controlled("abc", *simulated(50, 8.0), resamples=20)
    assert found.controlled.labels == ("a", "b", "c")
    assert found.controlled.draws.shape == found.plain.draws.shape == (20, 3)
    assert found.typical_length > 0


def test_items_that_a_model_lacks_are_left_out_for_all():
    scores, lengths = simulated(50, 8.0)
    holed, holed_lengths = scores.copy(), lengths.copy()
    holed[3, 0] = np.nan
    holed_lengths[7, 2] = np.nan
    kept = np.delete(np.arange(50), [3, 7])
    strata = ["l", "h"] * 25
    found = length_controlled("abc", holed, holed_lengths, strata=strata, resamples=20)
    alone = length_controlled("abc", scores[kept], lengths[kept], strata=[strata[i] for i in kept], resamples=20)
    assert found.n == 48
    assert found.controlled.draws == pytest.approx(alone.controlled.draws)


def test_empty_responses_have_a_length():
    scores, lengths = simulated(30, 8.0)
    lengths[0] = 0
    assert np.isfinite(length_controlled("abc", scores, lengths, resamples=5).controlled.values).all()


@pytest.mark.parametrize(
    ("why", "scores", "lengths"),
    [
        ("one run", [[50.0]] * 9, [[float(i)] for i in range(9)]),
        ("one item", [[50.0, 60.0]], [[10.0, 20.0]]),
        ("no item", np.empty((0, 2)), np.empty((0, 2))),
        ("all of one length", [[50.0, 60.0]] * 9, [[100.0, 100.0]] * 9),
        ("lengths differ by item alone", [[50.0, 60.0]] * 3, [[10.0, 10.0], [20.0, 20.0], [90.0, 90.0]]),
        ("lengths differ by model alone", [[50.0, 60.0]] * 3, [[10.0, 20.0]] * 3),
        ("no item that both have", [[50.0, np.nan], [np.nan, 60.0]], [[10.0, 20.0]] * 2),
    ],
)
def test_nothing_to_control_by(why, scores, lengths):
    assert length_controlled(["a", "b"][: np.shape(scores)[1]], scores, lengths) is None, why
