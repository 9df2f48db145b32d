"""Corrected means: literal sums, oracles, and scores through the tables."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judges.stats.estimates import calibrated_estimates
from hueval_metrics.judges.stats.items import RatedItem, clusters_of
from hueval_metrics.judges.stats.means import classical_linear_mean, prediction_powered_mean
from hueval_metrics.judges.stats.tables import calibrated_tables
from hueval_metrics.metric import Metric

SCORE = Metric("score", lambda v: (sum(v), len(v)), lambda s: 10 * s[..., 0] / s[..., 1], bounds=(10.0, 100.0))


def sums(all_, judge, reference, weights=None, *, of_reference=False):
    j, h = np.array(judge, float), np.array(reference, float)
    w = np.ones(len(j)) if weights is None else np.array(weights, float)
    squares = h if of_reference else j
    return np.array([len(all_), np.sum(all_), w.sum(), w @ h, w @ j, w @ squares**2, w @ (h * j)])


@pytest.mark.parametrize(
    ("why", "all_", "judge", "reference", "expected"),
    [
        ("a perfect judge changes nothing", [1, 2, 3, 6], [1, 2, 3], [1, 2, 3], 3.0),
        ("a judge one point too high", [2, 3, 4, 7], [2, 3, 4], [1, 2, 3], 3.0),
        ("slope 1/2: 2 + (4 - 3) / 2", [1, 5, 6], [1, 5], [1, 3], 2.5),
        ("a slope of 2 is cut to 1, as in the paper: 4 + (3 - 2)", [1, 3, 5], [1, 3], [2, 6], 5.0),
        ("a judge that does not vary", [4, 4, 4], [4, 4], [1, 3], 2.0),
        ("a judge that falls as the reference rises", [1, 3, 9], [1, 3], [3, 1], 2.0),
        ("no item was rated", [4], [], [], np.nan),
    ],
)
def test_prediction_powered_mean(why, all_, judge, reference, expected):
    assert prediction_powered_mean(sums(all_, judge, reference)) == pytest.approx(expected, nan_ok=True), why


@pytest.mark.parametrize(
    ("why", "all_", "judge", "reference", "expected"),
    [
        ("a perfect judge changes nothing", [5, 6], [1, 2, 3], [1, 2, 3], 5.5),
        ("the judge says 1 + H / 2: 4 is a 6", [4], [2, 3], [2, 4], 6.0),
        ("a judge that falls as the reference rises", [4], [3, 2], [2, 4], np.nan),
        ("a reference that does not vary", [4], [3, 2], [2, 2], np.nan),
    ],
)
def test_classical_linear_mean(why, all_, judge, reference, expected):
    found = classical_linear_mean(sums(all_, judge, reference, of_reference=True))
    assert found == pytest.approx(expected, nan_ok=True), why


def test_prediction_powered_mean_is_that_of_ppi_python():
    ppi_py = pytest.importorskip("ppi_py")
    draws = np.random.default_rng(3)
    h = draws.normal(5, 2, 150)
    j, rest = 0.9 * h + draws.normal(1, 2, 150), draws.normal(5.5, 1.5, 800)
    slope = np.cov(h, j)[0, 1] / np.var(j, ddof=1)
    theirs = ppi_py.ppi_mean_pointestimate(h, j, rest, lam=slope * 800 / 950)
    assert prediction_powered_mean(sums([*j, *rest], j, h)) == pytest.approx(float(theirs[0]))


scores = st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=3, max_size=20)


@given(scores)
def test_weights_of_2_are_items_twice(pairs):
    judge, reference = zip(*pairs, strict=True)
    twice = sums(judge, judge, reference, [2] * len(judge))
    for mean in (prediction_powered_mean, classical_linear_mean):
        assert mean(twice) == pytest.approx(mean(sums(judge, judge * 2, reference * 2)), nan_ok=True)


def run(scores, references, start=0):
    pairs = zip(scores, [*references, *[None] * (len(scores) - len(references))], strict=True)
    return [
        RatedItem(f"q{start + n:03}", j, {"score": j}, h, {} if h is None else {"score": h})
        for n, (j, h) in enumerate(pairs)
    ]


def test_scores_of_a_run_are_prediction_powered():
    """The judge is a point too high: 7 and 9 for 6 and 8, and its 8 over the run is a 7."""
    items = run([7, 9] * 100, [6, 8] * 20)
    found = calibrated_estimates({0: calibrated_tables({"score": SCORE}, items, clusters_of(items))}, resamples=300)
    score = found[0]["score"]
    assert (score.value, score.method, score.n) == (pytest.approx(70), "ppi++", 40)
    assert 68 < score.low < 70 < score.high < 72


def test_a_run_that_is_itself_a_sample_is_weighted_as_its_ratings_are():
    """All 40 are rated: 20 with a 6 for 9 each, and 20 with an 8 for 1 each."""
    items = run([7, 9] * 20, [6, 8] * 20)
    items = [replace(one, weight=w, run_weight=w) for one, w in zip(items, [9.0, 1.0] * 20, strict=True)]
    found = calibrated_estimates({0: calibrated_tables({"score": SCORE}, items, clusters_of(items))}, resamples=300)
    assert found[0]["score"].value == pytest.approx(10 * (0.9 * 6 + 0.1 * 8))


def test_scores_of_other_runs_are_on_a_line():
    """The judge says 2 + H / 2: its mean of 6 is an 8, beyond all that were calibrated on."""
    items, pool = run([5, 7] * 50, []), run([3, 4, 5] * 20, [2, 4, 6] * 20)
    tables = calibrated_tables({"score": SCORE}, items, clusters_of(items, pool), pool=pool)
    score = calibrated_estimates({0: tables}, resamples=300)[0]["score"]
    assert (score.value, score.method, score.n) == (pytest.approx(80), "linear", 60)


def test_scores_that_do_not_rise_with_the_references_are_not_corrected():
    items, pool = run([5, 7] * 50, []), run([3, 4, 5] * 20, [6, 4, 2] * 20)
    tables = calibrated_tables({"score": SCORE}, items, clusters_of(items, pool), pool=pool)
    assert tables.refused == {"score": "the judge's scores do not rise with the reference's"}


def test_a_value_beside_the_label_is_corrected_as_a_mean_from_own_items_only():
    """A Brier term depends on the confidence, too: 0.04 of a right answer, 0.64 of a wrong one at 0.8."""
    brier = Metric(
        "brier", lambda v: (sum((c - y) ** 2 for c, y in v), len(v)), lambda s: s[..., 0] / s[..., 1], bounds=(0, 1)
    )
    labels = {"YES": {"brier": (1.0, 1)}, "NO": {"brier": (1.0, 0)}}
    right, wrong = {"brier": (0.8, 1)}, {"brier": (0.8, 0)}
    items = [
        RatedItem(f"q{n}", "YES", right, *(("NO", wrong) if n < 10 else ("YES", right) if n < 40 else ()))
        for n in range(100)
    ]
    own = calibrated_tables({"brier": brier}, items, clusters_of(items), labels=labels)
    assert calibrated_estimates({0: own}, resamples=300)[0]["brier"].value == pytest.approx(0.25 * 0.64 + 0.75 * 0.04)
    other = calibrated_tables({"brier": brier}, items, clusters_of(items), labels=labels, pool=items)
    assert other.refused == {"brier": "it depends on more than the label, so it needs ratings of this run's own items"}
