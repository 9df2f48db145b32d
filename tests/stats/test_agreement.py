"""Coefficients of agreement against published examples, other libraries, definitions written out, and laws."""

from __future__ import annotations

import random
import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from statsmodels.stats.proportion import proportion_confint

from hueval_metrics.stats import agreement
from hueval_metrics.stats.agreement import (
    agreement_of,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_difference,
    percent_agreement,
    weighted_kappa,
)
from tests.each import each
from tests.helpers import load_cases, why

LEVELS = ("nominal", "interval")
LABELS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
GRID = [(n, noise) for n in (5, 30, 278, 1135) for noise in (0.0, 0.1, 0.5, 1.0)]

some_scores = st.lists(st.lists(st.none() | st.integers(1, 4), min_size=3, max_size=3), max_size=12)


def value(estimate) -> float | None:
    return estimate and estimate.value


def rated(n: int, noise: float, judges: int = 2, labels=LABELS) -> list[tuple]:
    """Responses with a truth that each judge misses with a probability; not all alike."""
    draw = random.Random(f"{n} {noise} {judges}")
    truths = [labels[i % len(labels)] for i in range(n)]
    return [tuple(draw.choice(labels) if draw.random() < noise else truth for _ in range(judges)) for truth in truths]


def alpha_by_definition(units, level) -> float | None:
    """Observed over expected disagreement, pair by pair, with the differences as Krippendorff (2011) writes them."""
    units = [[r for r in unit if r is not None] for unit in units]
    units = [unit for unit in units if len(unit) > 1]
    flat = [r for unit in units for r in unit]

    def difference(a, b) -> float:
        return float(a != b) if level == "nominal" else (a - b) ** 2

    expected = sum(difference(a, b) for a, b in permutations(flat, 2)) / (len(flat) - 1) if flat else 0
    observed = sum(sum(difference(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    return 1 - observed / expected if expected else None


@pytest.mark.parametrize("case", load_cases("agreement"), ids=why)
def test_published_and_degenerate_alphas(case):
    units = list(zip(*case["judges"], strict=True))
    found = {level: value(krippendorff_alpha(units, level)) for level in case["alpha"]}
    assert found == pytest.approx(case["alpha"], abs=5e-4)


@given(some_scores)
@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_its_definition(level, units):
    assert value(krippendorff_alpha(units, level)) == pytest.approx(alpha_by_definition(units, level), abs=1e-9)


@each(("n", "noise"), GRID)
def test_cohens_kappa_agrees_with_scikit_learn_and_statsmodels(n, noise):
    pairs = rated(n, noise)
    found = cohen_kappa(pairs)
    a, b = zip(*pairs, strict=True)
    assert found.value == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)
    table = [[pairs.count((x, y)) for y in LABELS] for x in LABELS]
    assert found.value == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
    assert found.n == n


@each(("n", "noise"), GRID)
def test_weighted_kappa_agrees_with_scikit_learn(n, noise):
    pairs = rated(n, noise, labels=range(1, 11))
    a, b = zip(*pairs, strict=True)
    expected = cohen_kappa_score(a, b, weights="quadratic", labels=list(range(1, 11)))
    assert value(weighted_kappa(pairs)) == pytest.approx(expected, abs=1e-12)


@each("judges", [2, 3, 7])
@each(("n", "noise"), GRID)
def test_fleiss_kappa_agrees_with_statsmodels(n, noise, judges):
    units = rated(n, noise, judges)
    table, _ = aggregate_raters(np.array(units))
    assert value(fleiss_kappa(units)) == pytest.approx(statsmodels_fleiss(table, method="fleiss"), abs=1e-12)


def test_fleiss_kappa_of_the_worked_example_of_1971_as_it_is_commonly_quoted():
    """Ten subjects, fourteen raters, five categories: 0.210."""
    table = [
        *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
        *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
    ]
    units = [[c for c, count in enumerate(row) for _ in range(count)] for row in table]
    assert value(fleiss_kappa(units)) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_leaves_out_what_not_all_have_rated():
    units = rated(30, 0.5, 3)
    assert fleiss_kappa([*units, ("CORRECT", None, "CORRECT")]) == fleiss_kappa(units)
    assert fleiss_kappa([("CORRECT", "INCORRECT")] * 9 + units) == fleiss_kappa(units)  # of a smaller panel


@each("statistic", [cohen_kappa, weighted_kappa, fleiss_kappa, percent_agreement])
@each("pairs", [[], [(1, None), (None, 2)], [(None, None)]], ids=["none", "no overlap", "missing"])
def test_undefined_without_a_response_that_both_have_rated(statistic, pairs):
    assert statistic(pairs) is None


@each("statistic", [cohen_kappa, weighted_kappa, fleiss_kappa])
def test_kappa_is_undefined_when_both_always_say_the_same_one_thing(statistic):
    """0 / 0: with one label only, chance agrees as often as they do."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert statistic([(7.3, 7.3)] * 4) is None
    assert percent_agreement([(7.3, 7.3)] * 4).value == 100


def test_kappa_is_0_when_one_judge_always_says_the_same():
    assert value(cohen_kappa([("YES", "YES"), ("YES", "NO")])) == 0
    assert value(weighted_kappa([(5, 5), (5, 9)])) == 0


def test_percent_agreement_is_of_pairs_of_judges():
    """Two agree out of three: one pair in three; a rating of its own has no pair."""
    found = percent_agreement([("a", "a", "b"), ("a", "a", "a"), ("a", None, None)])
    assert found.value == pytest.approx((100 / 3 + 100) / 2)
    assert found.n == 2


def test_percent_agreement_of_two_judges_gets_wilsons_interval():
    found = percent_agreement([("a", "a")] * 8 + [("a", "b")] * 2)
    low, high = proportion_confint(8, 10, method="wilson")
    assert found.ci95 == pytest.approx((100 * low, 100 * high))


def test_mean_difference_is_second_minus_first():
    found = mean_difference([(7, 8), (5, 5), (2, 4), (3, 3)])
    assert found.value == 0.75
    low, high = found.ci95
    assert 0 <= low < 0.75 < high <= 2
    assert mean_difference([]) is None


def test_interval_agrees_with_resampling_written_out():
    """Draw responses with replacement and ask scikit-learn; the ends agree within the error of 2,000 resamples."""
    pairs = rated(200, 0.4)
    draw = random.Random(7)
    kappas = sorted(cohen_kappa_score(*zip(*draw.choices(pairs, k=200), strict=True)) for _ in range(500))
    assert cohen_kappa(pairs).ci95 == pytest.approx((kappas[12], kappas[487]), abs=0.03)


def test_interval_covers_95_of_100_true_values():
    """Judges that miss the truth one time in five each: of 200 studies about 190 intervals hold the true kappa."""
    draw = random.Random(11)
    true_kappa = (0.68 - 0.5) / 0.5  # both right 0.64, both wrong 0.04
    held = 0
    for _ in range(200):
        truths = [draw.random() < 0.5 for _ in range(120)]
        pairs = [tuple(str(truth ^ (draw.random() < 0.2)) for _ in range(2)) for truth in truths]
        low, high = cohen_kappa(pairs).ci95
        held += low <= true_kappa <= high
    assert 180 <= held <= 199


def test_blocks_of_resamples_give_the_same_interval(monkeypatch):
    pairs = [(float(i), i + (i % 7) / 10) for i in range(50)]
    whole = weighted_kappa(pairs)
    monkeypatch.setattr(agreement, "_CELLS", 170)
    assert weighted_kappa(pairs) == whole


def test_no_interval_where_resampling_shows_nothing():
    """Full agreement resamples to full agreement, which is no reason to be sure of it."""
    agreed = [("YES", "YES")] * 5 + [("NO", "NO")] * 5
    assert (cohen_kappa(agreed).value, cohen_kappa(agreed).ci95) == (1, None)
    assert (krippendorff_alpha(agreed).value, krippendorff_alpha(agreed).ci95) == (1, None)


def test_no_interval_where_it_is_mostly_undefined():
    """One response in two has the only NO: a quarter of the resamples is without it."""
    assert krippendorff_alpha([("YES", "YES"), ("YES", "NO")]).ci95 is None


def test_rounding_is_no_disagreement():
    """Two of 27 resamples are of one score alone; their scaled squares cancel out but for the last digit."""
    pairs = [(6, 6), (10, 10), (10, 3)]
    assert weighted_kappa(pairs).ci95 is None
    assert krippendorff_alpha(pairs, "interval").ci95 is None


@given(some_scores, st.permutations(range(3)), st.permutations("abcd"))
def test_neither_names_of_labels_nor_order_of_judges_matter(units, order, names):
    others = [[unit[place] and names[unit[place] - 1] for place in order] for unit in units]
    for statistic in (krippendorff_alpha, fleiss_kappa, percent_agreement):
        assert value(statistic(others)) == pytest.approx(value(statistic(units)), abs=1e-12)


@given(some_scores, st.floats(0.01, 100), st.floats(-50, 50))
def test_scale_of_scores_does_not_matter(units, factor, shift):
    scaled = [[r and factor * r + shift for r in unit] for unit in units]
    found = value(krippendorff_alpha(scaled, "interval"))
    assert found == pytest.approx(value(krippendorff_alpha(units, "interval")), abs=1e-6)


@given(some_scores, st.randoms())
def test_order_of_responses_does_not_matter_to_the_interval_either(units, draw):
    shuffled = draw.sample(units, len(units))
    for level in LEVELS:
        assert krippendorff_alpha(shuffled, level) == krippendorff_alpha(units, level)
    assert cohen_kappa(unit[:2] for unit in shuffled) == cohen_kappa(unit[:2] for unit in units)


@given(st.lists(st.integers(1, 4), min_size=2).filter(lambda ratings: len(set(ratings)) > 1))
def test_full_agreement_is_1(ratings):
    pairs = [(r, r) for r in ratings]
    assert [value(f(pairs)) for f in (cohen_kappa, weighted_kappa, fleiss_kappa)] == pytest.approx([1, 1, 1])
    assert [value(krippendorff_alpha(pairs, level)) for level in LEVELS] == pytest.approx([1, 1])


@given(some_scores)
def test_no_coefficient_exceeds_1_and_each_lies_in_its_interval(units):
    pairs = [tuple(unit[:2]) for unit in units]
    found = [cohen_kappa(pairs), weighted_kappa(pairs), fleiss_kappa(units)]
    for estimate in [*found, *(krippendorff_alpha(units, level) for level in LEVELS)]:
        if estimate is not None:
            assert estimate.value <= 1 + 1e-12
            assert estimate.ci95 is None or estimate.ci95[0] < estimate.ci95[1] <= 1 + 1e-12


def test_agreement_of_a_panel_that_labels():
    votes = [("YES", "YES", "YES"), ("NO", "NO", "YES"), ("NO", "YES", None), ("NO", None, None)]
    found = agreement_of(iter(votes * 10))
    alpha = krippendorff_alpha(votes * 10)
    assert (found["judges"], found["n"], found["n_ties"]) == (3, 30, 10)
    assert found["agreement"] == pytest.approx((100 + 100 / 3 + 0) / 3)
    assert (found["alpha"], found["alpha_ci95"]) == (alpha.value, list(alpha.ci95))
    assert found["fleiss"] == value(fleiss_kappa(votes[:2] * 10))


def test_agreement_of_a_panel_that_scores_has_no_ties():
    found = agreement_of([(7.0, 8.0), (5.0, 5.0), (2.0, 3.0), (9.0, 9.0)])
    assert found["alpha"] == value(krippendorff_alpha([(7, 8), (5, 5), (2, 3), (9, 9)], "interval"))
    assert found["agreement"] == 50
    assert (found["fleiss"], found["n_ties"]) == (None, None)


@each("votes", [[], [("YES",)], [("YES", None), (None, "NO")]])
def test_no_agreement_of_those_who_never_rated_the_same(votes):
    assert agreement_of(votes) is None


def test_a_panel_that_always_says_the_same_has_agreement_and_no_alpha():
    found = agreement_of([("YES", "YES")] * 3)
    assert (found["agreement"], found["alpha"], found["alpha_ci95"], found["fleiss"]) == (100, None, None, None)
