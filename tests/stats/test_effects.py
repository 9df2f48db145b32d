"""Effect sizes against statsmodels and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.proportion import proportion_confint, proportion_effectsize

from hueval_metrics.stats.effects import cohen_h, matched_odds_ratio, standardised_mean

SHARES = (0.0, 0.01, 0.3, 0.5, 0.97, 1.0)
COUNTS = (0, 1, 4, 30)


@pytest.mark.parametrize(("first", "second"), list(itertools.product(SHARES, SHARES)))
def test_cohens_h_agrees_with_statsmodels(first, second):
    assert cohen_h(first, second) == pytest.approx(proportion_effectsize(first, second), abs=1e-12)


def test_cohens_h_of_none_against_all_is_pi():
    assert cohen_h(1, 0) == pytest.approx(math.pi)


@pytest.mark.parametrize(("only_first", "only_second"), [c for c in itertools.product(COUNTS, COUNTS) if any(c)])
def test_odds_ratio_is_the_odds_of_clopper_and_pearsons_share(only_first, only_second):
    ratio, (low, high) = matched_odds_ratio(only_first, only_second)
    share_low, share_high = proportion_confint(only_first, only_first + only_second, method="beta")
    assert ratio == (only_first / only_second if only_second else None)
    assert low == pytest.approx(share_low / (1 - share_low))
    assert high is None if share_high == 1 else high == pytest.approx(share_high / (1 - share_high))


def test_odds_ratio_without_discordant_pairs_says_nothing():
    assert matched_odds_ratio(0, 0) == (None, (0.0, None))


@pytest.mark.parametrize("n", [2, 5, 93])
def test_standardised_mean_is_the_paired_t_over_root_n(n):
    first, second = np.random.default_rng(n).random((2, n))
    expected = ttest_rel(first, second).statistic / math.sqrt(n)
    assert standardised_mean(first - second) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("why", "differences", "expected"),
    [
        ("no item", [], None),
        ("one item has no spread", [1.0], None),
        ("no difference at all", [0.0, 0.0], 0.0),
        ("all alike: infinitely sure", [0.1, 0.1, 0.1], None),
        ("level", [1.0, -1.0], 0.0),
    ],
)
def test_standardised_mean_at_the_ends(why, differences, expected):
    assert standardised_mean(differences) == expected, why
