"""The smallest differences against statsmodels' power and exact power; non-inferiority by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.power import NormalIndPower

from hueval_metrics.stats.mcnemar import mcnemar_p
from hueval_metrics.stats.power import is_not_worse, smallest_difference, smallest_paired_difference
from tests.each import each


@each("n", [60, 278, 1343])
@each("deviation", [0.2, 1.0, 45.0])
def test_smallest_difference_has_80_percent_power(n, deviation):
    """Of one sample of paired differences: statsmodels takes the effect in standard deviations."""
    found = smallest_difference(deviation / math.sqrt(n))
    power = NormalIndPower(ddof=0).power(found / deviation, nobs1=n, alpha=0.05, ratio=0)
    assert power == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("n", "discordance"), [(93, 0.3), (278, 0.2), (1135, 0.05), (1343, 0.2), (1343, 0.5)])
def test_smallest_paired_difference_solves_connors_formula(n, discordance):
    found = smallest_paired_difference(n, discordance)
    needed = (1.959964 * math.sqrt(discordance) + 0.841621 * math.sqrt(discordance - found**2)) ** 2 / found**2
    assert needed == pytest.approx(n, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "discordance"), [(278, 0.2), (1135, 0.1), (1343, 0.2)])
def test_exact_test_has_nearly_the_power_promised(n, discordance):
    """The normal formula leaves out that the exact test is cautious: at these sizes by at most seven in a hundred."""
    found = smallest_paired_difference(n, discordance)
    share = (discordance + found) / (2 * discordance)  # of the discordant items that the better model has right
    power = 0.0
    spread = 6 * math.sqrt(n * discordance * (1 - discordance))
    for count in range(max(1, int(n * discordance - spread)), int(n * discordance + spread)):
        better = np.arange(count + 1)
        rejected = np.array([mcnemar_p(k, count - k) < 0.05 for k in better])
        power += binom.pmf(count, n, discordance) * binom.pmf(better[rejected], count, share).sum()
    assert 0.73 < power < 0.82


def test_more_items_or_less_discordance_resolve_more():
    assert smallest_paired_difference(1343, 0.2) < smallest_paired_difference(278, 0.2)
    assert smallest_paired_difference(278, 0.1) < smallest_paired_difference(278, 0.2)


@pytest.mark.parametrize(("n", "discordance"), [(1, 1.0), (1, 0.1), (5, 0.5), (93, 0.04)])
def test_too_few_discordant_items_to_resolve_anything(n, discordance):
    """Even with the better model right on all of them, exact p stays above 0.05 or is met too rarely."""
    assert smallest_paired_difference(n, discordance) is None


@pytest.mark.parametrize(
    ("why", "ci95", "margin", "higher", "expected"),
    [
        ("clearly better", (1.0, 3.0), 2, True, True),
        ("level and sure", (-1.5, 1.5), 2, True, True),
        ("worse for sure, but by less than matters", (-1.9, -0.1), 2, True, True),
        ("level, but not sure", (-2.5, 2.5), 2, True, False),
        ("at the margin it is not shown", (-2.0, 1.0), 2, True, False),
        ("errors: more is worse", (-1.0, 2.5), 2, False, False),
        ("errors: fewer", (-3.0, 0.5), 2, False, True),
    ],
)
def test_not_worse(why, ci95, margin, higher, expected):
    assert is_not_worse(ci95, margin, higher_is_better=higher) is expected, why
