"""The test over all tasks of a benchmark: cases that a person can enumerate, and by definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.metrics.classification import mcc
from hueval_metrics.metrics.simple_qa import F_SCORE
from hueval_metrics.stats.permutation import EXACT_UP_TO, permutation_p
from hueval_metrics.stats.stratified import Stratum, stratified_difference
from tests.each import each


def task(name, first, second, metric=PERCENT, ids=None):
    """Two models that answer questions right (1) or wrong (0)."""
    rows = [metric.rows([float(one) for one in outcomes]) for outcomes in (first, second)]
    return Stratum(ids or [f"{name}{place}" for place in range(len(first))], *rows, metric)


@pytest.mark.parametrize(
    ("why", "tasks", "p"),
    [
        ("one task alone, 3 right against 0: 2 of 8 swaps", [task("a", "111", "000")], 2 / 8),
        ("two tasks, all six swaps agree: 2 of 64", [task("a", "111", "000"), task("b", "111", "000")], 2 / 64),
        ("items that both have right add nothing", [task("a", "1111", "0001"), task("b", "111", "000")], 2 / 64),
        # z of a task is its sum of signs over √3: a sum of 3 - 3 = 0, and every swap is as extreme.
        ("two tasks that point in opposite ways cancel out", [task("a", "111", "000"), task("b", "000", "111")], 1.0),
        # Sums over √2 and √3: |2/√2 - 1/√3| = 0.84. Of the 4 × 8 swaps 14 are below: 0 ± 1/√3 (2 × 6), and twice
        # ±(2/√2 - 3/√3) = 0.32.
        ("the tasks weigh by their standard deviations", [task("a", "11", "00"), task("b", "100", "011")], 18 / 32),
        # Clusters q0 and q1 are asked in both tasks: 4 swaps, not 16.
        ("a question in two tasks is swapped in both", [task("q", "11", "00"), task("q", "11", "00")], 2 / 4),
        ("no item differs", [task("a", "110", "110"), task("b", "1", "1")], 1.0),
        (
            "fewer is better",
            [task("a", "111", "000", PERCENT.but(better="lower")), task("b", "000", "111")],
            2 / 64,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_p_by_enumeration(why, tasks, p):
    assert stratified_difference(tasks).p == pytest.approx(p)


def test_the_statistic_is_the_sum_of_standardised_differences():
    found = stratified_difference([task("a", "11", "00"), task("b", "100", "011")])
    assert found.statistic == pytest.approx(2 / 2**0.5 - 1 / 3**0.5)
    assert (found.n, found.n_strata, found.n_ahead, found.n_behind) == (5, 2, 1, 1)


def test_the_unit_of_a_task_does_not_count():
    fraction = PERCENT.but(_compute=lambda sums: sums[..., 0] / sums[..., 1], unit="fraction", bounds=(0.0, 1.0))
    tasks = [task("a", "1101011", "0100010"), task("b", "111001", "000110")]
    other = [task("a", "1101011", "0100010", fraction), tasks[1]]
    found, scaled = stratified_difference(tasks), stratified_difference(other)
    assert (scaled.p, scaled.statistic) == pytest.approx((found.p, found.statistic))


def test_a_task_without_a_better_end_or_a_score_is_left_out():
    undefined = Stratum(["x"], np.zeros((1, 2)), np.zeros((1, 2)), PERCENT)
    neither = task("b", "111", "000", PERCENT.but(better=None))
    assert stratified_difference([undefined, neither]) is None
    found = stratified_difference([undefined, neither, task("a", "111", "000")])
    assert (found.p, found.n_strata) == (0.25, 1)


@each("lead", [0.0, 0.25])
def test_a_sample_of_one_task_agrees_with_the_permutation_test(lead):
    draws = np.random.default_rng(3)
    sizes = draws.integers(2, 9, 60)
    first, second = (np.column_stack([draws.binomial(sizes, 0.5 + by), sizes]).astype(float) for by in (lead, 0))
    theirs = permutation_p(first, second, POOLED.compute)
    ours = stratified_difference([Stratum(range(60), first, second, POOLED)]).p
    assert ours == pytest.approx(theirs, abs=0.02)


def test_alike_clusters_drawn_together_are_as_clusters_drawn_one_by_one():
    """Kinds of difference that occur many times, once, and the other way round; all signs are the reference."""
    first, second = "1" * 9 + "0" * 4, "0" * 9 + "1" * 4
    exact = stratified_difference([task("a", first[:9], second[:9]), task("b", first[9:], second[9:])])
    sampled = stratified_difference(
        # One question more: 14 differ, which are too many to enumerate.
        [task("a", first[:9], second[:9]), task("b", first[9:] + "1", second[9:] + "0")],
        permutations=40_000,
    )
    expected = _by_all_signs([[1] * 9, [-1] * 4 + [1]])
    assert exact.p == pytest.approx(_by_all_signs([[1] * 9, [-1] * 4]))
    assert sampled.p == pytest.approx(expected, abs=0.01)


def _by_all_signs(tasks):
    n = sum(map(len, tasks))
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    sums, observed, start = 0, 0, 0
    for own in tasks:
        scale = len(own) ** 0.5
        sums = sums + signs[:, start : start + len(own)] @ np.array(own) / scale
        observed += sum(own) / scale
        start += len(own)
    return float((abs(sums) >= abs(observed) - 1e-9).mean())


OUTCOMES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def _unlike(outcomes):
    """Three tasks of unlike metrics over some of the same questions."""
    first, second = ([pair[side] for pair in outcomes] for side in (0, 1))
    strata = []
    for metric, values in (
        (PERCENT, lambda right: [float(one) for one in right]),
        (F_SCORE, lambda right: [(float(one), 1.0) for one in right]),
        (mcc(2), lambda right: [(place % 2, place % 2 if one else 1 - place % 2) for place, one in enumerate(right)]),
    ):
        rows = [metric.rows(values(right), range(len(right))) for right in (first, second)]
        strata.append(Stratum(range(len(first)), *rows, metric))
    return strata


@given(OUTCOMES)
def test_the_names_of_the_models_do_not_count(outcomes):
    strata = _unlike(outcomes)
    found = stratified_difference(strata, permutations=200)
    turned = stratified_difference(
        [Stratum(one.ids, one.second, one.first, one.metric) for one in strata], permutations=200
    )
    assert 0 < found.p <= 1
    assert turned.p == pytest.approx(found.p)
    assert turned.statistic == pytest.approx(-found.statistic)
    assert (turned.n_ahead, turned.n_behind) == (found.n_behind, found.n_ahead)


@given(OUTCOMES, st.randoms())
def test_the_order_of_tasks_does_not_count(outcomes, random):
    strata = _unlike(outcomes)
    shuffled = strata[:]
    random.shuffle(shuffled)
    one, other = (stratified_difference(some, permutations=200) for some in (strata, shuffled))
    assert other.statistic == pytest.approx(one.statistic, rel=0.5, abs=1e-9)
    if len(outcomes) <= EXACT_UP_TO:
        assert other.p == pytest.approx(one.p)
