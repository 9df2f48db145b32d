"""The joint bootstrap against scipy's paired one, and what pairing must do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap, norm, ttest_1samp

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import POOLED
from hueval_metrics.stats.joint import MetricTerms, joint_scores, percentile_ci95
from tests.each import each


def blanks(models: int, n: int, seed: int = 0) -> np.ndarray:
    """Right and all blanks of n questions, which are as hard for each model."""
    draw = np.random.default_rng(seed)
    size = draw.integers(2, 12, n)
    easy = draw.random(n)
    right = draw.binomial(size, easy, size=(models, n))
    return np.stack([right, np.broadcast_to(size, right.shape)], axis=-1).astype(float)


def test_scores_and_draws_of_each_metric_and_model():
    terms = blanks(3, 40)
    whole = terms.copy()
    whole[..., 0], whole[..., 1] = terms[..., 0] == terms[..., 1], 1
    found = joint_scores("abc", {"blank": MetricTerms(terms, POOLED), "whole": MetricTerms(whole, POOLED)})
    assert found["blank"].labels == ("a", "b", "c")
    assert found["blank"].values == pytest.approx(100 * terms[..., 0].sum(axis=1) / terms[..., 1].sum(axis=1))
    assert found["whole"].values == pytest.approx(100 * whole[..., 0].mean(axis=1))
    assert found["whole"].draws.shape == (10_000, 3)
    assert found["whole"].draws.mean(axis=0) == pytest.approx(found["whole"].values, abs=0.3)


def test_metrics_are_resampled_as_they_would_be_alone():
    terms = {"x": MetricTerms(blanks(2, 30), POOLED), "y": MetricTerms(blanks(2, 30, 1), POOLED)}
    together = joint_scores("ab", terms, resamples=50)
    alone = joint_scores("ab", {"y": terms["y"]}, resamples=50)
    assert together["y"].draws == pytest.approx(alone["y"].draws)


def test_terms_of_different_width_stay_apart():
    wide = MetricTerms(np.ones((2, 5, 4)), Metric("sum", sum, lambda sums: sums.sum(axis=-1)))
    found = joint_scores("ab", {"narrow": MetricTerms(blanks(2, 5), POOLED), "wide": wide}, resamples=7)
    assert found["wide"].draws.tolist() == [[20.0, 20.0]] * 7


def test_no_metric_gives_no_scores():
    assert joint_scores("ab", {}) == {}


@each("n", [25, 93, 400])
def test_difference_agrees_with_scipys_paired_bootstrap(n):
    terms = blanks(2, n)

    def difference(a, b, size):
        return 100 * (a.sum(axis=-1) - b.sum(axis=-1)) / size.sum(axis=-1)

    columns = (terms[0, :, 0], terms[1, :, 0], terms[0, :, 1])
    theirs = bootstrap(columns, difference, paired=True, method="percentile", n_resamples=10_000, rng=1)
    draws = joint_scores("ab", {"x": MetricTerms(terms, POOLED)})["x"].draws
    error = theirs.standard_error
    low, high = percentile_ci95(draws[:, 0] - draws[:, 1])  # without n, as scipy does
    assert (low, high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.1 * error)


@each("n", [2, 5, 20, 93, 1343])
def test_few_clusters_widen_the_interval_to_students(n):
    """Of a mean whose resamples are normal: the interval of the t-test."""
    values = np.random.default_rng(n).normal(size=n)
    draws = norm.ppf((np.arange(200_000) + 0.5) / 200_000, values.mean(), values.std() / np.sqrt(n))
    low, high = ttest_1samp(values, 0).confidence_interval()
    # Of two values Student's points lie beyond any resample: the widest of them stand in.
    expected = (max(low, draws.min()), min(high, draws.max()))
    assert percentile_ci95(draws, n) == pytest.approx(expected, rel=2e-3)


def test_clusters_to_which_a_metric_applies_are_counted():
    terms = blanks(2, 40)
    terms[:, 25:] = 0
    assert joint_scores("ab", {"x": MetricTerms(terms, POOLED)}, resamples=5)["x"].n == 25


def test_models_stay_paired():
    """Two models that answer alike do not differ in any resample, however much their scores vary."""
    one = blanks(1, 50)
    draws = joint_scores("ab", {"x": MetricTerms(np.concatenate([one, one]), POOLED)})["x"].draws
    assert draws[:, 0].std() > 1
    assert (draws[:, 0] == draws[:, 1]).all()


def test_strata_keep_their_size():
    """Whether an item is of the first stratum is then the same in all resamples."""
    strata = ["l"] * 30 + ["h"] * 50
    is_first = np.stack([np.array([s == "l" for s in strata], float), np.ones(80)], axis=-1)[None]
    draws = joint_scores("a", {"x": MetricTerms(is_first, POOLED)}, strata=strata, resamples=20)["x"].draws
    assert (draws == 37.5).all()


@pytest.mark.parametrize(
    ("why", "draws", "expected"),
    [
        ("percentiles as numpy takes them", np.arange(1001.0), (25.0, 975.0)),
        ("no spread", np.full(100, 3.0), None),
        ("rounding is no spread", 3 + 1e-15 * np.arange(100), None),
        ("all undefined", np.full(100, np.nan), None),
        ("six of a hundred undefined", np.r_[np.full(6, np.nan), np.arange(94.0)], None),
        ("five of a hundred undefined: of the others", np.r_[np.full(5, np.nan), np.arange(95.0)], (2.35, 91.65)),
    ],
)
def test_percentile_interval(why, draws, expected):
    assert percentile_ci95(draws) == (expected and pytest.approx(expected)), why
