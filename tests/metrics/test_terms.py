"""Sums over clusters give every metric, whatever is drawn; what each cluster's row is, in literal cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.aggregate import count_applicable, mean_percent, pooled_percent
from hueval_metrics.metrics.calibration import BINS, bin_of, brier_score, expected_calibration_error
from hueval_metrics.metrics.simple_qa import LABELS, attempted_term, correct_given_attempted, f_score, f_term
from hueval_metrics.metrics.terms import is_ratio, statistic
from hueval_metrics.metrics.two_choice import pair_accuracy, position_bias, single_accuracy, single_order
from hueval_metrics.metrics.wild_bench import wb_score, wb_score_ref
from lm_eval_tasks.catalog import task_files, task_spec

CHOICES = [("a", 1, 1), ("a", 2, 2), ("b", 1, 1), ("b", 2, 1), ("c", 1, None)]
CLUSTERS = ["a", "a", "b", "b", "c"]

CONFIDENCES = st.tuples(st.integers(0, 100).map(lambda percent: percent / 100), st.booleans())
COUNTS = st.integers(1, 20).flatmap(lambda total: st.tuples(st.integers(0, total + 3), st.just(total)))
VALUES = {
    mean_percent: st.floats(0, 1) | st.booleans(),
    pooled_percent: COUNTS | COUNTS.map(list),  # a log makes a list of the pair
    correct_given_attempted: st.sampled_from(LABELS).map(attempted_term),
    f_score: st.sampled_from(LABELS).map(f_term),
    expected_calibration_error: CONFIDENCES,
    brier_score: CONFIDENCES,
    wb_score: st.integers(1, 10),
    wb_score_ref: st.integers(1, 10),
}


def whole(aggregation, values, clusters) -> float:
    """The metric from the sums over all clusters."""
    counted = statistic(aggregation)
    return float(counted.of(counted.matrix(values, clusters).sum(axis=0)))


@pytest.mark.parametrize("aggregation", VALUES, ids=lambda f: f.__name__)
@given(data=st.data())
def test_the_sums_give_the_metric(aggregation, data):
    values = data.draw(st.lists(st.none() | VALUES[aggregation], max_size=40))
    clusters = data.draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))
    expected = aggregation(values)
    found = whole(aggregation, values, clusters)
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("aggregation", [single_accuracy, pair_accuracy, position_bias], ids=lambda f: f.__name__)
@given(answers=st.lists(st.tuples(*[st.sampled_from([1, 2, None, "not asked"])] * 2), max_size=20))
def test_the_sums_over_proverbs_give_the_metric(aggregation, answers):
    choices = [
        (f"q{n}", order, answer)
        for n, both in enumerate(answers)
        for order, answer in enumerate(both, 1)
        if answer != "not asked"
    ]
    expected = aggregation(choices)
    found = whole(aggregation, choices, [qid for qid, _, _ in choices])
    assert math.isnan(found) if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize("task", task_files())
def test_every_metric_but_the_counts_has_a_statistic(task):
    without = {m for m, aggregation in task_spec(task).aggregations.items() if statistic(aggregation) is None}
    assert without == {m for m in task_spec(task).aggregations if m.startswith("n_")}


@pytest.mark.parametrize(
    ("aggregation", "rows"),
    [
        (single_accuracy, [(2, 2), (1, 2), (0, 1)]),
        (pair_accuracy, [(1, 1), (0, 1), (0, 0)]),  # "c" came in one order only
        (position_bias, [(1, 2), (2, 2), (0, 0)]),  # option 1 among the readable answers
    ],
)
def test_rows_of_choices(aggregation, rows):
    assert statistic(aggregation).matrix(CHOICES, CLUSTERS).tolist() == [list(row) for row in rows]


def test_rows_stand_in_the_order_of_first_appearance_with_zeros_where_nothing_applies():
    rows = statistic(pooled_percent).matrix([None, (1, 4), (2, 3), (1, 1)], ["z", "b", "a", "b"])
    assert rows.tolist() == [[0, 0], [2, 5], [2, 3]]


def test_rows_of_confidences():
    rows = statistic(expected_calibration_error).matrix([(0.95, 1.0), (1.0, 0.0), (0.3, 0.0)], "aab")
    expected = np.zeros((2, 2 * BINS))
    expected[0, [9, BINS + 9]] = 0.95 - 1 + 1, 2
    expected[1, [3, BINS + 3]] = 0.3, 1
    assert rows == pytest.approx(expected)


def test_a_confidence_on_an_edge_belongs_to_the_bin_that_it_opens():
    assert [bin_of(confidence) for confidence in (0.0, 0.0999, 0.1, 0.3, 0.7, 0.9999999999, 1.0)] == [
        0,
        0,
        1,
        3,
        7,
        9,
        9,
    ]


def test_many_sums_at_once():
    counted = statistic(position_bias)
    assert counted.of(np.array([[[1, 2], [0, 4]], [[3, 3], [0, 0]]])) == pytest.approx(
        np.array([[0.0, -50.0], [50.0, math.nan]]), nan_ok=True
    )


def test_nothing_attempted_is_0_and_nothing_judged_is_undefined():
    assert whole(correct_given_attempted, [(0, 0), (0, 0), None], range(3)) == 0
    assert math.isnan(whole(correct_given_attempted, [None], range(1)))


@pytest.mark.parametrize("aggregation", [count_applicable, single_order])
def test_a_count_has_no_statistic(aggregation):
    assert statistic(aggregation) is None
    assert not is_ratio(aggregation)


def test_the_calibration_error_is_no_ratio():
    assert not is_ratio(expected_calibration_error)
    assert is_ratio(brier_score)
