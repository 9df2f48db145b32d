"""The permutation test against scipy's, and by definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binomtest, permutation_test

from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.permutation import (
    EXACT_UP_TO,
    PERMUTATIONS,
    enough_permutations,
    permutation_p,
    signed_sums,
)
from tests.each import each


def percent(sums):
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100 * sums[..., 0] / sums[..., 1]


def blanks(n: int, lead: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    size = draw.integers(2, 9, n)
    first, second = (draw.binomial(size, share) for share in (0.5 + lead, 0.5))
    return np.column_stack([first, size]).astype(float), np.column_stack([second, size]).astype(float)


def scipys_p(first: np.ndarray, second: np.ndarray, **kwargs) -> float:
    """Scipy swaps numbers between two samples: here the places of rows."""
    n = len(first)
    rows = np.concatenate([first, second])

    def difference(ours, theirs):
        return percent(rows[ours.astype(int)].sum(axis=0)) - percent(rows[theirs.astype(int)].sum(axis=0))

    places = (np.arange(n), np.arange(n, 2 * n))
    return permutation_test(places, difference, permutation_type="samples", vectorized=False, **kwargs).pvalue


@each("n", [2, 5, 8])
@each("lead", [0.0, 0.2, 0.4])
def test_few_clusters_agree_with_scipys_enumeration(n, lead):
    first, second = blanks(n, lead)
    assert permutation_p(first, second, percent) == pytest.approx(scipys_p(first, second, n_resamples=np.inf))


@pytest.mark.parametrize(("n", "lead"), [(40, 0.0), (40, 0.08), (93, 0.05)])
def test_many_clusters_agree_with_scipys_sample(n, lead):
    first, second = blanks(n, lead)
    theirs = scipys_p(first, second, n_resamples=5000, rng=1)
    assert permutation_p(first, second, percent) == pytest.approx(theirs, abs=0.025)


def test_models_with_other_denominators_are_swapped_whole():
    """Ratios such as F: what a model attempts goes with its answers."""
    first = np.array([[2.0, 2.0], [2.0, 2.0], [0.0, 1.0], [2.0, 2.0]])
    second = np.array([[0.0, 2.0], [2.0, 2.0], [0.0, 2.0], [0.0, 1.0]])
    observed = abs(percent(first.sum(axis=0)) - percent(second.sum(axis=0)))
    extreme = 0
    for swaps in itertools.product([False, True], repeat=4):
        swapped = np.array(swaps)[:, None]
        ours, theirs = np.where(swapped, second, first), np.where(swapped, first, second)
        extreme += abs(percent(ours.sum(axis=0)) - percent(theirs.sum(axis=0))) >= observed - 1e-9
    assert permutation_p(first, second, percent) == extreme / 16


@each("n", [3, EXACT_UP_TO])
def test_of_yes_and_no_it_is_the_exact_mcnemar_test(n):
    first = np.column_stack([np.arange(n) > 0, np.ones(n)]).astype(float)  # first alone right but for one
    second = np.column_stack([np.arange(n) == 0, np.ones(n)]).astype(float)
    assert permutation_p(first, second, percent) == pytest.approx(binomtest(1, n).pvalue)


def test_rounding_breaks_no_tie():
    """Ahead by 1, 1, -1 and 4 tenths, 5 in all. Of ±1 ±1 ±1 ±4 half are 5 or more, though no tenth is exact."""
    first = np.array([[0.1, 1], [0.1, 1], [0.0, 1], [0.4, 1]])
    second = np.array([[0.0, 1], [0.0, 1], [0.1, 1], [0.0, 1]])
    assert permutation_p(first, second, percent) == 0.5


def test_enumeration_looks_at_clusters_that_differ_alone():
    """Five of 200 differ, all one way: exact, 2 of 32."""
    right, wrong = np.ones((200, 2)), np.ones((200, 2))
    wrong[:5, 0] = 0
    assert permutation_p(right, wrong, percent) == 2 / 32


def test_no_cluster_that_differs_gives_one():
    same = np.ones((20, 2))
    assert permutation_p(same, same, percent) == 1.0


def test_of_one_cluster_nothing_can_be_said():
    assert permutation_p(np.array([[4.0, 5.0]]), np.array([[0.0, 5.0]]), percent) == 1.0


def test_undefined_metric_has_no_p():
    assert permutation_p(np.zeros((3, 2)), np.ones((3, 2)), percent) is None


def test_sampled_p_is_never_zero():
    """All 40 clusters lean one way; no sampled swap is as extreme but the observed one."""
    right, wrong = np.ones((40, 2)), np.column_stack([np.zeros(40), np.ones(40)])
    assert permutation_p(right, wrong, percent) == 1 / 10_001


def test_what_a_swap_leaves_undefined_counts_as_extreme():
    """The second model has attempted one thing; swapped away, its ratio is undefined."""
    first, second = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])
    assert permutation_p(first, second, percent) == 1.0


def test_more_permutations_reach_a_smaller_p():
    right, wrong = np.ones((40, 2)), np.column_stack([np.zeros(40), np.ones(40)])
    assert permutation_p(right, wrong, percent, permutations=50_000) == 1 / 50_001


@pytest.mark.parametrize(("n_tests", "permutations"), [(0, 10_000), (400, 10_000), (900, 22_500), (4001, 100_000)])
def test_permutations_grow_with_the_tests_corrected_together(n_tests, permutations):
    assert enough_permutations(n_tests) == permutations


@each("n_tests", [8, 900, 4999])
def test_the_smallest_p_survives_holm(n_tests):
    """At 10,000 permutations the smallest p of 900 tests would be 0.09 after the correction."""
    smallest = 1 / (1 + enough_permutations(n_tests))
    assert holm([smallest] * n_tests)[0] < 0.05


def sums_of(*tables, permutations=PERMUTATIONS):
    blocks = zip(*signed_sums(tables, permutations=permutations), strict=True)
    return [np.concatenate(own) for own in blocks]


def test_signs_do_not_depend_on_the_tables_or_their_blocks():
    """A wide table makes the blocks smaller, one with rows of zeros passes them over."""
    draw = np.random.default_rng(1)
    narrow, wide = draw.random((93, 2)), draw.random((93, 3001))
    sparse = narrow * (np.arange(93) < 40)[:, None]
    alone = sums_of(narrow, permutations=2001)[0]
    first, _, third = sums_of(narrow, wide, sparse, permutations=2001)
    assert first == pytest.approx(alone)
    assert len(first) == 2001
    assert third == pytest.approx(sums_of(sparse + 0.0, permutations=2001)[0])
    assert third + sums_of(narrow - sparse, permutations=2001)[0] == pytest.approx(alone)


def test_signs_are_fair_and_the_same_for_all_columns():
    (signed,) = sums_of(np.column_stack([np.ones(100), np.full(100, 2.0)]))
    assert (signed[:, 1] == 2 * signed[:, 0]).all()
    assert signed[:, 0].mean() == pytest.approx(0, abs=0.4)  # four standard errors
    assert signed[:, 0].std() == pytest.approx(10, rel=0.03)


@given(*[arrays(float, (9, 2), elements=st.integers(0, 3)).map(lambda rows: np.sort(rows, axis=1))] * 2)
def test_p_is_a_probability_and_does_not_care_who_is_first(first, second):
    ours, theirs = permutation_p(first, second, percent), permutation_p(second, first, percent)
    assert ours == theirs
    assert ours is None or 0 < ours <= 1
