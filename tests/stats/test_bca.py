"""BCa to the last digit: scipy's from the very same resamples, and over strata its definition written out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import bootstrap, norm

from hueval_metrics.metrics.basic import POOLED
from hueval_metrics.stats.bootstrap import resampled_sums
from hueval_metrics.stats.intervals import interval

# Right and all blanks of some questions; what each set is there for.
QUESTIONS = {
    "one long question, all right, among short wrong ones: biased and skewed": [(30, 30)] + [(0, 3)] * 6 + [(1, 4)] * 5,
    "the other way round": [(0, 30)] + [(3, 3)] * 6 + [(3, 4)] * 5,
    "few values, so that many resamples equal the score": [(1, 2)] * 4 + [(0, 2), (2, 2)] * 2,
    "a rare success": [(1, 5)] + [(0, 5)] * 19 + [(0, 2)] * 20,
    "above 100, as the reference scorer counts": [(8, 6), (12, 10), (5, 6), (7, 6), (9, 6), (6, 6)],
    "long questions are the easy ones": [(n * n, 2 * n * n) for n in range(1, 12)] + [(0, 1), (1, 1)] * 9,
}


def percent(right, total, axis=-1):
    return 100 * right.sum(axis) / total.sum(axis)


def opened(low: float, high: float, n: int) -> tuple[float, float]:
    """Half a question more, all wrong at the lower end and all right at the upper one, which it never pulls in."""
    return low * n / (n + 0.5), max(high, (high * n + 50) / (n + 0.5))


@pytest.mark.parametrize("why", QUESTIONS)
def test_the_ends_are_scipys_of_the_same_resamples(why):
    rows = np.array(sorted(QUESTIONS[why]), float)  # resampled in this order, whatever order they come in
    drawn = SimpleNamespace(bootstrap_distribution=POOLED.compute(resampled_sums(rows)))
    theirs = bootstrap(
        (rows[:, 0], rows[:, 1]),
        percent,
        paired=True,
        vectorized=True,
        n_resamples=0,
        bootstrap_result=drawn,
        method="BCa",
    ).confidence_interval
    found = interval(POOLED, np.array(QUESTIONS[why], float))
    assert (found.low, found.high) == pytest.approx(opened(*theirs, len(rows)), abs=1e-9)


def test_questions_that_do_not_count_leave_the_ends_as_they_are():
    """They take part in the resampling, but half a question more is of those that count."""
    rows = np.array([(0, 0)] * 30 + sorted([(30, 30), *[(0, 3)] * 20, *[(1, 4)] * 20]), float)
    drawn = POOLED.compute(resampled_sums(rows))
    influences = loo_influences(rows, ["all"] * len(rows))
    expected = opened(*by_definition(drawn, POOLED.compute(rows.sum(axis=0)), influences), 41)
    found = interval(POOLED, rows)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


def loo_influences(rows, strata) -> np.ndarray:
    """How much higher the score is with each row than without it, less the mean of that over the row's stratum."""
    whole = percent(rows[:, 0], rows[:, 1])
    gains = [whole - percent(*np.delete(rows, place, axis=0).T) for place in range(len(rows))]
    means = {s: np.mean([g for g, t in zip(gains, strata, strict=True) if t == s]) for s in strata}
    return np.array([g - means[s] for g, s in zip(gains, strata, strict=True)])


def by_definition(drawn, score, influences) -> tuple[float, float]:
    """Efron & Tibshirani 1993, formulas 14.9, 14.10, 14.14 and 14.15."""
    bias = norm.ppf(np.mean(drawn < score - 1e-9) + np.mean(np.abs(drawn - score) <= 1e-9) / 2)
    skew = np.sum(influences**3) / (6 * np.sum(influences**2) ** 1.5)
    levels = [norm.cdf(bias + (bias + z) / (1 - skew * (bias + z))) for z in norm.ppf([0.025, 0.975])]
    low, high = np.quantile(drawn, levels)
    return low, high


def test_over_strata_skewness_is_that_within_them():
    """The strata differ more than their questions do, and one of them is lopsided (Davison & Hinkley 1997, ch. 5)."""
    easy = [(9, 10)] * 20 + [(0, 10)] * 2 + [(10, 10)] * 3
    hard = [(1, 10)] * 20 + [(2, 10)] * 15 + [(30, 40)]
    rows = np.array(sorted(easy) + sorted(hard), float)
    strata = ["easy"] * len(easy) + ["hard"] * len(hard)
    drawn = POOLED.compute(resampled_sums(rows, strata=strata))
    score = percent(rows[:, 0], rows[:, 1])
    expected = opened(*by_definition(drawn, score, loo_influences(rows, strata)), len(rows))
    wrong = opened(*by_definition(drawn, score, loo_influences(rows, [""] * len(rows))), len(rows))
    found = interval(POOLED, rows, strata=strata)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert (found.low, found.high) != pytest.approx(wrong, abs=1e-3)
