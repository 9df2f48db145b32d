"""Ranks and rank changes by hand, intervals against resampling written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from hueval_metrics.errors import InputError
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.stats.joint import JointScores, MetricTerms, joint_scores
from hueval_metrics.stats.ranks import RankInterval, rank_change, rank_intervals, ranks
from tests.each import each

NAN = float("nan")
SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("why", "scores", "shared"),
    [
        ("higher is better", [10.0, 30.0, 20.0], [3, 1, 2]),
        ("ties share the better rank", [5.0, 7.0, 7.0, 1.0], [3, 1, 1, 4]),
        ("all level", [2.0, 2.0, 2.0], [1, 1, 1]),
        ("no score, no rank", [1.0, NAN, 2.0], [2, NAN, 1]),
        ("one model", [50.0], [1]),
        ("the same sum added up in another order is a tie", [0.1 + 0.2, 0.3], [1, 1]),
    ],
)
def test_ranks(why, scores, shared):
    assert ranks(scores) == pytest.approx(shared, nan_ok=True), why


def test_errors_rank_from_below():
    assert ranks([0.3, 0.1, 0.2], higher_is_better=False).tolist() == [3, 1, 2]


@given(SCORES)
def test_shared_rank_counts_who_is_better(scores):
    assert ranks(scores).tolist() == [1 + sum(other > score for other in scores) for score in scores]


def test_rank_intervals_from_draws():
    """100 resamples: a leads in 90, level with b in 6, behind in 4; c is always last; d has no score."""
    a_b = [[3.0, 2.0]] * 90 + [[2.0, 2.0]] * 6 + [[2.0, 3.0]] * 4
    draws = np.array([[*pair, 1.0, NAN] for pair in a_b])
    found = rank_intervals(JointScores(("a", "b", "c", "d"), np.array([3.0, 2.0, 1.0, NAN]), draws))
    assert found == [
        RankInterval(1, 1, 2, pytest.approx(0.93)),
        RankInterval(2, 1, 2, pytest.approx(0.07)),
        RankInterval(3, 3, 3, 0.0),
        None,
    ]


def test_a_rank_lies_within_its_interval_even_where_resamples_say_else():
    """Ties in the scores alone: b shares the first rank, and is second in every resample."""
    found = rank_intervals(JointScores(("a", "b"), np.array([2.0, 2.0]), np.array([[2.0, 1.0]] * 50)))
    assert found == [RankInterval(1, 1, 1, 1.0), RankInterval(1, 1, 2, 0.0)]


def test_a_rank_lies_within_its_interval_where_all_resamples_turn_the_order():
    found = rank_intervals(JointScores(("a", "b"), np.array([2.0, 1.0]), np.array([[1.0, 2.0]] * 50)))
    assert found == [RankInterval(1, 1, 2, 0.0), RankInterval(2, 1, 2, 1.0)]


def test_the_ends_are_ranks_that_occur():
    """In 3 of 100 resamples a is last, never second: the ranks that hold 97.5 % reach to 3."""
    draws = np.array([[3.0, 2.0, 1.0]] * 97 + [[0.0, 2.0, 1.0]] * 3)
    a, b, c = rank_intervals(JointScores(("a", "b", "c"), np.array([3.0, 2.0, 1.0]), draws))
    assert a == RankInterval(1, 1, 3, pytest.approx(0.97))
    assert b == RankInterval(2, 1, 2, pytest.approx(0.03))
    assert c == RankInterval(3, 2, 3, 0.0)


def test_errors_are_first_from_below():
    found = rank_intervals(
        JointScores(("a", "b"), np.array([0.1, 0.3]), np.array([[0.1, 0.3]] * 9)), higher_is_better=False
    )
    assert [interval.rank for interval in found] == [1, 2]
    assert [interval.p_first for interval in found] == [1, 0]


def test_clear_and_unclear_ranks_of_real_draws():
    """400 items: 90 %, 52 %, 50 % and 10 % right; only the two in the middle may swap."""
    draw = np.random.default_rng(0)
    right = (draw.random((4, 400)) < np.array([[0.9], [0.52], [0.5], [0.1]])).astype(float)
    terms = np.stack([right, np.ones_like(right)], axis=-1)
    scores = joint_scores("abcd", {"x": MetricTerms(terms, PERCENT)})["x"]
    first, second, third, last = rank_intervals(scores)
    assert (first.low, first.high, first.p_first) == (1, 1, 1.0)
    assert (last.low, last.high) == (4, 4)
    assert (second.low, second.high, third.low, third.high) == (2, 3, 2, 3)


def test_where_no_resample_is_defined_there_is_no_interval():
    assert rank_intervals(JointScores(("a", "b"), np.array([1.0, 2.0]), np.full((5, 2), NAN))) == [None, None]


def test_rank_change_by_hand():
    found = rank_change({"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1, "b": 4, "c": 2, "d": 3})
    assert found.moves == {"a": 0, "b": 2, "c": -1, "d": -1}
    assert (found.moved, found.mean_change) == (75, 1.0)
    assert (found.only_ours, found.only_theirs) == ((), ())


def test_models_of_one_side_are_left_out_and_the_others_ranked_anew():
    found = rank_change({"a": 2, "x": 1, "b": 5}, {"b": 1, "y": 2, "a": 3})
    assert found.ranks == {"a": (1, 2), "b": (2, 1)}
    assert (found.only_ours, found.only_theirs) == (("x",), ("y",))


def test_order_turned_round():
    models = dict(zip("abcde", range(1, 6), strict=True))
    found = rank_change(models, {model: 6 - rank for model, rank in models.items()})
    assert (found.kendall_tau, found.spearman_rho) == (pytest.approx(-1), pytest.approx(-1))
    assert (found.moved, found.mean_change) == (80, 2.4)


def test_same_order():
    models = dict(zip("abcde", range(1, 6), strict=True))
    found = rank_change(models, models)
    assert (found.moved, found.mean_change, found.kendall_tau) == (0, 0, pytest.approx(1))
    assert found.kendall_p == pytest.approx(2 / 120)  # of 5! orders, this one and its reverse


def test_one_order_with_all_level_has_no_correlation():
    found = rank_change({"a": 1, "b": 1}, {"a": 1, "b": 2})
    assert (found.kendall_tau, found.kendall_p, found.spearman_rho, found.spearman_p) == (None,) * 4
    assert found.moved == 50


@each("n", [3, 5, 10])
@each("seed", range(3))
def test_correlations_agree_with_scipy_on_the_scores(n, seed):
    """Ties among them: tau-b and rho do not care which rank a tie gets."""
    ours, theirs = np.random.default_rng(seed).integers(0, 4, (2, n)).astype(float)
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        pytest.fail("all level: choose another seed")
    names = [f"m{i}" for i in range(n)]
    found = rank_change(dict(zip(names, ranks(ours), strict=True)), dict(zip(names, ranks(theirs), strict=True)))
    tau, rho = kendalltau(ours, theirs), spearmanr(ours, theirs)
    assert (found.kendall_tau, found.kendall_p) == (pytest.approx(tau.statistic), pytest.approx(tau.pvalue))
    assert (found.spearman_rho, found.spearman_p) == (pytest.approx(rho.statistic), pytest.approx(rho.pvalue))


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ({}, {}, "models in both rankings: 0, at least 2 are needed. Only ours: none. Only theirs: none."),
        (
            {"a": 1, "b": 2},
            {"a": 1, "A": 2, "B": 3, "C": 4, "D": 5},
            "models in both rankings: 1, at least 2 are needed. Only ours: b. Only theirs: A, B, C and 1 more.",
        ),
    ],
)
def test_too_few_shared_models_are_listed(ours, theirs, message):
    with pytest.raises(InputError) as error:
        rank_change(ours, theirs)
    assert str(error.value).startswith(message)
