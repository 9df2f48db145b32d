"""McNemar's test and Cohen's h against statsmodels, Tango's interval against its definition and published examples."""

from __future__ import annotations

import itertools
import math

import pytest
from scipy.optimize import minimize_scalar
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_effectsize

from hueval_metrics.stats.mcnemar import cohen_h, mcnemar_p, paired_difference_ci95
from tests.each import each

COUNTS = (0, 1, 2, 5, 14, 60)
SHARES = (0.0, 0.01, 0.3, 0.5, 0.97, 1.0)
GRID = [(b, c, n) for b, c in itertools.product(COUNTS, COUNTS) for n in (b + c, b + c + 7, 1343) if n]


@each(("only_first", "only_second"), list(itertools.product(COUNTS, COUNTS)))
def test_exact_p_agrees_with_statsmodels(only_first, only_second):
    theirs = mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue
    expected = 1.0 if only_first == only_second == 0 else theirs  # statsmodels has NaN in some versions there
    assert mcnemar_p(only_first, only_second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("why", "only_first", "only_second", "exact"),
    [
        ("no discordant pair", 0, 0, 1.0),
        ("one discordant pair", 1, 0, 1.0),
        ("level", 3, 3, 1.0),
        ("1 of 10: 2 × 11/1024", 1, 9, 22 / 1024),
        ("airway hyper-responsiveness (Fagerland et al. 2013)", 1, 7, 18 / 256),
    ],
)
def test_literal_p(why, only_first, only_second, exact):
    assert mcnemar_p(only_first, only_second) == pytest.approx(exact), why


def test_airway_example_of_fagerland_lydersen_and_laake():
    """1 and 7 discordant of 21 children: -0.517 to -0.026."""
    assert paired_difference_ci95(1, 7, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@each("n", [1, 10, 93, 1343])
def test_without_discordant_pairs_the_interval_is_that_of_no_event(n):
    """In closed form: ± z² / (n + z²), Wilson's upper limit of 0 in n."""
    end = 1.959963984540054**2 / (n + 1.959963984540054**2)
    assert paired_difference_ci95(0, 0, n) == pytest.approx((-end, end))


@each(("only_first", "only_second", "n"), GRID)
def test_ends_are_where_the_score_statistic_is_196(only_first, only_second, n):
    """The nuisance share found by maximising the likelihood numerically, not by Tango's formula."""
    for end, z in zip(paired_difference_ci95(only_first, only_second, n), (1.959964, -1.959964), strict=True):
        if abs(end) == 1:
            assert abs(only_first - only_second) == n  # only where the estimate itself is at the end of the scale
            continue

        def unlikely(share, delta=end):
            counts_shares = (
                (only_first, share + delta),
                (only_second, share),
                (n - only_first - only_second, 1 - 2 * share - delta),
            )
            return -sum(count * math.log(max(p, 1e-300)) for count, p in counts_shares if count)

        bounds = (max(0.0, -end), (1 - end) / 2)
        share = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        error = math.sqrt((2 * share + end - end**2) / n)
        assert ((only_first - only_second) / n - end) / error == pytest.approx(z, abs=2e-3)


def test_interval_holds_the_difference_and_mirrors():
    for only_first, only_second, n in GRID:
        low, high = paired_difference_ci95(only_first, only_second, n)
        assert -1 <= low <= (only_first - only_second) / n <= high <= 1
        assert paired_difference_ci95(only_second, only_first, n) == pytest.approx((-high, -low), abs=1e-9)


@each(("first", "second"), list(itertools.product(SHARES, SHARES)))
def test_cohens_h_agrees_with_statsmodels(first, second):
    assert cohen_h(first, second) == pytest.approx(proportion_effectsize(first, second), abs=1e-12)


def test_cohens_h_of_none_against_all_is_pi():
    assert cohen_h(1, 0) == pytest.approx(math.pi)
