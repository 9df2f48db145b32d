"""Intervals against another library, literal values and what a bootstrap must do by definition."""

from __future__ import annotations

import math
import random

import pytest
from statsmodels.stats.proportion import proportion_confint

import hueval_metrics.stats.intervals as module
from hueval_metrics.stats.intervals import MANY, ratio_ci95
from tests.helpers import load_cases, why

SIZES = (1, 2, 3, 5, 14, 60, 278, 1135)
GRID = sorted({(right, n) for n in SIZES for right in {0, 1, n // 3, n // 2, n - 1, n}})


@pytest.mark.parametrize("case", load_cases("intervals"), ids=why)
def test_literal(case):
    expected = case["ci95"] and pytest.approx(case["ci95"], abs=5e-5)
    assert ratio_ci95(case["terms"]) == expected


@pytest.mark.parametrize(("right", "n"), GRID)
def test_yes_or_no_items_get_wilsons_interval(right, n):
    terms = [(1, 1)] * right + [(0, 1)] * (n - right)
    assert ratio_ci95(terms) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


def test_single_blank_questions_with_several_blanks_elsewhere_are_no_coin_flips():
    """Six of twelve blanks, but in clusters: wider than Wilson's interval of twelve independent blanks."""
    low, high = ratio_ci95([(4, 4), (0, 4), (2, 2), (0, 2)])
    wilson_low, wilson_high = proportion_confint(6, 12, method="wilson")
    assert low < wilson_low < wilson_high < high


def test_bootstrap_agrees_with_resampling_written_out():
    """Draw clusters with replacement in plain Python; the ends agree within the error of 2,000 resamples."""
    terms = [(i % 5, 4 + i % 3) for i in range(60)]
    draw = random.Random(7)
    ratios = []
    for _ in range(4000):
        sample = draw.choices(terms, k=len(terms))
        ratios.append(sum(num for num, _ in sample) / sum(den for _, den in sample))
    ratios.sort()
    assert ratio_ci95(terms) == pytest.approx((ratios[99], ratios[3899]), abs=0.012)


def test_bootstrap_of_many_clusters_agrees_with_the_normal_approximation():
    """The linearised standard error of a ratio (Cochran 1977, ch. 6)."""
    draw = random.Random(3)
    terms = [(draw.randint(0, size), size) for size in (draw.randint(3, 15) for _ in range(300))]
    ratio = sum(num for num, _ in terms) / sum(den for _, den in terms)
    mean_size = sum(den for _, den in terms) / len(terms)
    variance = sum((num - ratio * den) ** 2 for num, den in terms) / (len(terms) - 1)
    error = math.sqrt(variance / len(terms)) / mean_size
    assert ratio_ci95(terms) == pytest.approx((ratio - 1.96 * error, ratio + 1.96 * error), abs=0.15 * error)


def shapes_of(n: int) -> dict[str, list[tuple[float, float]]]:
    """Pooled blanks, a rare success, scores on a scale, squared errors."""
    draw = random.Random(n)
    return {
        "blanks": [(draw.randint(0, size), size) for size in (draw.randint(3, 15) for _ in range(n))],
        "rare": [(float(draw.random() < 0.02), draw.choice([1, 2])) for _ in range(n)],
        "scores": [(draw.randint(0, 9) / 9, 1.0) for _ in range(n)],
        "errors": [(draw.random() ** 2, 1.0) for _ in range(n)],
    }


@pytest.mark.parametrize(("n", "tolerance"), [(MANY + 1, 0.0008), (20_000, 0.0005)])
def test_many_clusters_get_the_same_interval_without_resampling(monkeypatch, n, tolerance):
    """To the third digit, which is also how far 2,000 resamples can be trusted."""
    terms = shapes_of(n)
    found = {shape: ratio_ci95(some) for shape, some in terms.items()}
    monkeypatch.setattr(module, "MANY", n)
    for shape, some in terms.items():
        resampled = ratio_ci95(some)
        assert found[shape] != resampled, shape
        assert found[shape] == pytest.approx(resampled, abs=tolerance), shape
    module._weights.cache_clear()  # 160 MB


def test_many_clusters_of_one_size_get_the_interval_of_a_mean():
    """Where all denominators are 1, the linearised ratio is the sample mean with its standard error."""
    values = [n % 7 / 6 for n in range(MANY + 1)]
    mean = math.fsum(values) / len(values)
    error = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))
    expected = (mean - 1.959964 * error, mean + 1.959964 * error)
    assert ratio_ci95([(v, 1.0) for v in values]) == pytest.approx(expected, abs=1e-8)


def test_the_same_terms_give_the_same_interval():
    terms = [(1, 3), (2, 3), (3, 4), (0, 2)]
    assert ratio_ci95(terms) == ratio_ci95(list(terms))


def test_the_reference_protocol_may_exceed_one():
    low, high = ratio_ci95([(8, 6), (12, 10), (5, 6), (7, 6)])
    assert low < 32 / 28 < high
    assert high > 1


def test_partial_clusters_all_alike_but_for_one():
    low, high = ratio_ci95([(1, 2)] * 9 + [(2, 2)])
    assert low == 0.5
    assert 0.5 < high < 1
