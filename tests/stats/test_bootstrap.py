"""Resampled sums: what drawing with replacement means, strata, pairs, and scipy's bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

import hueval_metrics.stats.bootstrap as module
from hueval_metrics.stats.bootstrap import LEAST_STRATUM, collapsed, resampled_sums
from tests.each import each

STRATA = st.lists(st.sampled_from(["l", "h", "f", None]), min_size=1, max_size=200)


def column(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(2.0, size=(n, 1))


@each("n", [1, 2, 7, 60, 400])
def test_every_sum_is_of_as_many_rows_as_there_are(n):
    assert resampled_sums(np.ones((n, 1)), resamples=50).tolist() == [[n]] * 50


@each("n", [5, 40, 278, 1343])
def test_mean_and_spread_are_those_of_drawing_with_replacement(n):
    rows = column(n)
    sums = resampled_sums(rows)
    error = np.sqrt(n * rows.var())
    assert sums.mean() == pytest.approx(rows.sum(), abs=4 * error / 100)
    assert sums.std() == pytest.approx(error, rel=0.03)


@each("n", [20, 93, 500])
def test_quantiles_agree_with_scipy(n):
    rows = column(n)
    theirs = bootstrap((rows[:, 0],), np.mean, n_resamples=10_000, method="percentile", random_state=1)
    ends = np.quantile(resampled_sums(rows)[:, 0] / n, [0.025, 0.975])
    assert ends == pytest.approx(list(theirs.confidence_interval), abs=0.06 * float(theirs.standard_error))


def test_columns_are_drawn_together():
    rows = column(80)
    sums = resampled_sums(np.hstack([rows, 3 * rows]), resamples=100)
    assert sums[:, 1] == pytest.approx(3 * sums[:, 0])


def test_two_calls_over_the_same_items_draw_alike():
    strata = ["l"] * 50 + ["h"] * 30
    rows = column(80)
    apart = [resampled_sums(some, strata=strata, resamples=100) for some in (rows, rows**2)]
    assert np.hstack(apart) == pytest.approx(resampled_sums(np.hstack([rows, rows**2]), strata=strata, resamples=100))


@each("strata", [None, ["l"] * 100 + ["h"] * 60, ["l", "h"] * 80])
def test_runs_of_equal_rows_are_drawn_as_rows_are(strata):
    rows = np.repeat([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]], [30, 77, 53], axis=0)
    mixed = np.hstack([rows, column(160)])  # not whole numbers: every row is counted
    assert np.array_equal(
        resampled_sums(rows, strata=strata, cells=1000), resampled_sums(mixed, strata=strata, cells=1000)[:, :2]
    )


def test_another_seed_draws_otherwise():
    assert not np.array_equal(resampled_sums(column(80), seed=1), resampled_sums(column(80), seed=2))


def test_blocks_are_all_there(monkeypatch):
    monkeypatch.setattr(module, "_CELLS", 1000)  # 12 resamples of 80 rows
    sums = resampled_sums(column(80), resamples=101)
    assert sums.shape == (101, 1)
    assert len(np.unique(sums)) == 101


def test_a_stratum_keeps_its_size():
    strata = ["l", "h", "l"] * 20
    is_history = np.array([[stratum == "h"] for stratum in strata], float)
    assert set(resampled_sums(is_history, strata=strata, resamples=200)[:, 0]) == {20.0}
    assert resampled_sums(is_history, resamples=200).std() > 2


def test_strata_take_out_the_spread_between_them():
    strata = ["l"] * 100 + ["h"] * 100
    rows = column(200) + np.repeat([[0.0], [50.0]], 100, axis=0)
    within = np.sqrt(sum(100 * part.var() for part in np.split(rows, 2)))
    assert resampled_sums(rows, strata=strata).std() == pytest.approx(within, rel=0.03)


def test_a_stratum_of_one_shows_its_spread_with_the_next_larger():
    """Alone it would replace itself: its value would look certain."""
    strata = ["l"] * 60 + ["f"] * LEAST_STRATUM + ["bf"]
    is_lone = np.array([[stratum == "bf"] for stratum in strata], float)
    assert collapsed(strata).tolist() == [0] * 60 + [1] * (LEAST_STRATUM + 1)
    assert resampled_sums(is_lone).std() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("strata", "codes"),
    [
        (["a", "b"], [1, 1]),  # too few for any stratum: one
        ([None, None], [0, 0]),
        (["a"] * 3 + ["b"] * 4 + ["c"] * 30, [2] * 37),
        (["a"] * 3 + ["b"] * 18 + ["c"] * 30, [1] * 21 + [2] * 30),
        (["a"] * 19 + ["c"] * 30, [1] * 49),
        (["a"] * 20 + ["c"] * 30, [0] * 20 + [1] * 30),
    ],
)
def test_small_strata_are_joined(strata, codes):
    assert collapsed(strata).tolist() == codes


@given(STRATA)
def test_joined_strata_hold_enough_rows_and_whole_strata(strata):
    codes = collapsed(strata).tolist()
    sizes = [codes.count(code) for code in set(codes)]
    assert min(sizes) >= LEAST_STRATUM or len(sizes) == 1
    assert len({(stratum, code) for stratum, code in zip(strata, codes, strict=True)}) == len(set(strata))
